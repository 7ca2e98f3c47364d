"""What the tests share: a real server process, a boto3 client of it, and seeded content."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Any
from uuid import uuid4

import boto3
import pytest
from botocore.config import Config

from openlake.testing import LocalServer

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


def client_of(server: LocalServer, **config: Any) -> Any:
    """A boto3 S3 client of `server`; `config` goes to botocore's Config."""
    settings = {
        "retries": {"max_attempts": 1},
        "s3": {"addressing_style": "path"},
        # For presigned URLs boto3 would choose version 2 by itself.
        "signature_version": "s3v4",
        **config,
    }
    return boto3.client(
        "s3",
        endpoint_url=server.endpoint,
        region_name="us-east-1",
        aws_access_key_id=server.access_key,
        aws_secret_access_key=server.secret_key,
        config=Config(**settings),
    )


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LocalServer]:
    """One server for all tests that leave it as they found it."""
    with LocalServer(tmp_path_factory.mktemp("data")) as running:
        yield running


@pytest.fixture(scope="session")
def s3(server: LocalServer) -> Any:
    """A boto3 client of the shared server."""
    return client_of(server)


@pytest.fixture
def bucket(s3: Any) -> Iterator[str]:
    """A bucket of the test's own, removed with all that is in it."""
    name = f"test-{uuid4().hex[:16]}"
    s3.create_bucket(Bucket=name)
    yield name
    empty(s3, name)
    s3.delete_bucket(Bucket=name)


def empty(s3: Any, bucket: str) -> None:
    """Remove every object and open upload of a bucket."""
    for page in s3.get_paginator("list_objects_v2").paginate(Bucket=bucket):
        for entry in page.get("Contents", ()):
            s3.delete_object(Bucket=bucket, Key=entry["Key"])
    for upload in s3.list_multipart_uploads(Bucket=bucket).get("Uploads", ()):
        s3.abort_multipart_upload(Bucket=bucket, Key=upload["Key"], UploadId=upload["UploadId"])


@pytest.fixture
def content() -> Callable[..., bytes]:
    """`content(size_bytes, seed)`: incompressible bytes, the same for the same arguments."""

    def made(size_bytes: int, seed: int = 0) -> bytes:
        return random.Random(seed * 1_000_003 + size_bytes).randbytes(size_bytes)

    return made
