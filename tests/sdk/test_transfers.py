"""Parallel uploads and downloads through the SDK."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from openlake import _core
from openlake.errors import InvalidInputError, NoSuchKeyError
from openlake.sdk import Progress, PutOptions, Transfer

if TYPE_CHECKING:
    from openlake import Client

MIB = 1 << 20
PARTS = Transfer(part_bytes=5 * MIB, parallel=3)


def content(size_bytes: int) -> bytearray:
    body = bytearray(size_bytes)
    _core.pattern_fill(body, 11, 0)
    return body


def test_an_upload_in_parts_is_the_object(client: Client, own_bucket: str) -> None:
    body = content(17 * MIB + 3)
    progress = Progress()
    transfer = Transfer(part_bytes=5 * MIB, parallel=3, progress=progress)
    options = PutOptions(user_metadata={"rank": "3"})
    outcome = client.upload(own_bucket, "k", body, transfer, options)
    assert outcome.etag.endswith("-4")
    assert progress.bytes == len(body)
    info = client.head_object(own_bucket, "k")
    assert (info.size_bytes, info.checksum) == (len(body), outcome.crc64nvme)
    assert info.metadata == {"rank": "3"}
    back = bytearray(len(body))
    assert client.get_object_into(own_bucket, "k", back) == len(body)
    assert back == body


def test_a_download_in_ranges_fills_the_buffer(client: Client, own_bucket: str) -> None:
    body = content(11 * MIB + 1)
    client.upload(own_bucket, "k", body, PARTS)
    back = bytearray(len(body))
    transfer = Transfer(part_bytes=2 * MIB, parallel=4)
    assert client.download_into(own_bucket, "k", back, transfer=transfer).size_bytes == len(body)
    assert back == body
    middle = bytearray(3 * MIB)
    client.download_into(own_bucket, "k", middle, MIB + 7, transfer)
    assert _core.pattern_first_difference(middle, 11, MIB + 7) is None


def test_parts_by_hand_may_come_in_any_order(client: Client, own_bucket: str) -> None:
    body = memoryview(content(6 * MIB))
    upload_id = client.create_multipart_upload(own_bucket, "k")
    last = client.upload_part(own_bucket, "k", upload_id, 2, body[5 * MIB :])
    first = client.upload_part(own_bucket, "k", upload_id, 1, body[: 5 * MIB])
    client.complete_multipart_upload(own_bucket, "k", upload_id, [first, last])
    assert client.get_object(own_bucket, "k").body == body


def test_an_aborted_upload_leaves_nothing(client: Client, own_bucket: str) -> None:
    upload_id = client.create_multipart_upload(own_bucket, "k")
    client.upload_part(own_bucket, "k", upload_id, 1, b"x")
    client.abort_multipart_upload(own_bucket, "k", upload_id)
    with pytest.raises(NoSuchKeyError):
        client.get_object(own_bucket, "k")


def test_parts_below_five_mebibytes_are_refused_before_anything_is_sent(
    client: Client, own_bucket: str
) -> None:
    with pytest.raises(InvalidInputError, match="5242880"):
        client.upload(own_bucket, "k", content(10), Transfer(part_bytes=MIB))
