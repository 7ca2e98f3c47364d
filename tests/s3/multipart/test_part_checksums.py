"""Which checksums parts may have, and what the object gets: decided when the upload begins."""

from __future__ import annotations

import base64
import zlib
from typing import TYPE_CHECKING

import pytest

from tests.s3.multipart.test_complete_multipart_upload import PART_BYTES_MIN, Upload

if TYPE_CHECKING:
    from collections.abc import Callable

    from mypy_boto3_s3.client import S3Client


def crc32(body: bytes) -> str:
    return base64.b64encode(zlib.crc32(body).to_bytes(4, "big")).decode()


def test_parts_may_have_the_checksum_of_their_sdk(
    s3: S3Client, bucket: str, content: Callable[..., bytes]
) -> None:
    """boto3 begins an upload without an algorithm, and then sends the CRC32 of each part."""
    upload = Upload(s3, bucket)
    for number, size_bytes in ((1, PART_BYTES_MIN), (2, 10)):
        upload.put(number, content(size_bytes, number))
        upload.parts[number]["ChecksumCRC32"] = crc32(upload.bodies[number])
    digests = b"".join(base64.b64decode(part["ChecksumCRC32"]) for part in upload.parts.values())
    done = upload.complete()
    assert (done["ChecksumCRC32"], done["ChecksumType"]) == (f"{crc32(digests)}-2", "COMPOSITE")


@pytest.mark.parametrize(
    ("begun_with", "completed_with"),
    [("FULL_OBJECT", "COMPOSITE"), ("COMPOSITE", "FULL_OBJECT")],
)
def test_an_upload_is_completed_in_the_mode_that_it_was_begun_in(
    s3: S3Client,
    bucket: str,
    content: Callable[..., bytes],
    begun_with: str,
    completed_with: str,
) -> None:
    upload = Upload(s3, bucket, create={"ChecksumAlgorithm": "CRC32", "ChecksumType": begun_with})
    for number, size_bytes in ((1, PART_BYTES_MIN), (2, 10)):
        upload.put(number, content(size_bytes, number), ChecksumAlgorithm="CRC32")
        upload.parts[number]["ChecksumCRC32"] = crc32(upload.bodies[number])
    assert upload.refused(ChecksumType=completed_with) == (400, "InvalidRequest")
    assert upload.complete(ChecksumType=begun_with)["ChecksumType"] == begun_with
