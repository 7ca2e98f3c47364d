"""Objects through the SDK: what was put comes back, from and into any buffer."""

from __future__ import annotations

import array
import mmap
from typing import TYPE_CHECKING

import pytest

from openlake.errors import (
    InvalidRangeError,
    NoSuchBucketError,
    NoSuchKeyError,
    NotFoundError,
    PreconditionFailedError,
)
from openlake.sdk import PutOptions

if TYPE_CHECKING:
    from openlake import Client

KEYS = ["plain", "a b/ü/+%~", "..", "dir/", "a//b", "日本語"]


@pytest.mark.parametrize("key", KEYS)
def test_an_object_comes_back_under_any_key(client: Client, own_bucket: str, key: str) -> None:
    outcome = client.put_object(own_bucket, key, key.encode())
    got = client.get_object(own_bucket, key)
    assert got.body == key.encode()
    assert got.head.etag == outcome.etag
    assert [listed.key for listed in client.list_keys(own_bucket)] == [key]


def test_the_checksum_is_kept_and_returned(client: Client, own_bucket: str) -> None:
    # CRC-64/NVME of the catalogue's check string.
    value = bytes.fromhex("ae8b14860a799888")
    assert client.put_object(own_bucket, "k", b"123456789").crc64nvme == value
    info = client.head_object(own_bucket, "k")
    assert (info.size_bytes, info.checksum_algorithm) == (9, "CRC64NVME")
    assert info.checksum == value
    assert info.checksum_is_full_object


@pytest.mark.parametrize("size_bytes", [0, 1, 4096, 100_000, 3 * (1 << 20) + 5])
def test_bytes_of_any_length_come_back(client: Client, own_bucket: str, size_bytes: int) -> None:
    body = bytes(range(251)) * (size_bytes // 251 + 1)
    client.put_object(own_bucket, "k", body[:size_bytes])
    assert client.get_object(own_bucket, "k").body == body[:size_bytes]


def test_any_buffer_is_sent_and_filled(client: Client, own_bucket: str) -> None:
    words = array.array("d", [1.5, -2.25, 1e300])
    client.put_object(own_bucket, "k", words)
    back = array.array("d", [0.0, 0.0, 0.0])
    assert client.get_object_into(own_bucket, "k", back) == 24
    assert back == words
    with mmap.mmap(-1, 4096) as mapped:
        assert client.get_object_into(own_bucket, "k", memoryview(mapped)[8:16], (8, 16)) == 8
        assert mapped[:24] == bytes(8) + words.tobytes()[8:16] + bytes(8)


def test_buffers_that_cannot_be_used_are_refused(client: Client, own_bucket: str) -> None:
    client.put_object(own_bucket, "k", b"12345678")
    with pytest.raises(BufferError, match="read-only"):
        client.get_object_into(own_bucket, "k", bytes(8))
    with pytest.raises(BufferError, match="contiguous"):
        client.put_object(own_bucket, "k", memoryview(b"12345678")[::2])


def test_ranges_are_cut_as_asked(client: Client, own_bucket: str) -> None:
    client.put_object(own_bucket, "k", b"0123456789")
    assert client.get_object(own_bucket, "k", (2, 5)).body == b"234"
    got = client.get_object(own_bucket, "k", (8, 99))
    assert (got.body, got.head.size_bytes) == (b"89", 10)
    with pytest.raises(InvalidRangeError):
        client.get_object(own_bucket, "k", (10, 11))


def test_attributes_go_along(client: Client, own_bucket: str) -> None:
    options = PutOptions(content_type="text/plain", user_metadata={"Step": "7"})
    client.put_object(own_bucket, "k", b"x", options)
    info = client.head_object(own_bucket, "k")
    assert (info.content_type, info.metadata) == ("text/plain", {"step": "7"})


def test_conditions_hold_or_are_an_error(client: Client, own_bucket: str) -> None:
    first = client.put_object(own_bucket, "k", b"1", PutOptions(if_none_match=True))
    with pytest.raises(PreconditionFailedError):
        client.put_object(own_bucket, "k", b"2", PutOptions(if_none_match=True))
    client.put_object(own_bucket, "k", b"3", PutOptions(if_match=first.etag))
    with pytest.raises(PreconditionFailedError):
        client.put_object(own_bucket, "k", b"4", PutOptions(if_match=first.etag))
    assert client.get_object(own_bucket, "k").body == b"3"


def test_what_is_not_there_is_named(client: Client, own_bucket: str) -> None:
    with pytest.raises(NoSuchKeyError) as caught:
        client.get_object(own_bucket, "none")
    error = caught.value
    assert (error.bucket, error.key, error.status) == (own_bucket, "none", 404)
    assert f"s3://{own_bucket}/none" in str(error)
    with pytest.raises(NotFoundError):
        client.head_object(own_bucket, "none")
    with pytest.raises(NoSuchBucketError):
        client.get_object(own_bucket + "-not", "none")
    client.delete_object(own_bucket, "none")


def test_buckets_are_made_listed_and_removed(client: Client, own_bucket: str) -> None:
    assert client.bucket_exists(own_bucket)
    assert not client.bucket_exists(own_bucket + "-not")
    assert own_bucket in {bucket.name for bucket in client.list_buckets()}


def test_a_listing_goes_over_its_pages(client: Client, own_bucket: str) -> None:
    keys = [f"p/{number:04}" for number in range(5)]
    for key in [*keys, "q"]:
        client.put_object(own_bucket, key, b"")
    assert [listed.key for listed in client.list_keys(own_bucket, "p/")] == keys
