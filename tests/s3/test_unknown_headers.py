"""A header that a control verb does not have in the service model is refused by its name."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.s3.raw_http import exchange, head_bytes
from tests.s3.signing import Request, send, signed_headers

if TYPE_CHECKING:
    from mypy_boto3_s3.client import S3Client

    from openlake.testing import LocalServer

VERBS = {
    "AbortMultipartUpload": ("DELETE", "k", "uploadId={upload}"),
    "CreateBucket": ("PUT", "", ""),
    "CreateMultipartUpload": ("POST", "k", "uploads="),
    "DeleteBucket": ("DELETE", "", ""),
    "GetBucketLocation": ("GET", "", "location="),
    "HeadBucket": ("HEAD", "", ""),
    "ListMultipartUploads": ("GET", "", "uploads="),
    "ListParts": ("GET", "k", "uploadId={upload}"),
}
# Headers of the requests of the S3 API reference that have none of them.
NOWHERE = [
    "x-openlake-surprise",
    "x-openlake-part-etag",
    "x-amz-checksum-mode",
    "if-modified-since",
    "if-unmodified-since",
    "if-match",
    "if-none-match",
]


@pytest.fixture
def upload(s3: S3Client, bucket: str) -> str:
    """An open upload of the key `k`."""
    return s3.create_multipart_upload(Bucket=bucket, Key="k")["UploadId"]


@pytest.mark.parametrize("header", NOWHERE)
@pytest.mark.parametrize("verb", VERBS)
def test_a_header_of_no_such_verb(
    server: LocalServer, bucket: str, upload: str, verb: str, header: str
) -> None:
    method, key, query = VERBS[verb]
    request = Request(method, bucket, key, {header: "*"}, query.format(upload=upload))
    answer = send(server, request)
    assert answer.status == 501
    if method != "HEAD":
        assert (answer.code, answer.element("Header")) == ("NotImplemented", header)


@pytest.mark.parametrize(
    ("verb", "header"),
    [
        ("ListParts", "x-amz-checksum-type"),
        ("AbortMultipartUpload", "x-amz-checksum-algorithm"),
        ("HeadBucket", "x-amz-checksum-type"),
        ("CreateBucket", "x-amz-expected-bucket-owner"),
    ],
)
def test_a_header_of_other_verbs(
    server: LocalServer, bucket: str, upload: str, verb: str, header: str
) -> None:
    method, key, query = VERBS[verb]
    request = Request(method, bucket, key, {header: "SHA256"}, query.format(upload=upload))
    assert send(server, request).status == 501


@pytest.mark.parametrize("header", ["if-modified-since", "if-unmodified-since"])
def test_a_copy_has_no_dates_of_its_target(
    server: LocalServer, s3: S3Client, bucket: str, header: str
) -> None:
    s3.put_object(Bucket=bucket, Key="source", Body=b"v")
    headers = {"x-amz-copy-source": f"{bucket}/source", header: "Sun, 06 Nov 1994 08:49:37 GMT"}
    answer = send(server, Request("PUT", bucket, "k", headers))
    assert (answer.status, answer.element("Header")) == (501, header)


@pytest.mark.parametrize("verb", VERBS)
def test_who_pays_is_the_requester(
    server: LocalServer, bucket: str, upload: str, verb: str
) -> None:
    """`requester` is the one value of the RequestPayer type."""
    method, key, query = VERBS[verb]
    headers = {"x-amz-request-payer": "nonsense"}
    answer = send(server, Request(method, bucket, key, headers, query.format(upload=upload)))
    assert answer.status == 400
    if method != "HEAD":
        assert (answer.code, answer.element("ArgumentValue")) == ("InvalidArgument", "nonsense")


def test_put_takes_no_content_range(server: LocalServer, s3: S3Client, bucket: str) -> None:
    """RFC 9110 section 14.5."""
    s3.put_object(Bucket=bucket, Key="source", Body=b"v")
    headers = {"x-amz-copy-source": f"{bucket}/source", "Content-Range": "bytes 0-0/1"}
    answer = send(server, Request("PUT", bucket, "k", headers))
    assert (answer.status, answer.code) == (400, "InvalidRequest")


@pytest.mark.parametrize("verb", ["CreateMultipartUpload", "GetBucketLocation", "HeadBucket"])
def test_bytes_of_an_unread_header_may_be_any(server: LocalServer, bucket: str, verb: str) -> None:
    """obs-text of RFC 9110 section 5.5; `head_bytes` writes Latin-1."""
    method, key, query = VERBS[verb]
    request = Request(method, bucket, key, query=query)
    headers = {**signed_headers(server, request), "User-Agent": "caf\xe9"}
    assert exchange(server, [head_bytes(method, request.target, headers)], method).status == 200


def test_bytes_of_what_is_stored_are_text(server: LocalServer, bucket: str) -> None:
    request = Request("POST", bucket, "k", query="uploads=")
    headers = {**signed_headers(server, request), "Cache-Control": "caf\xe9"}
    answer = exchange(server, [head_bytes("POST", request.target, headers)], "POST")
    assert (answer.status, answer.code) == (400, "InvalidArgument")
