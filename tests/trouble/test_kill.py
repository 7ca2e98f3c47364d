"""kill -9 under load, many times: what was acknowledged is there, whole; the rest all or none."""

from __future__ import annotations

import random
import threading
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import pytest
from botocore.exceptions import BotoCoreError, ClientError

from openlake.testing import LocalServer
from tests.conftest import client_of

if TYPE_CHECKING:
    from pathlib import Path

ROUNDS = 20
WRITERS = 4
BUCKET = "load"
# Inline objects, blobs, and the edge between them (64 KiB).
SIZES_BYTES = (1, 4096, 65_536, 65_537, 300_000, 2_000_000)
PART_BYTES = 5 << 20


@dataclass
class Ledger:
    """What one writer knows of each of its keys."""

    acknowledged: dict[str, int | None] = field(default_factory=dict)
    attempted: dict[str, set[int | None]] = field(default_factory=dict)
    operations: int = 0


def body_of(key: str, version: int) -> bytes:
    """The content of a version of a key; its size follows from both."""
    source = random.Random(f"{key}/{version}")
    if version % 50 == 7:
        return source.randbytes(PART_BYTES + 100_000)
    return source.randbytes(source.choice(SIZES_BYTES))


def write(s3: Any, key: str, version: int) -> None:
    """Put in one piece, or in two parts where the content is larger than a part."""
    body = body_of(key, version)
    if len(body) <= PART_BYTES:
        s3.put_object(Bucket=BUCKET, Key=key, Body=body)
        return
    upload = s3.create_multipart_upload(Bucket=BUCKET, Key=key)["UploadId"]
    parts = []
    for number, piece in enumerate((body[:PART_BYTES], body[PART_BYTES:]), start=1):
        answer = s3.upload_part(
            Bucket=BUCKET, Key=key, UploadId=upload, PartNumber=number, Body=piece
        )
        parts.append({"PartNumber": number, "ETag": answer["ETag"]})
    s3.complete_multipart_upload(
        Bucket=BUCKET, Key=key, UploadId=upload, MultipartUpload={"Parts": parts}
    )


def run_writer(s3: Any, name: int, start: int, ledger: Ledger, enough: threading.Event) -> None:
    """Put and delete random keys until the server is gone."""
    choice = random.Random(f"{name}/{start}")
    for version in range(start, start + 100_000):
        key = f"{name}/{choice.randrange(12)}"
        wanted = None if choice.random() < 0.15 else version
        ledger.attempted.setdefault(key, set()).add(wanted)
        try:
            if wanted is None:
                s3.delete_object(Bucket=BUCKET, Key=key)
            else:
                write(s3, key, version)
        except (BotoCoreError, ClientError):
            return
        ledger.acknowledged[key] = wanted
        ledger.attempted[key] = set()
        ledger.operations += 1
        if ledger.operations >= 10:
            enough.set()


def check(s3: Any, ledger: Ledger) -> None:
    """Each key holds its acknowledged version or one that was attempted after it."""
    for key, attempts in ledger.attempted.items():
        acknowledged = ledger.acknowledged.get(key)
        try:
            found = s3.get_object(Bucket=BUCKET, Key=key)["Body"].read()
        except ClientError as error:
            assert error.response["Error"]["Code"] == "NoSuchKey"
            assert None in attempts | {acknowledged}, f"{key} is lost: {acknowledged}"
            ledger.acknowledged[key] = None
            continue
        allowed = [v for v in attempts | {acknowledged} if v is not None]
        matches = [v for v in allowed if body_of(key, v) == found]
        assert matches, f"{key} holds neither version {acknowledged} nor any of {attempts}"
        ledger.acknowledged[key] = matches[0]


@pytest.mark.timeout(600)
def test_nothing_acknowledged_is_lost_when_the_process_is_killed(tmp_path: Path) -> None:
    """Twenty rounds on one data directory, with the core count changing in between."""
    ledgers = [Ledger() for _ in range(WRITERS)]
    server = LocalServer(tmp_path, cores=1)
    server.start()
    client_of(server).create_bucket(Bucket=BUCKET)
    for number in range(ROUNDS):
        s3 = client_of(server)
        events = [threading.Event() for _ in ledgers]
        for ledger in ledgers:
            ledger.operations = 0
        threads = [
            threading.Thread(
                target=run_writer,
                args=(client_of(server), name, (number + 1) * 1_000_000, ledger, event),
            )
            for name, (ledger, event) in enumerate(zip(ledgers, events, strict=True))
        ]
        for thread in threads:
            thread.start()
        for event in events:
            assert event.wait(120), server.output
        server.kill()
        for thread in threads:
            thread.join(60)
        server = LocalServer(tmp_path, cores=1 + number % 2)
        server.start()
        s3 = client_of(server)
        for ledger in ledgers:
            check(s3, ledger)
            for attempts in ledger.attempted.values():
                attempts.clear()
        keys = [
            entry["Key"]
            for page in s3.get_paginator("list_objects_v2").paginate(Bucket=BUCKET)
            for entry in page.get("Contents", ())
        ]
        alive = {k for led in ledgers for k, v in led.acknowledged.items() if v is not None}
        assert set(keys) == alive
    assert server.stop() == 0
