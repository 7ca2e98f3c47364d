"""SEC13: what a request says has one reading, wherever it says it, and nothing of it is ignored."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.s3.raw_http import connect, exchange, head_bytes
from tests.s3.signing import Request, send, signed_headers

if TYPE_CHECKING:
    from mypy_boto3_s3.client import S3Client

    from openlake.testing import LocalServer

OTHER_OWNER = "1" * 64
CRC32_OF_HELLO = "NhCmhg=="  # 0x3610a686, in many published examples


@pytest.mark.parametrize(
    ("query", "status", "code"),
    [
        (f"x-amz-expected-bucket-owner={OTHER_OWNER}", 403, "AccessDenied"),
        ("x-amz-checksum-crc32=AAAAAA%3D%3D", 400, "BadDigest"),
        ("x-amz-acl=public-read", 501, "NotImplemented"),
        ("X-Amz-Server-Side-Encryption=AES256", 501, "NotImplemented"),
        ("x-amz-write-offset-bytes=5", 501, "NotImplemented"),
        ("x-amz-surprise", 501, "NotImplemented"),
        ("X-Amz-Date=20261201T000000Z", 400, "InvalidArgument"),
        ("X-Amz-Security-Token=x", 400, "InvalidArgument"),
        ("x-foo=1", 501, "NotImplemented"),
    ],
)
def test_sec13_a_put_signed_by_header_reads_its_query(
    server: LocalServer, s3: S3Client, bucket: str, query: str, status: int, code: str
) -> None:
    """Such parameters stand for headers in a presigned URL; here they mean the same."""
    s3.put_object(Bucket=bucket, Key="k", Body=b"before")
    answer = send(server, Request("PUT", bucket, "k", query=query, body=b"hello"))
    assert (answer.status, answer.code) == (status, code)
    assert s3.get_object(Bucket=bucket, Key="k")["Body"].read() == b"before"


def test_sec13_parameters_in_place_of_headers_count(
    server: LocalServer, s3: S3Client, bucket: str
) -> None:
    query = f"x-amz-meta-made-by=me&x-amz-checksum-crc32={CRC32_OF_HELLO.replace('=', '%3D')}"
    assert send(server, Request("PUT", bucket, "k", query=query, body=b"hello")).status == 200
    found = s3.head_object(Bucket=bucket, Key="k", ChecksumMode="ENABLED")
    assert found["Metadata"] == {"made-by": "me"}
    assert found["ChecksumCRC32"] == CRC32_OF_HELLO


def test_sec13_a_source_in_the_query_is_copied(
    server: LocalServer, s3: S3Client, bucket: str
) -> None:
    s3.put_object(Bucket=bucket, Key="source", Body=b"whole")
    query = f"x-amz-copy-source=%2F{bucket}%2Fsource"
    assert send(server, Request("PUT", bucket, "copy", query=query)).status == 200
    assert s3.get_object(Bucket=bucket, Key="copy")["Body"].read() == b"whole"


def test_xm10_a_bucket_is_not_deleted_by_a_request_that_says_more(
    server: LocalServer, s3: S3Client, bucket: str
) -> None:
    for query in ("x-foo=1", "Expires=1", "x-amz-mfa=1", "x-openlake-surprise=1"):
        answer = send(server, Request("DELETE", bucket, "", query=query))
        assert (answer.status, answer.code) == (501, "NotImplemented"), query
    s3.head_bucket(Bucket=bucket)


@pytest.mark.parametrize(
    "name", ["If-Match", "If-None-Match", "If-Modified-Since", "If-Unmodified-Since", "If-Range"]
)
def test_sec13_a_condition_is_given_once(
    server: LocalServer, s3: S3Client, bucket: str, name: str
) -> None:
    """The first of two lines must not hide the second."""
    s3.put_object(Bucket=bucket, Key="k", Body=b"x")
    for method in ("GET", "PUT", "DELETE"):
        request = Request(method, bucket, "k")
        head = head_bytes(method, request.target, signed_headers(server, request))
        twice = f'{name}: "a"\r\n{name}: "b"\r\n'.encode()
        answer = exchange(server, [head.removesuffix(b"\r\n") + twice + b"\r\n"], method)
        assert (answer.status, answer.code) == (400, "InvalidArgument"), method
    assert s3.get_object(Bucket=bucket, Key="k")["Body"].read() == b"x"


def test_sec9_our_own_headers_are_signed_and_given_once(
    server: LocalServer, s3: S3Client, bucket: str
) -> None:
    upload = s3.create_multipart_upload(Bucket=bucket, Key="k")["UploadId"]
    request = Request("PUT", bucket, "k", query=f"partNumber=1&uploadId={upload}")
    head = head_bytes("PUT", request.target, signed_headers(server, request))
    head = head.removesuffix(b"\r\n")
    line = b"x-openlake-part-etag: crc64nvme\r\n"
    unsigned = exchange(server, [head + line + b"\r\n"], "PUT")
    assert (unsigned.status, unsigned.code) == (403, "AccessDenied")
    twice = exchange(server, [head + line + line + b"\r\n"], "PUT")
    assert (twice.status, twice.code) == (400, "InvalidArgument")
    assert "Parts" not in s3.list_parts(Bucket=bucket, Key="k", UploadId=upload)
    s3.abort_multipart_upload(Bucket=bucket, Key="k", UploadId=upload)


@pytest.mark.parametrize(
    ("bucket_name", "headers", "status"),
    [
        ("no-such-bucket-here", {}, b"404"),
        (None, {"x-amz-expected-bucket-owner": OTHER_OWNER}, b"403"),
    ],
)
def test_cn1_a_control_verb_asks_for_no_body_that_it_refuses(
    server: LocalServer,
    bucket: str,
    bucket_name: str | None,
    headers: dict[str, str],
    status: bytes,
) -> None:
    expects = {"Expect": "100-continue", **headers}
    body = b"<Delete><Object><Key>k</Key></Object></Delete>"
    request = Request("POST", bucket_name or bucket, "", expects, query="delete", body=body)
    with connect(server) as connection:
        connection.sendall(head_bytes("POST", request.target, signed_headers(server, request)))
        assert connection.recv(12) == b"HTTP/1.1 " + status
