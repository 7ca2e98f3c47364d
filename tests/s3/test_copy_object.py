"""CopyObject: the copy is the source, whole, or there is no copy."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING
from urllib.parse import quote

import pytest

from tests.s3.errors import refusal
from tests.s3.signing import Request, send

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from mypy_boto3_s3.client import S3Client

    from openlake.testing import LocalServer

OTHER_ETAG = '"' + "0" * 32 + '"'
PAST = datetime(2001, 1, 1, tzinfo=UTC)


@pytest.fixture
def source(s3: S3Client, bucket: str) -> str:
    """A small object with headers and metadata."""
    s3.put_object(
        Bucket=bucket,
        Key="source",
        Body=b"bytes",
        ContentType="text/x",
        CacheControl="no-cache",
        Metadata={"a": "1", "b": "2"},
    )
    return f"{bucket}/source"


def get(s3: S3Client, bucket: str, key: str) -> Any:
    answer = s3.get_object(Bucket=bucket, Key=key)
    return answer | {"Body": answer["Body"].read()}


@pytest.mark.parametrize("size_bytes", [0, 4096, 65_537, (1 << 20) + 3])
def test_a_copy_has_the_bytes_and_the_checksum_of_its_source(
    s3: S3Client, bucket: str, content: Callable[..., bytes], size_bytes: int
) -> None:
    """CK18; also once the source is gone."""
    body = content(size_bytes)
    put = s3.put_object(Bucket=bucket, Key="a", Body=body, ChecksumAlgorithm="SHA256")
    copied = s3.copy_object(Bucket=bucket, Key="b", CopySource=f"{bucket}/a")["CopyObjectResult"]
    assert copied["ETag"] == put["ETag"]
    assert copied["ChecksumSHA256"] == put["ChecksumSHA256"]
    s3.delete_object(Bucket=bucket, Key="a")
    assert get(s3, bucket, "b")["Body"] == body
    head = s3.head_object(Bucket=bucket, Key="b", ChecksumMode="ENABLED")
    assert head["ChecksumSHA256"] == put["ChecksumSHA256"]


def test_hd10_headers_and_metadata_are_kept(s3: S3Client, bucket: str, source: str) -> None:
    s3.copy_object(Bucket=bucket, Key="copy", CopySource=source, Metadata={"ignored": "x"})
    got = get(s3, bucket, "copy")
    assert (got["ContentType"], got["CacheControl"]) == ("text/x", "no-cache")
    assert got["Metadata"] == {"a": "1", "b": "2"}


def test_cp5_replace_drops_all_that_was(s3: S3Client, bucket: str, source: str) -> None:
    s3.copy_object(
        Bucket=bucket,
        Key="copy",
        CopySource=source,
        MetadataDirective="REPLACE",
        Metadata={"c": "3"},
    )
    got = get(s3, bucket, "copy")
    assert got["Metadata"] == {"c": "3"}
    assert got["ContentType"] == "binary/octet-stream"
    assert "CacheControl" not in got
    assert got["Body"] == b"bytes"


def test_cp1_a_self_copy_that_changes_nothing_is_refused(
    s3: S3Client, bucket: str, source: str
) -> None:
    refused = refusal(s3.copy_object, Bucket=bucket, Key="source", CopySource=source)
    assert refused == (400, "InvalidRequest")


def test_cp3_a_self_copy_with_replace_moves_the_date(
    s3: S3Client, bucket: str, source: str
) -> None:
    before = s3.list_objects_v2(Bucket=bucket)["Contents"][0]["LastModified"]
    copied = s3.copy_object(
        Bucket=bucket, Key="source", CopySource=source, MetadataDirective="REPLACE"
    )
    assert copied["CopyObjectResult"]["LastModified"] > before
    assert get(s3, bucket, "source")["Body"] == b"bytes"
    assert get(s3, bucket, "source")["Metadata"] == {}


def test_cp7_a_body_is_refused(server: LocalServer, bucket: str, source: str) -> None:
    request = Request("PUT", bucket, "copy", {"x-amz-copy-source": source}, body=b"body")
    answer = send(server, request)
    assert (answer.status, answer.code) == (400, "InvalidRequest")


@pytest.mark.parametrize(
    "key", ["a b", "a+b", "%41", "a?versionId=x", "é", "..", "a//b", "/x", "q/"]
)
@pytest.mark.parametrize("slash", ["", "/"])
def test_sec14_the_source_is_decoded_once(
    server: LocalServer, s3: S3Client, bucket: str, key: str, slash: str
) -> None:
    s3.put_object(Bucket=bucket, Key=key, Body=key.encode())
    headers = {"x-amz-copy-source": slash + quote(f"{bucket}/{key}")}
    assert send(server, Request("PUT", bucket, "copy", headers)).status == 200
    assert get(s3, bucket, "copy")["Body"] == key.encode()


@pytest.mark.parametrize("text", ["", "/", "bucket", "bucket/", "/bucket/", "%ff/k"])
def test_a_source_that_names_no_object_is_refused(
    server: LocalServer, bucket: str, text: str
) -> None:
    answer = send(server, Request("PUT", bucket, "copy", {"x-amz-copy-source": text}))
    assert (answer.status, answer.code) == (400, "InvalidArgument")


def test_a_source_that_is_not_there(s3: S3Client, bucket: str) -> None:
    def copy(source: str) -> tuple[int, str]:
        return refusal(s3.copy_object, Bucket=bucket, Key="copy", CopySource=source)

    assert copy(f"{bucket}/never") == (404, "NoSuchKey")
    assert copy("test-not-there/k") == (404, "NoSuchBucket")
    assert copy(f"{bucket}/never?versionId=abc") == (501, "NotImplemented")
    assert s3.list_objects_v2(Bucket=bucket)["KeyCount"] == 0


@pytest.mark.parametrize(
    ("conditions", "status"),
    [
        ({"CopySourceIfMatch": "own"}, 200),
        ({"CopySourceIfMatch": OTHER_ETAG}, 412),
        ({"CopySourceIfMatch": "*"}, 200),
        ({"CopySourceIfNoneMatch": "own"}, 412),
        ({"CopySourceIfNoneMatch": OTHER_ETAG}, 200),
        ({"CopySourceIfModifiedSince": "past"}, 200),
        ({"CopySourceIfModifiedSince": "future"}, 412),
        ({"CopySourceIfUnmodifiedSince": "future"}, 200),
        ({"CopySourceIfUnmodifiedSince": "past"}, 412),
        ({"CopySourceIfMatch": "own", "CopySourceIfUnmodifiedSince": "past"}, 200),
        ({"CopySourceIfNoneMatch": "own", "CopySourceIfModifiedSince": "past"}, 412),
    ],
)
def test_cd14_conditions_on_the_source(
    s3: S3Client, bucket: str, source: str, conditions: dict[str, str], status: int
) -> None:
    known: dict[str, Any] = {
        "own": s3.head_object(Bucket=bucket, Key="source")["ETag"],
        "past": PAST,
        "future": datetime.now(UTC) + timedelta(days=1),
    }
    params: dict[str, Any] = {name: known.get(text, text) for name, text in conditions.items()}
    if status == 200:
        s3.copy_object(Bucket=bucket, Key="copy", CopySource=source, **params)
        assert get(s3, bucket, "copy")["Body"] == b"bytes"
    else:
        refused = refusal(s3.copy_object, Bucket=bucket, Key="copy", CopySource=source, **params)
        assert refused == (status, "PreconditionFailed")


def test_cd_conditions_on_the_target(s3: S3Client, bucket: str, source: str) -> None:
    params: dict[str, Any] = {"Bucket": bucket, "Key": "copy", "CopySource": source}
    s3.copy_object(**params, IfNoneMatch="*")
    assert refusal(s3.copy_object, **params, IfNoneMatch="*") == (412, "PreconditionFailed")
    assert refusal(s3.copy_object, **params, IfMatch=OTHER_ETAG) == (412, "PreconditionFailed")
    s3.copy_object(**params, IfMatch=s3.head_object(Bucket=bucket, Key="copy")["ETag"])


def test_another_checksum_than_the_sources_is_refused(
    s3: S3Client, bucket: str, source: str
) -> None:
    refused = refusal(
        s3.copy_object, Bucket=bucket, Key="copy", CopySource=source, ChecksumAlgorithm="SHA1"
    )
    assert refused == (501, "NotImplemented")
