"""The engine as coroutines: each call is a message to a shard, each result comes through the ring.

All of it runs on the event loop's thread; nothing here blocks.
"""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from openlake._core import (
    BucketInfo,
    Completion,
    EngineObject,
    ObjectAttributes,
    PartsPage,
    Server,
    UploadsPage,
)

# (algorithm, type) and (algorithm, type, base64 value)
ChecksumPlan = tuple[str, str]
Checksum = tuple[str, str, str]


@dataclass(frozen=True, slots=True)
class CopyRequest:
    source_bucket: str
    source_key: bytes
    # The object that the caller saw; another one fails the copy. None takes any.
    source_etag: str | None
    bucket: str
    key: bytes
    # None keeps the source's.
    attributes: ObjectAttributes | None
    if_match: str | None
    if_none_match: bool


@dataclass(frozen=True, slots=True)
class CompleteRequest:
    bucket: str
    key: bytes
    upload_id: str
    # Number, ETag, and (algorithm, base64 value) where the client sent one.
    parts: Sequence[tuple[int, str, tuple[str, str] | None]]
    if_match: str | None
    if_none_match: bool
    checksum: Checksum | None
    checksum_kind: str | None
    size_bytes: int | None


@dataclass(frozen=True, slots=True)
class ListUploadsRequest:
    bucket: str
    prefix: bytes
    delimiter: bytes | None
    key_marker: bytes | None
    upload_id_marker: str | None
    max_uploads: int


class Engine:
    """The engine of a running server; failures are `EngineError`. `complete` is fed by whoever
    drains the ring.
    """

    def __init__(self, server: Server) -> None:
        self._server = server
        self._waiting: dict[int, asyncio.Future[Any]] = {}

    def complete(self, completion: Completion) -> None:
        future = self._waiting.pop(completion.token, None)
        # A caller that was cancelled meanwhile does not want it any more.
        if future is None or future.done():
            return
        try:
            future.set_result(completion.result())
        except Exception as error:  # noqa: BLE001 it goes to who waits
            future.set_exception(error)

    def _completed(self, token: int) -> asyncio.Future[Any]:
        # The ring is drained by this thread, so the token is known before its completion is seen.
        future: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        self._waiting[token] = future
        return future

    async def create_bucket(self, name: str, owner: str, config: bytes) -> BucketInfo:
        token = self._server.create_bucket(name, owner, config)
        created: BucketInfo = await self._completed(token)
        return created

    async def delete_bucket(self, name: str) -> None:
        await self._completed(self._server.delete_bucket(name))

    async def list_buckets(self) -> list[BucketInfo]:
        buckets: list[BucketInfo] = await self._completed(self._server.list_buckets())
        return buckets

    async def put_system_record(self, kind: str, name: str, value: bytes) -> None:
        await self._completed(self._server.put_system_record(kind, name, value))

    async def list_system_records(self, kind: str) -> list[tuple[str, bytes]]:
        token = self._server.list_system_records(kind)
        records: list[tuple[str, bytes]] = await self._completed(token)
        return records

    async def set_access(
        self, keys: Sequence[tuple[str, str, str, bool]], owners: Sequence[tuple[str, str]]
    ) -> None:
        await self._completed(self._server.set_access(keys, owners))

    async def head_object(self, bucket: str, key: bytes) -> EngineObject:
        info: EngineObject = await self._completed(self._server.head_object(bucket, key))
        return info

    async def delete_object(self, bucket: str, key: bytes, if_match: str | None) -> bool:
        token = self._server.delete_object(bucket, key, if_match)
        existed: bool = await self._completed(token)
        return existed

    async def copy_object(self, request: CopyRequest) -> EngineObject:
        info: EngineObject = await self._completed(self._server.copy_object(request))
        return info

    async def create_multipart_upload(
        self, bucket: str, key: bytes, attributes: ObjectAttributes, checksum: ChecksumPlan | None
    ) -> str:
        token = self._server.create_multipart_upload(bucket, key, attributes, checksum)
        upload_id: str = await self._completed(token)
        return upload_id

    async def complete_multipart_upload(self, request: CompleteRequest) -> EngineObject:
        token = self._server.complete_multipart_upload(request)
        info: EngineObject = await self._completed(token)
        return info

    async def abort_multipart_upload(self, bucket: str, key: bytes, upload_id: str) -> None:
        await self._completed(self._server.abort_multipart_upload(bucket, key, upload_id))

    async def list_parts(
        self, bucket: str, key: bytes, upload_id: str, after: int, max_parts: int
    ) -> PartsPage:
        token = self._server.list_parts(bucket, key, upload_id, after, max_parts)
        page: PartsPage = await self._completed(token)
        return page

    async def list_multipart_uploads(self, request: ListUploadsRequest) -> UploadsPage:
        page: UploadsPage = await self._completed(self._server.list_multipart_uploads(request))
        return page

    async def metrics(self) -> dict[str, int]:
        counters: dict[str, int] = await self._completed(self._server.metrics())
        return counters
