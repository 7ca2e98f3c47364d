"""Input that no client library would send: refused clearly, nothing stored, the server goes on."""

from __future__ import annotations

import base64
import hashlib
import socket
from typing import TYPE_CHECKING

import pytest
from botocore.exceptions import ClientError

from tests.s3.raw_http import Answer, closes_after_answer, connect, exchange, head_bytes
from tests.s3.signing import Request, send, signed_headers

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mypy_boto3_s3.client import S3Client

    from openlake.testing import LocalServer


@pytest.fixture(autouse=True)
def goes_on(s3: S3Client) -> Iterator[None]:
    """After each test the server still answers."""
    yield
    assert "Buckets" in s3.list_buckets()


@pytest.mark.parametrize(
    "data",
    [
        b"GET\r\n\r\n",
        b"GET /\r\nHost: x\r\n\r\n",
        b"G@T / HTTP/1.1\r\nHost: x\r\n\r\n",
        b"GET / HTTP/9.9\r\nHost: x\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: x\r\nno colon here\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: x\r\nX-Nul: a\x00b\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: x\r\nBad Name: a\r\n\r\n",
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03hello\r\n\r\n",
        b"PUT /b/k HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n",
        b"PUT /b/k HTTP/1.1\r\nHost: x\r\nContent-Length: 1x\r\n\r\n",
        b"PUT /b/k HTTP/1.1\r\nHost: x\r\nContent-Length: 99999999999999999999\r\n\r\n",
        b"PUT /b/k HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n",
        b"PUT /b/k HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n",
    ],
)
def test_a_malformed_head_is_400_and_closed(server: LocalServer, data: bytes) -> None:
    """CN10."""
    assert closes_after_answer(server, data).status == 400


def put_altered(server: LocalServer, bucket: str, body: bytes) -> Answer:
    """PUT with headers that were signed for another body of the same length."""
    request = Request("PUT", bucket, "k", body=b"a" * len(body))
    head = head_bytes("PUT", request.target, signed_headers(server, request))
    return exchange(server, [head, body], "PUT")


@pytest.mark.parametrize("size_bytes", [10, 3_000_000])
def test_a_changed_body_byte_is_noticed(
    server: LocalServer, s3: S3Client, bucket: str, size_bytes: int
) -> None:
    """SEC2: the signed payload hash binds the body; the old object stays."""
    s3.put_object(Bucket=bucket, Key="k", Body=b"before")
    body = b"a" * (size_bytes - 1) + b"b"
    answer = put_altered(server, bucket, body)
    assert (answer.status, answer.code) == (400, "XAmzContentSHA256Mismatch")
    assert s3.get_object(Bucket=bucket, Key="k")["Body"].read() == b"before"


@pytest.mark.parametrize(
    ("name", "text", "code"),
    [
        (
            "Content-MD5",
            base64.b64encode(hashlib.md5(b"other", usedforsecurity=False).digest()).decode(),
            "BadDigest",
        ),
        ("Content-MD5", "not base64", "InvalidDigest"),
        ("Content-MD5", "AAAA", "InvalidDigest"),
        ("x-amz-checksum-crc32", "AAAAAA==", "BadDigest"),
        ("x-amz-checksum-crc32c", "AAAAAA==", "BadDigest"),
        ("x-amz-checksum-crc64nvme", "AAAAAAAAAAA=", "BadDigest"),
        ("x-amz-checksum-sha1", base64.b64encode(bytes(20)).decode(), "BadDigest"),
        ("x-amz-checksum-sha256", base64.b64encode(bytes(32)).decode(), "BadDigest"),
        ("x-amz-checksum-crc32", "AAAA", "InvalidRequest"),
        ("x-amz-checksum-md4", "AAAA", "InvalidRequest"),
        ("x-amz-sdk-checksum-algorithm", "CRC32", "InvalidRequest"),
    ],
)
def test_a_digest_that_does_not_fit(
    server: LocalServer, s3: S3Client, bucket: str, name: str, text: str, code: str
) -> None:
    """CK7, CK16."""
    answer = send(server, Request("PUT", bucket, "k", {name: text}, body=b"body"))
    assert (answer.status, answer.code) == (400, code)
    with pytest.raises(ClientError, match="404"):
        s3.head_object(Bucket=bucket, Key="k")


@pytest.mark.parametrize("sent_bytes", [0, 1000, 1_500_000])
def test_a_cut_upload_leaves_the_old_object(
    server: LocalServer, s3: S3Client, bucket: str, sent_bytes: int
) -> None:
    """The client dies in the middle of the body."""
    s3.put_object(Bucket=bucket, Key="k", Body=b"before")
    request = Request("PUT", bucket, "k", body=b"a" * 2_000_000)
    head = head_bytes("PUT", request.target, signed_headers(server, request))
    with connect(server) as connection:
        connection.sendall(head + request.body[:sent_bytes])
        connection.shutdown(socket.SHUT_WR)
        # Whatever the server says, it has noticed when it closes.
        while connection.recv(65_536):
            pass
    assert s3.get_object(Bucket=bucket, Key="k")["Body"].read() == b"before"


def test_a_length_is_required(server: LocalServer, bucket: str) -> None:
    """411 MissingContentLength, with chunks and without (ST16); no coding but chunked."""
    request = Request("PUT", bucket, "k")
    headers = signed_headers(server, request)
    del headers["Content-Length"]
    for coding, body, status, code in [
        ("", b"", 411, "MissingContentLength"),
        ("chunked", b"0\r\n\r\n", 411, "MissingContentLength"),
        ("gzip", b"", 501, "NotImplemented"),
    ]:
        more = {"Transfer-Encoding": coding} if coding else {}
        head = head_bytes("PUT", request.target, {**headers, **more})
        answer = exchange(server, [head, body], "PUT")
        assert (answer.status, answer.code) == (status, code), coding


def test_names_that_do_not_exist(server: LocalServer, bucket: str) -> None:
    """Unknown bucket, key and upload."""
    nobody = "no-such-bucket-here"
    for request, code in [
        (Request("GET", nobody, "k"), "NoSuchBucket"),
        (Request("PUT", nobody, "k", body=b"x"), "NoSuchBucket"),
        (Request("GET", bucket, "k"), "NoSuchKey"),
        (Request("PUT", bucket, "k", query=f"partNumber=1&uploadId={'0' * 32}"), "NoSuchUpload"),
        (Request("PUT", bucket, "k", query="partNumber=1&uploadId=x"), "NoSuchUpload"),
    ]:
        answer = send(server, request)
        assert (answer.status, answer.code) == (404, code), request
    assert send(server, Request("DELETE", bucket, "k")).status == 204


def test_key_lengths(server: LocalServer, s3: S3Client, bucket: str) -> None:
    """KY6: 1,024 bytes of UTF-8, in one component or more; not one byte above."""
    for key in ("k" * 1024, "\u00e9" * 512, "d/" * 511 + "k"):
        s3.put_object(Bucket=bucket, Key=key, Body=b"x")
        assert s3.head_object(Bucket=bucket, Key=key)["ContentLength"] == 1
    for key in ("k" * 1025, "\u00e9" * 513):
        answer = send(server, Request("PUT", bucket, key, body=b"x"))
        assert (answer.status, answer.code) == (400, "KeyTooLongError")


@pytest.mark.parametrize("text", ["bytes=4-", "bytes=100-200", "bytes=-0"])
def test_a_range_beyond_the_end(server: LocalServer, s3: S3Client, bucket: str, text: str) -> None:
    """416 with the document, and the connection is still good."""
    s3.put_object(Bucket=bucket, Key="k", Body=b"body")
    answer = send(server, Request("GET", bucket, "k", {"Range": text}))
    assert (answer.status, answer.code) == (416, "InvalidRange")


@pytest.mark.parametrize("number", ["0", "10001", "-1", "x", ""])
def test_part_numbers(server: LocalServer, s3: S3Client, bucket: str, number: str) -> None:
    """MP2."""
    upload = s3.create_multipart_upload(Bucket=bucket, Key="k")["UploadId"]
    query = f"partNumber={number}&uploadId={upload}"
    answer = send(server, Request("PUT", bucket, "k", query=query, body=b"x"))
    assert (answer.status, answer.code) == (400, "InvalidArgument")
