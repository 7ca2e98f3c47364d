"""`AsyncClient`: the same calls for asyncio; the native work runs on threads of its own."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import TYPE_CHECKING, ParamSpec, Self, TypeVar

from openlake import _core
from openlake.sdk.client import DEFAULT_TRANSFER, NO_OPTIONS, Client
from openlake.sdk.settings import ClientConfig, ListOptions, PutOptions, Transfer

if TYPE_CHECKING:
    from typing_extensions import Buffer

P = ParamSpec("P")
T = TypeVar("T")

CONCURRENCY = 32


class AsyncClient:
    """`Client` for coroutines. Use it as an async context manager, or await `close`.

    At most `concurrency` calls run at once; more wait their turn. Cancelling a coroutine does not
    stop the call below it: it ends by itself, at its deadline at the latest, and until then its
    buffer belongs to it.
    """

    def __init__(
        self,
        endpoint: str | None = None,
        *,
        access_key: str | None = None,
        secret_key: str | None = None,
        config: ClientConfig | None = None,
        concurrency: int = CONCURRENCY,
    ) -> None:
        self._client = Client(endpoint, access_key=access_key, secret_key=secret_key, config=config)
        self._threads = ThreadPoolExecutor(concurrency, thread_name_prefix="openlake-client")

    @property
    def config(self) -> ClientConfig:
        return self._client.config

    async def _call(self, call: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._threads, partial(call, *args, **kwargs))

    async def put_object(
        self, bucket: str, key: str, body: Buffer, options: PutOptions = NO_OPTIONS
    ) -> _core.PutOutcome:
        return await self._call(self._client.put_object, bucket, key, body, options)

    async def get_object(
        self, bucket: str, key: str, byte_range: tuple[int, int] | None = None
    ) -> _core.GotObject:
        return await self._call(self._client.get_object, bucket, key, byte_range)

    async def get_object_into(
        self, bucket: str, key: str, buffer: Buffer, byte_range: tuple[int, int] | None = None
    ) -> int:
        return await self._call(self._client.get_object_into, bucket, key, buffer, byte_range)

    async def upload(
        self,
        bucket: str,
        key: str,
        body: Buffer,
        transfer: Transfer = DEFAULT_TRANSFER,
        options: PutOptions = NO_OPTIONS,
    ) -> _core.PutOutcome:
        return await self._call(self._client.upload, bucket, key, body, transfer, options)

    async def download_into(
        self,
        bucket: str,
        key: str,
        buffer: Buffer,
        start: int = 0,
        transfer: Transfer = DEFAULT_TRANSFER,
    ) -> _core.ObjectHead:
        return await self._call(self._client.download_into, bucket, key, buffer, start, transfer)

    async def head_object(self, bucket: str, key: str) -> _core.ObjectHead:
        return await self._call(self._client.head_object, bucket, key)

    async def delete_object(self, bucket: str, key: str) -> None:
        await self._call(self._client.delete_object, bucket, key)

    async def list_objects(self, bucket: str, options: ListOptions | None = None) -> _core.ListPage:
        return await self._call(self._client.list_objects, bucket, options)

    async def list_keys(self, bucket: str, prefix: str = "") -> AsyncIterator[_core.ListedObject]:
        """Every object under `prefix`, over all pages."""
        token: str | None = None
        while True:
            page = await self.list_objects(
                bucket, ListOptions(prefix=prefix, continuation_token=token)
            )
            for listed in page.objects:
                yield listed
            token = page.next_continuation_token
            if token is None:
                return

    async def create_bucket(self, bucket: str) -> None:
        await self._call(self._client.create_bucket, bucket)

    async def delete_bucket(self, bucket: str) -> None:
        await self._call(self._client.delete_bucket, bucket)

    async def bucket_exists(self, bucket: str) -> bool:
        return await self._call(self._client.bucket_exists, bucket)

    async def list_buckets(self) -> list[_core.Bucket]:
        return await self._call(self._client.list_buckets)

    async def create_multipart_upload(
        self, bucket: str, key: str, options: PutOptions = NO_OPTIONS
    ) -> str:
        return await self._call(self._client.create_multipart_upload, bucket, key, options)

    async def upload_part(
        self, bucket: str, key: str, upload_id: str, number: int, body: Buffer
    ) -> _core.UploadedPart:
        return await self._call(self._client.upload_part, bucket, key, upload_id, number, body)

    async def complete_multipart_upload(
        self,
        bucket: str,
        key: str,
        upload_id: str,
        parts: Iterable[_core.UploadedPart],
        options: PutOptions = NO_OPTIONS,
    ) -> _core.PutOutcome:
        return await self._call(
            self._client.complete_multipart_upload, bucket, key, upload_id, parts, options
        )

    async def abort_multipart_upload(self, bucket: str, key: str, upload_id: str) -> None:
        await self._call(self._client.abort_multipart_upload, bucket, key, upload_id)

    async def close(self) -> None:
        """Wait for the calls that run; later ones are refused."""
        await asyncio.to_thread(self._threads.shutdown)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    def __repr__(self) -> str:
        return f"AsyncClient({self.config.endpoint!r})"
