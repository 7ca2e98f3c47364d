"""A query parameter that a control verb does not have in the service model is refused by name."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.s3.raw_http import exchange, head_bytes
from tests.s3.signing import Request, presigned_target, send

if TYPE_CHECKING:
    from mypy_boto3_s3.client import S3Client

    from openlake.testing import LocalServer

VERBS = {
    "GetBucketLocation": ("GET", "", "location="),
    "HeadBucket": ("HEAD", "", ""),
    "ListMultipartUploads": ("GET", "", "uploads="),
    "ListParts": ("GET", "k", "uploadId={upload}"),
}


@pytest.fixture
def upload(s3: S3Client, bucket: str) -> str:
    """An open upload of the key `k`."""
    return s3.create_multipart_upload(Bucket=bucket, Key="k")["UploadId"]


@pytest.mark.parametrize(
    ("verb", "parameter"),
    [
        ("GetBucketLocation", "versionId=foo"),
        ("ListMultipartUploads", "uploadId=x"),
        ("ListMultipartUploads", "max-keys=1"),
        ("HeadBucket", "surprise=1"),
        ("ListParts", "encoding-type=url"),
    ],
)
def test_a_parameter_that_the_verb_does_not_have(
    server: LocalServer, bucket: str, upload: str, verb: str, parameter: str
) -> None:
    method, key, query = VERBS[verb]
    query = "&".join(filter(None, [query.format(upload=upload), parameter]))
    answer = send(server, Request(method, bucket, key, query=query))
    assert answer.status == 501
    if method != "HEAD":
        assert answer.code == "NotImplemented"
        assert parameter.partition("=")[0] in answer.element("Message")


def test_a_list_of_buckets_has_max_buckets(server: LocalServer) -> None:
    target = Request("GET", "", "", query="max-keys=-1")
    answer = send(server, target)
    assert (answer.status, answer.code) == (501, "NotImplemented")
    assert "max-keys" in answer.element("Message")
    assert send(server, Request("GET", "", "", query="max-buckets=1")).status == 200


def test_only_the_unknown_parameters_are_named(server: LocalServer, bucket: str) -> None:
    request = Request("GET", bucket, "", query="continuation-token=t&max-keys=1&prefix=a")
    answer = send(server, request)
    assert answer.status == 501
    assert answer.element("Message").endswith(": continuation-token")


@pytest.mark.parametrize("verb", ["GetBucketLocation", "HeadBucket", "ListParts"])
def test_what_software_kits_add_is_no_parameter(
    server: LocalServer, bucket: str, upload: str, verb: str
) -> None:
    """The JavaScript SDK's `x-id`, and the `X-Amz-*` of a presigned URL."""
    method, key, query = VERBS[verb]
    query = "&".join(filter(None, [query.format(upload=upload), f"x-id={verb}"]))
    request = Request(method, bucket, key, query=query)
    assert send(server, request).status == 200
    host = {"Host": server.endpoint.removeprefix("http://")}
    head = head_bytes(method, presigned_target(server, request), host)
    assert exchange(server, [head], method).status == 200
