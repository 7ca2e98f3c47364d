"""CompleteMultipartUpload: the named parts are the object, or the upload stays as it was."""

from __future__ import annotations

import base64
import hashlib
import zlib
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import pytest
from botocore.exceptions import ClientError

from tests.s3.errors import refusal
from tests.s3.signing import Request, send

if TYPE_CHECKING:
    from collections.abc import Callable

    from mypy_boto3_s3.client import S3Client

    from openlake.testing import LocalServer

PART_BYTES_MIN = 5 << 20
OTHER_ETAG = '"' + "0" * 32 + '"'


@dataclass
class Upload:
    """An upload under way and what was sent of it."""

    s3: S3Client
    bucket: str
    key: str = "k"
    create: dict[str, Any] = field(default_factory=dict)
    parts: dict[int, dict[str, Any]] = field(default_factory=dict)
    bodies: dict[int, bytes] = field(default_factory=dict)

    def __post_init__(self) -> None:
        begun = self.s3.create_multipart_upload(Bucket=self.bucket, Key=self.key, **self.create)
        self.id = begun["UploadId"]

    @property
    def names(self) -> dict[str, Any]:
        return {"Bucket": self.bucket, "Key": self.key, "UploadId": self.id}

    def put(self, number: int, body: bytes, **params: Any) -> None:
        part = self.s3.upload_part(**self.names, PartNumber=number, Body=body, **params)
        self.parts[number] = {"PartNumber": number, "ETag": part["ETag"]}
        self.bodies[number] = body

    def complete(self, *numbers: int, **params: Any) -> Any:
        named: Any = [self.parts[number] for number in numbers or sorted(self.parts)]
        return self.s3.complete_multipart_upload(
            **self.names, MultipartUpload={"Parts": named}, **params
        )

    def refused(self, *named: dict[str, Any], **params: Any) -> tuple[int, str]:
        wanted = list(named) or [self.parts[number] for number in sorted(self.parts)]
        return refusal(
            self.s3.complete_multipart_upload,
            **self.names,
            MultipartUpload={"Parts": wanted},
            **params,
        )

    def stored(self) -> bytes:
        return self.s3.get_object(Bucket=self.bucket, Key=self.key)["Body"].read()


@pytest.fixture
def upload(s3: S3Client, bucket: str, content: Callable[..., bytes]) -> Upload:
    """Two parts, the first as small as it may be."""
    begun = Upload(s3, bucket, create={"Metadata": {"a": "1"}, "ContentType": "text/x"})
    begun.put(1, content(PART_BYTES_MIN, 1))
    begun.put(2, content(1000, 2))
    return begun


def test_the_parts_are_the_object(server: LocalServer, upload: Upload) -> None:
    """MP16, HD10, HD11; the ETag is the MD5 of the parts' MD5s and their number."""
    done = upload.complete()
    digests = b"".join(hashlib.md5(body).digest() for body in upload.bodies.values())
    assert done["ETag"] == f'"{hashlib.md5(digests).hexdigest()}-2"'
    assert done["Location"] == f"{server.endpoint}/{upload.bucket}/k"
    assert upload.stored() == upload.bodies[1] + upload.bodies[2]
    head = upload.s3.head_object(Bucket=upload.bucket, Key="k")
    assert (head["ETag"], head["ContentType"], head["Metadata"]) == (
        done["ETag"],
        "text/x",
        {"a": "1"},
    )


def test_completing_again_gives_the_same_answer(upload: Upload) -> None:
    first, second = upload.complete(), upload.complete()
    assert first["ETag"] == second["ETag"]
    refused = refusal(upload.s3.list_parts, **upload.names)
    assert refused == (404, "NoSuchUpload")


def test_a_subset_of_the_parts_completes(
    s3: S3Client, bucket: str, content: Callable[..., bytes]
) -> None:
    upload = Upload(s3, bucket)
    for number in (3, 7, 10_000):
        upload.put(number, content(PART_BYTES_MIN, number))
    upload.complete(3, 10_000)
    assert upload.stored() == upload.bodies[3] + upload.bodies[10_000]


def test_mp4_etags_in_every_spelling(server: LocalServer, s3: S3Client, bucket: str) -> None:
    for template in ("{}", '"{}"', "&quot;{}&quot;"):
        upload = Upload(s3, bucket)
        upload.put(1, b"small")
        etag = template.format(upload.parts[1]["ETag"].strip('"'))
        part = f"<Part><PartNumber>1</PartNumber><ETag>{etag}</ETag></Part>"
        body = f"<CompleteMultipartUpload>{part}</CompleteMultipartUpload>".encode()
        request = Request("POST", bucket, "k", query=f"uploadId={upload.id}", body=body)
        assert send(server, request).status == 200


def test_mp6_a_small_part_before_the_last_is_refused(s3: S3Client, bucket: str) -> None:
    upload = Upload(s3, bucket)
    upload.put(1, b"too small")
    upload.put(2, b"last")
    assert upload.refused() == (400, "EntityTooSmall")
    upload.complete(2)
    assert upload.stored() == b"last"


@pytest.mark.parametrize(
    "body",
    [
        "<CompleteMultipartUpload></CompleteMultipartUpload>",
        "<CompleteMultipartUpload><Part><PartNumber>1</PartNumber></Part></CompleteMultipartUpload>",
        "<CompleteMultipartUpload><Part><ETag>a</ETag></Part></CompleteMultipartUpload>",
        "<Other/>",
        "<CompleteMultipartUpload>",
    ],
)
def test_mp7_without_parts_the_document_is_malformed(
    server: LocalServer, upload: Upload, body: str
) -> None:
    request = Request("POST", upload.bucket, "k", query=f"uploadId={upload.id}", body=body.encode())
    answer = send(server, request)
    assert (answer.status, answer.code) == (400, "MalformedXML")
    upload.complete()


def test_parts_that_were_not_sent_are_refused(upload: Upload) -> None:
    first = upload.parts[1]
    assert upload.refused(first, {"PartNumber": 3, "ETag": first["ETag"]}) == (400, "InvalidPart")
    assert upload.refused(first | {"ETag": OTHER_ETAG}) == (400, "InvalidPart")
    assert upload.refused(first | {"ETag": "no etag"}) == (400, "InvalidPart")
    upload.complete()


def test_parts_out_of_order_are_refused(upload: Upload) -> None:
    first, second = upload.parts[1], upload.parts[2]
    assert upload.refused(second, first) == (400, "InvalidPartOrder")
    assert upload.refused(first, first) == (400, "InvalidPartOrder")
    upload.complete()


@pytest.mark.parametrize("number", [0, -1, 10_001])
def test_mp2_part_numbers_have_a_range(upload: Upload, number: int) -> None:
    part = upload.parts[1] | {"PartNumber": number}
    assert upload.refused(part) == (400, "InvalidArgument")


def test_sec30_more_than_ten_thousand_parts_are_refused(
    server: LocalServer, upload: Upload
) -> None:
    part = "<Part><PartNumber>1</PartNumber><ETag>a</ETag></Part>"
    body = f"<CompleteMultipartUpload>{part * 10_001}</CompleteMultipartUpload>".encode()
    request = Request("POST", upload.bucket, "k", query=f"uploadId={upload.id}", body=body)
    answer = send(server, request)
    assert (answer.status, answer.code) == (400, "MalformedXML")


def test_mp18_one_part_without_bytes_completes(s3: S3Client, bucket: str) -> None:
    upload = Upload(s3, bucket)
    upload.put(1, b"")
    upload.complete()
    assert upload.stored() == b""


def test_mp15_the_last_upload_to_complete_is_the_object(s3: S3Client, bucket: str) -> None:
    first, second = Upload(s3, bucket), Upload(s3, bucket)
    first.put(1, b"first")
    second.put(1, b"second")
    second.complete()
    assert first.stored() == b"second"
    first.complete()
    assert first.stored() == b"first"


def test_ck21_the_size_has_to_fit(upload: Upload) -> None:
    size = sum(len(body) for body in upload.bodies.values())
    assert upload.refused(MpuObjectSize=size + 1) == (400, "InvalidRequest")
    upload.complete(MpuObjectSize=size)


def test_cd8_conditions_are_those_of_a_put(upload: Upload) -> None:
    upload.s3.put_object(Bucket=upload.bucket, Key="k", Body=b"old")
    assert upload.refused(IfNoneMatch="*") == (412, "PreconditionFailed")
    assert upload.refused(IfMatch=OTHER_ETAG) == (412, "PreconditionFailed")
    assert upload.refused(IfNoneMatch=OTHER_ETAG) == (501, "NotImplemented")
    assert upload.stored() == b"old"
    etag = upload.s3.head_object(Bucket=upload.bucket, Key="k")["ETag"]
    upload.complete(IfMatch=etag)
    assert upload.stored() != b"old"


def test_ck_a_composite_checksum_is_that_of_the_parts_checksums(
    s3: S3Client, bucket: str, content: Callable[..., bytes]
) -> None:
    upload = Upload(s3, bucket, create={"ChecksumAlgorithm": "SHA256"})
    for number, size_bytes in ((1, PART_BYTES_MIN), (2, 10)):
        upload.put(number, content(size_bytes, number), ChecksumAlgorithm="SHA256")
        value = base64.b64encode(hashlib.sha256(upload.bodies[number]).digest()).decode()
        upload.parts[number]["ChecksumSHA256"] = value
    wrong = upload.parts[1] | {"ChecksumSHA256": base64.b64encode(bytes(32)).decode()}
    assert upload.refused(wrong, upload.parts[2]) == (400, "InvalidPart")
    done = upload.complete()
    digests = b"".join(hashlib.sha256(body).digest() for body in upload.bodies.values())
    value = base64.b64encode(hashlib.sha256(digests).digest()).decode()
    assert (done["ChecksumSHA256"], done["ChecksumType"]) == (f"{value}-2", "COMPOSITE")


def test_ck4_a_full_object_checksum_is_that_of_the_bytes(
    s3: S3Client, bucket: str, content: Callable[..., bytes]
) -> None:
    create = {"ChecksumAlgorithm": "CRC32", "ChecksumType": "FULL_OBJECT"}
    upload = Upload(s3, bucket, create=create)
    for number, size_bytes in ((1, PART_BYTES_MIN), (2, 10)):
        upload.put(number, content(size_bytes, number))
    crc = zlib.crc32(upload.bodies[1] + upload.bodies[2])
    value = base64.b64encode(crc.to_bytes(4, "big")).decode()
    other = base64.b64encode(bytes(4)).decode()
    full = {"ChecksumType": "FULL_OBJECT"}
    assert upload.refused(ChecksumCRC32=other, **full) == (400, "BadDigest")
    done = upload.complete(ChecksumCRC32=value, **full)
    assert (done["ChecksumCRC32"], done["ChecksumType"]) == (value, "FULL_OBJECT")


@pytest.mark.parametrize("value", ["", "not base64!", "AAAA"])
def test_ck7_a_checksum_that_is_none_is_refused(upload: Upload, value: str) -> None:
    assert upload.refused(upload.parts[1] | {"ChecksumCRC32": value}) == (400, "InvalidRequest")
    upload.complete()


def test_mp12_a_part_sent_again_while_completing_is_the_old_or_the_new(
    s3: S3Client, bucket: str
) -> None:
    for round_number in range(10):
        upload = Upload(s3, bucket, key=f"k{round_number}")
        upload.put(1, b"old")
        named = dict(upload.parts)
        with ThreadPoolExecutor(2) as together:
            again = together.submit(upload.put, 1, b"new")
            upload.parts = named
            completed = together.submit(upload.complete, 1)
            errors = [codes(again.exception()), codes(completed.exception())]
        # Either the completion named the part that was there, or it found the newer one.
        assert errors in ([None, None], ["NoSuchUpload", None], [None, "InvalidPart"])
        if errors[1] is None:
            assert upload.stored() == b"old"
        else:
            upload.complete(1)
            assert upload.stored() == b"new"


def codes(error: BaseException | None) -> str | None:
    if error is None:
        return None
    assert isinstance(error, ClientError)
    return str(error.response["Error"]["Code"])
