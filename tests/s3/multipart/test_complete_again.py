"""CompleteMultipartUpload is idempotent: the same request again has the same answer, and only that.

After it the upload is gone, so any other request for it finds none.
"""

from __future__ import annotations

import base64
from typing import TYPE_CHECKING, Any

import pytest

from tests.s3.multipart.test_complete_multipart_upload import OTHER_ETAG, PART_BYTES_MIN, Upload

if TYPE_CHECKING:
    from collections.abc import Callable

    from mypy_boto3_s3.client import S3Client

GONE = (404, "NoSuchUpload")


@pytest.fixture
def completed(s3: S3Client, bucket: str, content: Callable[..., bytes]) -> Upload:
    """Of three parts, the first two named."""
    upload = Upload(s3, bucket)
    for number, size_bytes in ((1, PART_BYTES_MIN), (2, 1000), (3, 10)):
        upload.put(number, content(size_bytes, number))
    upload.complete(1, 2)
    return upload


def test_other_parts_than_those_that_were_named_are_no_repetition(completed: Upload) -> None:
    one, two, three = (completed.parts[number] for number in (1, 2, 3))
    wrong: list[list[dict[str, Any]]] = [
        [one],
        [one, two, three],
        [one, three],
        [one, {"PartNumber": 2, "ETag": OTHER_ETAG}],
        [one, {"PartNumber": 9, "ETag": two["ETag"]}],
        [one, two | {"ChecksumCRC32": base64.b64encode(bytes(4)).decode()}],
    ]
    for parts in wrong:
        assert completed.refused(*parts) == GONE, parts
    assert completed.stored() == completed.bodies[1] + completed.bodies[2]


def test_another_size_or_checksum_is_no_repetition(completed: Upload) -> None:
    named = [completed.parts[1], completed.parts[2]]
    size_bytes = PART_BYTES_MIN + 1000
    assert completed.refused(*named, MpuObjectSize=size_bytes + 1) == GONE
    other = base64.b64encode(bytes(4)).decode()
    assert completed.refused(*named, ChecksumCRC32=f"{other}-2") == GONE
    assert completed.refused(*named, ChecksumType="FULL_OBJECT") == GONE
    completed.complete(1, 2, MpuObjectSize=size_bytes, ChecksumType="COMPOSITE")


def test_a_repetition_is_not_kept_from_its_answer_by_its_own_object(
    s3: S3Client, bucket: str, content: Callable[..., bytes]
) -> None:
    """`If-None-Match: *` held when the object was made; its answer was lost."""
    upload = Upload(s3, bucket)
    upload.put(1, content(1000, 1))
    first, second = (upload.complete(IfNoneMatch="*") for _ in range(2))
    assert first["ETag"] == second["ETag"]


def test_once_the_object_is_another_there_is_no_repetition(completed: Upload) -> None:
    completed.s3.put_object(Bucket=completed.bucket, Key=completed.key, Body=b"newer")
    assert completed.refused(completed.parts[1], completed.parts[2]) == GONE
    assert completed.stored() == b"newer"
