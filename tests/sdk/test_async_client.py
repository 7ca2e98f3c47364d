"""The asynchronous client: the same calls, many at once."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import pytest

from openlake import AsyncClient
from openlake.errors import NoSuchKeyError

if TYPE_CHECKING:
    from openlake import Client


async def many(client: AsyncClient, bucket: str) -> list[bytes]:
    async with client:
        keys = [f"k{number}" for number in range(20)]
        await asyncio.gather(*(client.put_object(bucket, key, key.encode()) for key in keys))
        listed = [entry.key async for entry in client.list_keys(bucket)]
        assert listed == sorted(keys)
        with pytest.raises(NoSuchKeyError):
            await client.get_object(bucket, "none")
        got = await asyncio.gather(*(client.get_object(bucket, key) for key in keys))
        return [answer.body for answer in got]


def test_calls_run_side_by_side(client: Client, own_bucket: str) -> None:
    bodies = asyncio.run(many(AsyncClient(config=client.config, concurrency=4), own_bucket))
    assert bodies == [f"k{number}".encode() for number in range(20)]


def test_both_clients_have_the_same_calls() -> None:
    from openlake import Client

    public = {name for name in vars(Client) if not name.startswith("_")}
    asynchronous = {name for name in vars(AsyncClient) if not name.startswith("_")}
    assert public <= asynchronous
