"""boto3, the program most users have: every verb of this release over a real server process."""

from __future__ import annotations

import hashlib
import io
from typing import TYPE_CHECKING, Any

import pytest
from boto3.s3.transfer import TransferConfig
from botocore.exceptions import ClientError

if TYPE_CHECKING:
    from collections.abc import Callable

MIB = 1 << 20


@pytest.mark.parametrize("size_bytes", [0, 1, 4096, 65_536, 65_537, 3 * MIB + 5])
def test_put_and_get_return_the_same_bytes(
    s3: Any, bucket: str, content: Callable[..., bytes], size_bytes: int
) -> None:
    """Inline and blob sizes, and the edge between them; the ETag is the MD5 of RFC 1321."""
    body = content(size_bytes)
    put = s3.put_object(
        Bucket=bucket, Key="a/b", Body=body, ContentType="text/x", Metadata={"Who": "me"}
    )
    got = s3.get_object(Bucket=bucket, Key="a/b")
    assert got["Body"].read() == body
    assert put["ETag"] == got["ETag"] == f'"{hashlib.md5(body).hexdigest()}"'
    assert got["ContentType"] == "text/x"
    assert got["Metadata"] == {"who": "me"}
    assert got["ContentLength"] == size_bytes


def test_ranges_are_the_bytes_asked_for(
    s3: Any, bucket: str, content: Callable[..., bytes]
) -> None:
    """First, last, inner, clipped and suffix ranges of an object of several blocks."""
    body = content(2 * MIB + 7)
    s3.put_object(Bucket=bucket, Key="r", Body=body)
    for text, part in {
        "bytes=0-0": body[:1],
        "bytes=4095-4096": body[4095:4097],
        f"bytes={MIB - 1}-{MIB}": body[MIB - 1 : MIB + 1],
        f"bytes={2 * MIB}-99999999": body[2 * MIB :],
        "bytes=-3": body[-3:],
    }.items():
        got = s3.get_object(Bucket=bucket, Key="r", Range=text)
        assert got["Body"].read() == part, text
        assert got["ResponseMetadata"]["HTTPStatusCode"] == 206
        start = body.find(part) if len(part) > 16 else None
        total = got["ContentRange"].rpartition("/")[2]
        assert int(total) == len(body)
        if start is not None:
            assert got["ContentRange"].startswith(f"bytes {start}-")
    with pytest.raises(ClientError, match="InvalidRange"):
        s3.get_object(Bucket=bucket, Key="r", Range=f"bytes={len(body)}-")


def test_the_transfer_manager_uploads_in_parts_and_reads_back(
    s3: Any, bucket: str, content: Callable[..., bytes]
) -> None:
    """upload_fileobj in 8 MiB parts; the ETag is MD5 of the parts' MD5s, with the count."""
    body = content(20 * MIB + 11)
    settings = TransferConfig(multipart_threshold=8 * MIB, multipart_chunksize=8 * MIB)
    s3.upload_fileobj(io.BytesIO(body), bucket, "big", Config=settings)
    sink = io.BytesIO()
    s3.download_fileobj(bucket, "big", sink, Config=settings)
    assert sink.getvalue() == body
    digests = b"".join(
        hashlib.md5(body[at : at + 8 * MIB]).digest() for at in range(0, len(body), 8 * MIB)
    )
    assert s3.head_object(Bucket=bucket, Key="big")["ETag"] == (
        f'"{hashlib.md5(digests).hexdigest()}-3"'
    )


def test_listing_is_in_byte_order_with_prefixes_and_pages(s3: Any, bucket: str) -> None:
    """Keys sort as UTF-8 bytes; a common prefix shows once over all pages (LS2, LS11)."""
    keys = ["a", "dir", "dir/", "dir/1", "dir/2", "dir2", "z", "é", "\U0001f600"]
    for key in keys:
        s3.put_object(Bucket=bucket, Key=key, Body=b"x")
    pages = list(
        s3.get_paginator("list_objects_v2").paginate(
            Bucket=bucket, PaginationConfig={"PageSize": 2}
        )
    )
    listed = [entry["Key"] for page in pages for entry in page.get("Contents", ())]
    assert listed == sorted(keys, key=str.encode)
    pages = list(
        s3.get_paginator("list_objects_v2").paginate(
            Bucket=bucket, Delimiter="/", PaginationConfig={"PageSize": 1}
        )
    )
    prefixes = [entry["Prefix"] for page in pages for entry in page.get("CommonPrefixes", ())]
    assert prefixes == ["dir/"]


def test_copy_keeps_the_bytes_and_delete_removes_them(
    s3: Any, bucket: str, content: Callable[..., bytes]
) -> None:
    """CopyObject is server side; the copy outlives its source; deletes are idempotent."""
    body = content(MIB + 1)
    s3.put_object(Bucket=bucket, Key="source", Body=body, Metadata={"k": "v"})
    s3.copy_object(Bucket=bucket, Key="copy", CopySource={"Bucket": bucket, "Key": "source"})
    s3.delete_object(Bucket=bucket, Key="source")
    s3.delete_object(Bucket=bucket, Key="source")
    with pytest.raises(ClientError, match="NoSuchKey"):
        s3.get_object(Bucket=bucket, Key="source")
    got = s3.get_object(Bucket=bucket, Key="copy")
    assert got["Body"].read() == body
    assert got["Metadata"] == {"k": "v"}


def test_delete_objects_removes_many(s3: Any, bucket: str) -> None:
    """One request, several keys, a missing one among them reported as deleted."""
    for key in ("1", "2", "3"):
        s3.put_object(Bucket=bucket, Key=key, Body=b"x")
    answer = s3.delete_objects(
        Bucket=bucket, Delete={"Objects": [{"Key": key} for key in ("1", "2", "none")]}
    )
    assert sorted(entry["Key"] for entry in answer["Deleted"]) == ["1", "2", "none"]
    assert [e["Key"] for e in s3.list_objects_v2(Bucket=bucket)["Contents"]] == ["3"]


def test_an_aborted_upload_leaves_nothing(s3: Any, bucket: str) -> None:
    """Parts are listed while the upload is open, and gone with it."""
    upload = s3.create_multipart_upload(Bucket=bucket, Key="m")["UploadId"]
    s3.upload_part(Bucket=bucket, Key="m", UploadId=upload, PartNumber=7, Body=b"part")
    parts = s3.list_parts(Bucket=bucket, Key="m", UploadId=upload)["Parts"]
    assert [(p["PartNumber"], p["Size"]) for p in parts] == [(7, 4)]
    s3.abort_multipart_upload(Bucket=bucket, Key="m", UploadId=upload)
    with pytest.raises(ClientError, match="NoSuchUpload"):
        s3.list_parts(Bucket=bucket, Key="m", UploadId=upload)
    assert "Contents" not in s3.list_objects_v2(Bucket=bucket)


def test_presigned_urls_work_without_the_client(s3: Any, bucket: str) -> None:
    """A presigned PUT and GET by a plain HTTP client."""
    import urllib.request

    url = s3.generate_presigned_url("put_object", Params={"Bucket": bucket, "Key": "p q"})
    request = urllib.request.Request(url, data=b"hello", method="PUT")  # noqa: S310
    with urllib.request.urlopen(request) as answer:  # noqa: S310
        assert answer.status == 200
    url = s3.generate_presigned_url("get_object", Params={"Bucket": bucket, "Key": "p q"})
    with urllib.request.urlopen(url) as answer:  # noqa: S310
        assert answer.read() == b"hello"
