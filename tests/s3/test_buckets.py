"""Buckets: create, delete, find, list, locate."""

from __future__ import annotations

from typing import TYPE_CHECKING
from uuid import uuid4

import pytest

from tests.s3.errors import refusal
from tests.s3.signing import Request, send

if TYPE_CHECKING:
    from mypy_boto3_s3.client import S3Client

    from openlake.testing import LocalServer

# https://docs.aws.amazon.com/AmazonS3/latest/userguide/bucketnamingrules.html
BAD_NAMES = [
    "ab", "a" * 64, "Upper", "under_score", "-dash", "dash-", ".dot", "dot.", "a..b", "a.-b",
    "a-.b", "192.168.5.4", "xn--bucket", "spa%20ce", "%C3%A9t%C3%A9",
]  # fmt: skip
GOOD_NAMES = ["abc", "a" * 63, "a.b-c.9", "123", "1.2.3"]


def put(server: LocalServer, name: str, configuration: str = "") -> tuple[int, str]:
    body = configuration.encode()
    answer = send(server, Request("PUT", name, "", body=body))
    return answer.status, answer.code


def located(constraint: str) -> str:
    inner = f"<LocationConstraint>{constraint}</LocationConstraint>"
    return f"<CreateBucketConfiguration>{inner}</CreateBucketConfiguration>"


@pytest.mark.parametrize("name", BAD_NAMES)
def test_ky15_a_bad_bucket_name_is_refused(server: LocalServer, name: str) -> None:
    assert put(server, name) == (400, "InvalidBucketName")


@pytest.mark.parametrize("name", GOOD_NAMES)
def test_ky15_a_good_bucket_name_is_taken(s3: S3Client, name: str) -> None:
    assert s3.create_bucket(Bucket=name)["Location"] == f"/{name}"
    s3.delete_bucket(Bucket=name)


def test_xm2_the_location_in_us_east_1_is_empty(
    server: LocalServer, s3: S3Client, bucket: str
) -> None:
    assert s3.get_bucket_location(Bucket=bucket)["LocationConstraint"] is None
    answer = send(server, Request("GET", bucket, "", query="location="))
    assert answer.status == 200
    assert b"<LocationConstraint" in answer.body
    assert answer.element("LocationConstraint") == ""


@pytest.mark.parametrize(
    ("constraint", "code"),
    [
        ("", "InvalidLocationConstraint"),
        ("atlantis-1", "InvalidLocationConstraint"),
        ("eu-west-1", "IllegalLocationConstraintException"),
    ],
)
def test_xm3_a_foreign_location_is_refused(
    server: LocalServer, s3: S3Client, constraint: str, code: str
) -> None:
    name = f"test-{uuid4().hex[:16]}"
    assert put(server, name, located(constraint)) == (400, code)
    assert name not in [bucket["Name"] for bucket in s3.list_buckets()["Buckets"]]


def test_xm3_a_body_that_is_no_configuration_is_malformed(server: LocalServer) -> None:
    assert put(server, "test-malformed", "<Other/>") == (400, "MalformedXML")


def test_xm4_ones_own_bucket_may_be_created_again_in_us_east_1(s3: S3Client, bucket: str) -> None:
    s3.put_object(Bucket=bucket, Key="k", Body=b"kept")
    s3.create_bucket(Bucket=bucket)
    assert s3.get_object(Bucket=bucket, Key="k")["Body"].read() == b"kept"


def test_hd13_head_names_the_region(s3: S3Client, bucket: str) -> None:
    assert s3.head_bucket(Bucket=bucket)["BucketRegion"] == "us-east-1"


def test_hd2_a_failing_head_has_a_region_and_no_body(server: LocalServer) -> None:
    answer = send(server, Request("HEAD", "test-not-there", ""))
    assert (answer.status, answer.body) == (404, b"")
    assert answer.headers["x-amz-bucket-region"] == "us-east-1"


def test_vr17_a_bucket_with_objects_stays(s3: S3Client, bucket: str) -> None:
    s3.put_object(Bucket=bucket, Key="k", Body=b"")
    assert refusal(s3.delete_bucket, Bucket=bucket) == (409, "BucketNotEmpty")
    s3.delete_object(Bucket=bucket, Key="k")


def test_a_bucket_that_is_gone_is_gone(s3: S3Client) -> None:
    name = f"test-{uuid4().hex[:16]}"
    s3.create_bucket(Bucket=name)
    s3.delete_bucket(Bucket=name)
    assert refusal(s3.delete_bucket, Bucket=name) == (404, "NoSuchBucket")
    assert refusal(s3.head_bucket, Bucket=name)[0] == 404
    assert refusal(s3.put_object, Bucket=name, Key="k", Body=b"") == (404, "NoSuchBucket")


def test_ls26_buckets_are_listed_in_pages(s3: S3Client) -> None:
    prefix = f"page-{uuid4().hex[:8]}-"
    names = [f"{prefix}{number}" for number in range(5)]
    for name in reversed(names):
        s3.create_bucket(Bucket=name)
    try:
        pages = list(
            s3.get_paginator("list_buckets").paginate(
                Prefix=prefix, PaginationConfig={"PageSize": 2}
            )
        )
        assert [[entry["Name"] for entry in page["Buckets"]] for page in pages] == [
            names[:2],
            names[2:4],
            names[4:],
        ]
        assert {page["Prefix"] for page in pages} == {prefix}
        regions = {entry["BucketRegion"] for page in pages for entry in page["Buckets"]}
        assert regions == {"us-east-1"}
        assert s3.list_buckets(BucketRegion="eu-west-1", Prefix=prefix)["Buckets"] == []
    finally:
        for name in names:
            s3.delete_bucket(Bucket=name)


@pytest.mark.parametrize("query", ["max-buckets=0", "max-buckets=10001", "max-buckets=x"])
def test_ls26_a_page_has_one_to_ten_thousand(server: LocalServer, query: str) -> None:
    answer = send(server, Request("GET", "", "", query=query))
    assert (answer.status, answer.code) == (400, "InvalidArgument")


@pytest.mark.parametrize("token", ["x", "AAAA", "bm90IG91cnMgYXQgYWxsIG5vdCBvdXJz"])
def test_ls26_a_token_of_somebody_else_is_refused(s3: S3Client, token: str) -> None:
    refused = refusal(s3.list_buckets, ContinuationToken=token, MaxBuckets=1)
    assert refused == (400, "InvalidArgument")


def test_an_owner_that_is_another_is_refused(s3: S3Client, bucket: str) -> None:
    owner = s3.list_buckets()["Owner"]["ID"]
    assert len(owner) == 64
    s3.head_bucket(Bucket=bucket, ExpectedBucketOwner=owner)
    refused = refusal(s3.get_bucket_location, Bucket=bucket, ExpectedBucketOwner="0" * 64)
    assert refused == (403, "AccessDenied")
