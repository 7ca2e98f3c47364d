"""What this release does not have is refused by name, before anything is done."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from openlake.control.refused import REFUSED
from openlake.s3model import load
from tests.s3.errors import refusal
from tests.s3.signing import Request, send

if TYPE_CHECKING:
    from typing import Any

    from mypy_boto3_s3.client import S3Client

    from openlake.testing import LocalServer

UNREACHABLE = {"ListDirectoryBuckets", "WriteGetObjectResponse"}
NAMED = sorted(name for name in REFUSED - UNREACHABLE if load().operations[name].alias_of is None)


def request_of(name: str, bucket: str) -> Request:
    """The barest request of an operation."""
    operation = load().operations[name]
    query = [f"{key}={value}" for key, value in operation.markers.items()]
    query += [f"{key}=1" for kind, key in sorted(operation.discriminators) if kind == "query"]
    headers = {key: "a/b" for kind, key in operation.discriminators if kind == "header"}
    key = "k" if operation.level == "object" else ""
    return Request(operation.method, bucket, key, headers, "&".join(query))


@pytest.mark.parametrize("name", NAMED)
def test_xm10_an_operation_that_is_not_there_is_named(
    server: LocalServer, bucket: str, name: str
) -> None:
    request = request_of(name, bucket)
    answer = send(server, request)
    assert answer.status == 501
    if request.method != "HEAD":
        assert answer.code == "NotImplemented"
        assert name in answer.element("Message")


@pytest.mark.parametrize("target", ["DELETE ?foo", "PUT k?append", "PUT k?uploadId=1"])
def test_xm10_an_unknown_subresource_runs_no_plain_verb(
    server: LocalServer, s3: S3Client, bucket: str, target: str
) -> None:
    s3.put_object(Bucket=bucket, Key="k", Body=b"kept")
    method, _, rest = target.partition(" ")
    key, _, query = rest.partition("?")
    answer = send(server, Request(method, bucket, key, query=query))
    assert (answer.status, answer.code) == (501, "NotImplemented")
    assert s3.get_object(Bucket=bucket, Key="k")["Body"].read() == b"kept"


def test_xm11_post_to_the_root_is_no_method(server: LocalServer) -> None:
    answer = send(server, Request("POST", "", ""))
    assert (answer.status, answer.code) == (405, "MethodNotAllowed")
    # RFC 9110 section 15.5.6; the service itself has ListBuckets alone.
    assert answer.headers["allow"] == "GET"


@pytest.mark.parametrize(
    ("header", "params"),
    [
        ("x-amz-server-side-encryption", {"ServerSideEncryption": "AES256"}),
        ("x-amz-tagging", {"Tagging": "a=b"}),
        ("x-amz-acl", {"ACL": "public-read"}),
        ("x-amz-grant-read", {"GrantRead": "id=1"}),
        ("x-amz-storage-class", {"StorageClass": "GLACIER"}),
        ("x-amz-website-redirect-location", {"WebsiteRedirectLocation": "/"}),
        ("x-amz-object-lock-legal-hold", {"ObjectLockLegalHoldStatus": "ON"}),
    ],
)
def test_a_header_for_what_is_not_there_is_named(
    s3: S3Client, bucket: str, header: str, params: dict[str, Any]
) -> None:
    calls: list[tuple[Any, dict[str, str]]] = [
        (s3.create_multipart_upload, {}),
        (s3.copy_object, {"CopySource": f"{bucket}/source"}),
    ]
    for call, more in calls:
        with pytest.raises(s3.exceptions.ClientError, match=header) as caught:
            call(Bucket=bucket, Key="k", **more, **params)
        assert caught.value.response["Error"]["Code"] == "NotImplemented"


def test_headers_that_say_what_is_so_are_taken(s3: S3Client, bucket: str) -> None:
    begun = s3.create_multipart_upload(
        Bucket=bucket, Key="k", ACL="private", StorageClass="STANDARD"
    )
    s3.abort_multipart_upload(Bucket=bucket, Key="k", UploadId=begun["UploadId"])


def test_object_lock_of_a_new_bucket_is_refused(s3: S3Client) -> None:
    refused = refusal(s3.create_bucket, Bucket="test-lock", ObjectLockEnabledForBucket=True)
    assert refused == (501, "NotImplemented")


def test_hd7_a_refusal_is_an_xml_document_with_the_request_id(
    server: LocalServer, bucket: str
) -> None:
    answer = send(server, Request("GET", bucket, "", query="versioning="))
    assert answer.headers["content-type"] == "application/xml"
    assert answer.element("RequestId") == answer.headers["x-amz-request-id"]
    assert answer.element("Resource") == f"/{bucket}/"
