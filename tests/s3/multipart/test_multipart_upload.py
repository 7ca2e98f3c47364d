"""Multipart uploads: begun, listed, given up."""

from __future__ import annotations

import base64
import zlib
from typing import TYPE_CHECKING
from urllib.parse import unquote

import pytest

from tests.s3.errors import refusal
from tests.s3.signing import Request, send

if TYPE_CHECKING:
    from typing import Any

    from mypy_boto3_s3.client import S3Client

    from openlake.testing import LocalServer

UNKNOWN_ID = "0" * 32


def begin(s3: S3Client, bucket: str, key: str, **params: Any) -> str:
    return s3.create_multipart_upload(Bucket=bucket, Key=key, **params)["UploadId"]


def upload(s3: S3Client, bucket: str, key: str, upload_id: str, number: int) -> str:
    body = b"part %d" % number
    part = s3.upload_part(Bucket=bucket, Key=key, UploadId=upload_id, PartNumber=number, Body=body)
    return part["ETag"]


def test_ck5_names_of_checksums_are_read_in_any_case(
    server: LocalServer, s3: S3Client, bucket: str
) -> None:
    headers = {"x-amz-checksum-algorithm": "crc32", "x-amz-checksum-type": "composite"}
    answer = send(server, Request("POST", bucket, "k", headers, "uploads="))
    assert answer.status == 200
    assert answer.headers["x-amz-checksum-algorithm"] == "CRC32"
    assert answer.headers["x-amz-checksum-type"] == "COMPOSITE"
    listed = s3.list_multipart_uploads(Bucket=bucket)["Uploads"][0]
    assert (listed["ChecksumAlgorithm"], listed["ChecksumType"]) == ("CRC32", "COMPOSITE")


@pytest.mark.parametrize(
    ("algorithm", "kind"),
    [("SHA1", "FULL_OBJECT"), ("SHA256", "FULL_OBJECT"), ("CRC64NVME", "COMPOSITE")],
)
def test_a_checksum_type_that_an_algorithm_has_not_is_refused(
    s3: S3Client, bucket: str, algorithm: str, kind: str
) -> None:
    refused = refusal(
        s3.create_multipart_upload,
        Bucket=bucket,
        Key="k",
        ChecksumAlgorithm=algorithm,
        ChecksumType=kind,
    )
    assert refused == (400, "InvalidRequest")


@pytest.mark.parametrize(
    "headers",
    [{"x-amz-checksum-type": "FULL_OBJECT"}, {"x-amz-checksum-algorithm": "XXHASH64"}],
)
def test_checksums_that_are_not_there_are_refused(
    server: LocalServer, bucket: str, headers: dict[str, str]
) -> None:
    answer = send(server, Request("POST", bucket, "k", headers, "uploads="))
    assert (answer.status, answer.code) == (400, "InvalidRequest")


def test_mp1_parts_are_listed_in_pages_without_gaps(s3: S3Client, bucket: str) -> None:
    upload_id = begin(s3, bucket, "k")
    numbers = [1, 2, 5, 100, 9999, 10_000]
    etags = [upload(s3, bucket, "k", upload_id, number) for number in reversed(numbers)]
    pages = list(
        s3.get_paginator("list_parts").paginate(
            Bucket=bucket, Key="k", UploadId=upload_id, PaginationConfig={"PageSize": 2}
        )
    )
    parts = [part for page in pages for part in page["Parts"]]
    assert [part["PartNumber"] for part in parts] == numbers
    assert [part["ETag"] for part in parts] == etags[::-1]
    assert [part["Size"] for part in parts] == [len(b"part %d" % n) for n in numbers]
    assert [page["IsTruncated"] for page in pages] == [True, True, False]
    assert (
        parts[0]["ChecksumCRC32"]
        == base64.b64encode(zlib.crc32(b"part 1").to_bytes(4, "big")).decode()
    )
    empty = s3.list_parts(Bucket=bucket, Key="k", UploadId=upload_id, MaxParts=0)
    assert ("Parts" in empty, empty["IsTruncated"]) == (False, False)
    last = s3.list_parts(Bucket=bucket, Key="k", UploadId=upload_id, PartNumberMarker=10_000)
    assert "Parts" not in last


@pytest.mark.parametrize(
    "query", ["max-parts=-1", "max-parts=x", "part-number-marker=-1", "part-number-marker=x"]
)
def test_numbers_of_list_parts_are_checked(
    server: LocalServer, s3: S3Client, bucket: str, query: str
) -> None:
    upload_id = begin(s3, bucket, "k")
    answer = send(server, Request("GET", bucket, "k", query=f"uploadId={upload_id}&{query}"))
    assert (answer.status, answer.code) == (400, "InvalidArgument")


@pytest.mark.parametrize("upload_id", [UNKNOWN_ID, "x", "../..", "0" * 31 + "G"])
def test_an_unknown_upload(s3: S3Client, bucket: str, upload_id: str) -> None:
    params: dict[str, Any] = {"Bucket": bucket, "Key": "k", "UploadId": upload_id}
    parts = {"Parts": [{"PartNumber": 1, "ETag": "0" * 32}]}
    assert refusal(s3.list_parts, **params) == (404, "NoSuchUpload")
    assert refusal(s3.abort_multipart_upload, **params) == (404, "NoSuchUpload")
    refused = refusal(s3.complete_multipart_upload, **params, MultipartUpload=parts)
    assert refused == (404, "NoSuchUpload")
    refused = refusal(s3.upload_part, **params, PartNumber=1, Body=b"")
    assert refused == (404, "NoSuchUpload")


def test_mp10_after_abort_there_is_no_upload(s3: S3Client, bucket: str) -> None:
    upload_id = begin(s3, bucket, "k")
    etag = upload(s3, bucket, "k", upload_id, 1)
    params: dict[str, Any] = {"Bucket": bucket, "Key": "k", "UploadId": upload_id}
    s3.abort_multipart_upload(**params)
    parts = {"Parts": [{"PartNumber": 1, "ETag": etag}]}
    for call, more in (
        (s3.upload_part, {"PartNumber": 1, "Body": b""}),
        (s3.list_parts, {}),
        (s3.complete_multipart_upload, {"MultipartUpload": parts}),
        (s3.abort_multipart_upload, {}),
    ):
        assert refusal(call, **params, **more) == (404, "NoSuchUpload")
    assert "Uploads" not in s3.list_multipart_uploads(Bucket=bucket)


def test_an_upload_belongs_to_its_key(s3: S3Client, bucket: str) -> None:
    upload_id = begin(s3, bucket, "k")
    refused = refusal(s3.list_parts, Bucket=bucket, Key="other", UploadId=upload_id)
    assert refused == (404, "NoSuchUpload")


def test_open_uploads_are_listed_in_pages(s3: S3Client, bucket: str) -> None:
    keys = ["a", "a", "b/1", "b/2", "c", "é"]
    ids = [begin(s3, bucket, key) for key in keys]
    pages = list(
        s3.get_paginator("list_multipart_uploads").paginate(
            Bucket=bucket, PaginationConfig={"PageSize": 2}
        )
    )
    found = [(entry["Key"], entry["UploadId"]) for page in pages for entry in page["Uploads"]]
    assert found == list(zip(keys, ids, strict=True))
    assert [page["IsTruncated"] for page in pages] == [True, True, False]
    none = s3.list_multipart_uploads(Bucket=bucket, MaxUploads=0)
    assert ("Uploads" in none, none["IsTruncated"]) == (False, False)


def test_open_uploads_below_a_delimiter_are_one_prefix(s3: S3Client, bucket: str) -> None:
    for key in ("a", "b/1", "b/2", "b/c/3", "d"):
        begin(s3, bucket, key)
    found: list[str] = []
    marker: dict[str, Any] = {}
    while True:
        page = s3.list_multipart_uploads(
            Bucket=bucket, Delimiter="/", MaxUploads=1, EncodingType="url", **marker
        )
        found += [entry["Key"] for entry in page.get("Uploads", [])]
        found += [entry["Prefix"] for entry in page.get("CommonPrefixes", [])]
        if not page["IsTruncated"]:
            break
        assert len(found) < 10
        marker = {
            "KeyMarker": page["NextKeyMarker"],
            "UploadIdMarker": page.get("NextUploadIdMarker", ""),
        }
    assert [unquote(name) for name in found] == ["a", "b/", "d"]
    inside = s3.list_multipart_uploads(Bucket=bucket, Prefix="b/", Delimiter="/")
    assert [entry["Key"] for entry in inside["Uploads"]] == ["b/1", "b/2"]
    assert [entry["Prefix"] for entry in inside["CommonPrefixes"]] == ["b/c/"]
