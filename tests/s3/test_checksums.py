"""Checksums: verified when sent, computed when not, stored and shown."""

from __future__ import annotations

import base64
import hashlib
import zlib
from typing import TYPE_CHECKING

import pytest

from tests.conftest import client_of
from tests.s3.raw_http import exchange, head_bytes
from tests.s3.signing import Request, presigned_target, send

if TYPE_CHECKING:
    from collections.abc import Callable

    from openlake.testing import LocalServer

BODY = b"123456789"
# Check values of the catalogue of parametrised CRC algorithms; digests by hashlib.
VALUES = {
    "crc32": (0xCBF43926).to_bytes(4, "big"),
    "crc32c": (0xE3069283).to_bytes(4, "big"),
    "crc64nvme": (0xAE8B14860A799888).to_bytes(8, "big"),
    "sha1": hashlib.sha1(BODY, usedforsecurity=False).digest(),
    "sha256": hashlib.sha256(BODY).digest(),
}


def text_of(value: bytes) -> str:
    """As S3 writes it."""
    return base64.b64encode(value).decode()


@pytest.mark.parametrize("name", VALUES)
def test_a_checksum_is_stored_and_shown(server: LocalServer, bucket: str, name: str) -> None:
    """CK11: with the whole object, on request, and never with a range."""
    header, value = f"x-amz-checksum-{name}", text_of(VALUES[name])
    put = send(server, Request("PUT", bucket, "k", {header: value}, body=BODY))
    assert (put.status, put.headers[header]) == (200, value)
    mode = {"x-amz-checksum-mode": "ENABLED"}
    for method in ("GET", "HEAD"):
        answer = send(server, Request(method, bucket, "k", mode))
        assert answer.headers[header] == value
        assert answer.headers["x-amz-checksum-type"] == "FULL_OBJECT"
    assert header not in send(server, Request("GET", bucket, "k")).headers
    ranged = send(server, Request("GET", bucket, "k", {**mode, "Range": "bytes=0-3"}))
    assert (ranged.status, ranged.body) == (206, BODY[:4])
    assert header not in ranged.headers


def test_without_a_checksum_the_server_computes_crc64nvme(server: LocalServer, bucket: str) -> None:
    """CK1."""
    put = send(server, Request("PUT", bucket, "k", body=BODY))
    assert put.headers["x-amz-checksum-crc64nvme"] == text_of(VALUES["crc64nvme"])
    assert put.headers["x-amz-checksum-type"] == "FULL_OBJECT"
    assert put.headers["etag"] == f'"{hashlib.md5(BODY, usedforsecurity=False).hexdigest()}"'


@pytest.mark.parametrize(
    ("value", "status", "code"),
    [(VALUES["crc32"], 200, ""), (b"\0\0\0\1", 400, "BadDigest")],
)
def test_a_checksum_in_a_presigned_query(
    server: LocalServer, bucket: str, value: bytes, status: int, code: str
) -> None:  # fmt: skip
    """CK17: it counts as a header."""
    query = f"x-amz-checksum-crc32={text_of(value).replace('=', '%3D')}"
    target = presigned_target(server, Request("PUT", bucket, "k", query=query))
    headers = {"Host": server.endpoint.removeprefix("http://"), "Content-Length": "9"}
    answer = exchange(server, [head_bytes("PUT", target, headers), BODY], "PUT")
    assert (answer.status, answer.code) == (status, code)


@pytest.mark.parametrize("when", ["when_supported", "when_required"])
@pytest.mark.parametrize("size_bytes", [0, 70_000, 3_000_000])
def test_boto3_writes_and_verifies_checksums(
    server: LocalServer, bucket: str, content: Callable[..., bytes], when: str, size_bytes: int
) -> None:  # fmt: skip
    """boto3 sends CRC32 by default, and checks what it reads against what is stored."""
    body = content(size_bytes)
    s3 = client_of(server, request_checksum_calculation=when, response_checksum_validation=when)
    s3.put_object(Bucket=bucket, Key="k", Body=body)
    got = s3.get_object(Bucket=bucket, Key="k", ChecksumMode="ENABLED")
    assert got["Body"].read() == body
    if when == "when_supported":
        assert got["ChecksumCRC32"] == text_of(zlib.crc32(body).to_bytes(4, "big"))
    else:
        assert "ChecksumCRC64NVME" in got
