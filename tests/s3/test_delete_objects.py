"""DeleteObjects: many keys, each its own success or error."""

from __future__ import annotations

import base64
import hashlib
from typing import TYPE_CHECKING

import pytest

from tests.s3.errors import refusal
from tests.s3.signing import Request, send

if TYPE_CHECKING:
    from mypy_boto3_s3.client import S3Client

    from openlake.testing import LocalServer
    from tests.s3.raw_http import Answer


def delete(
    server: LocalServer, bucket: str, body: str, headers: dict[str, str] | None = None
) -> Answer:
    request = Request("POST", bucket, "", headers or {}, "delete=", body.encode())
    return send(server, request)


def md5(body: str) -> dict[str, str]:
    return {"Content-MD5": base64.b64encode(hashlib.md5(body.encode()).digest()).decode()}


def document(*keys: str) -> str:
    entries = "".join(f"<Object><Key>{key}</Key></Object>" for key in keys)
    return f"<Delete>{entries}</Delete>"


def test_keys_are_deleted_also_those_that_never_were(s3: S3Client, bucket: str) -> None:
    """VR6: deleting what is not there succeeds."""
    keys = ["a", "a/b", "dir/", "é", "x y"]
    for key in keys:
        s3.put_object(Bucket=bucket, Key=key, Body=b"1")
    wanted = [*keys[:4], "never"]
    answer = s3.delete_objects(Bucket=bucket, Delete={"Objects": [{"Key": key} for key in wanted]})
    assert [entry["Key"] for entry in answer["Deleted"]] == wanted
    assert answer.get("Errors", []) == []
    left = s3.list_objects_v2(Bucket=bucket)["Contents"]
    assert [entry["Key"] for entry in left] == ["x y"]


def test_quiet_answers_only_errors(s3: S3Client, bucket: str) -> None:
    s3.put_object(Bucket=bucket, Key="k", Body=b"1")
    wanted = [{"Key": "k"}, {"Key": "v", "VersionId": "3sL4kqtJlcpXroDTDmJ"}]
    answer = s3.delete_objects(Bucket=bucket, Delete={"Objects": wanted, "Quiet": True})  # type: ignore[typeddict-item]
    assert answer.get("Deleted", []) == []
    assert [(entry["Key"], entry["Code"]) for entry in answer["Errors"]] == [
        ("v", "NotImplemented")
    ]


def test_vr9_one_to_a_thousand_keys(server: LocalServer, s3: S3Client, bucket: str) -> None:
    keys = [f"k{number:04}" for number in range(1001)]
    s3.put_object(Bucket=bucket, Key=keys[0], Body=b"1")
    for body in (document(*keys), document(), document("")):
        answer = delete(server, bucket, body, md5(body))
        assert (answer.status, answer.code) == (400, "MalformedXML")
    assert s3.list_objects_v2(Bucket=bucket)["KeyCount"] == 1
    body = document(*keys[:1000])
    answer = delete(server, bucket, body, md5(body))
    assert answer.status == 200
    assert answer.body.count(b"<Deleted>") == 1000
    assert s3.list_objects_v2(Bucket=bucket)["KeyCount"] == 0


def test_ck14_a_digest_of_the_body_is_required(
    server: LocalServer, s3: S3Client, bucket: str
) -> None:
    s3.put_object(Bucket=bucket, Key="k", Body=b"1")
    body = document("k")
    answer = delete(server, bucket, body)
    assert (answer.status, answer.code) == (400, "InvalidRequest")
    answer = delete(server, bucket, body, md5("another"))
    assert (answer.status, answer.code) == (400, "BadDigest")
    answer = delete(server, bucket, body, {"Content-MD5": "not base64"})
    assert (answer.status, answer.code) == (400, "InvalidDigest")
    assert s3.list_objects_v2(Bucket=bucket)["KeyCount"] == 1
    sha256 = base64.b64encode(hashlib.sha256(body.encode()).digest()).decode()
    answer = delete(server, bucket, body, {"x-amz-checksum-sha256": sha256})
    assert answer.status == 200
    assert s3.list_objects_v2(Bucket=bucket)["KeyCount"] == 0


def test_an_etag_is_a_condition_of_its_key(s3: S3Client, bucket: str) -> None:
    """CD13, key by key."""
    for key in ("same", "other"):
        s3.put_object(Bucket=bucket, Key=key, Body=b"1")
    etag = s3.head_object(Bucket=bucket, Key="same")["ETag"]
    wanted = [{"Key": "same", "ETag": etag}, {"Key": "other", "ETag": '"' + "0" * 32 + '"'}]
    answer = s3.delete_objects(Bucket=bucket, Delete={"Objects": wanted})  # type: ignore[typeddict-item]
    assert [entry["Key"] for entry in answer["Deleted"]] == ["same"]
    assert [(entry["Key"], entry["Code"]) for entry in answer["Errors"]] == [
        ("other", "PreconditionFailed")
    ]


def test_ky6_a_key_that_is_too_long_is_an_error_of_its_own(s3: S3Client, bucket: str) -> None:
    wanted = [{"Key": "k" * 1025}, {"Key": "k" * 1024}]
    answer = s3.delete_objects(Bucket=bucket, Delete={"Objects": wanted})  # type: ignore[typeddict-item]
    assert [entry["Code"] for entry in answer["Errors"]] == ["KeyTooLongError"]
    assert [entry["Key"] for entry in answer["Deleted"]] == ["k" * 1024]


@pytest.mark.parametrize("body", ["", "<Delete>", "<Other/>", "<!DOCTYPE a><Delete/>"])
def test_sec30_a_document_that_is_none_is_refused(
    server: LocalServer, bucket: str, body: str
) -> None:
    answer = delete(server, bucket, body, md5(body))
    assert answer.status == 400
    assert answer.code in {"MalformedXML", "MissingRequestBodyError"}


def test_an_unknown_bucket(s3: S3Client) -> None:
    wanted = {"Objects": [{"Key": "k"}]}
    assert refusal(s3.delete_objects, Bucket="test-not-there", Delete=wanted) == (
        404,
        "NoSuchBucket",
    )
