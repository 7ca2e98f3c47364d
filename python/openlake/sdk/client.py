"""`Client`: S3 in plain calls, each of which blocks its thread and lets the others run."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Self

from openlake import _core
from openlake.sdk.settings import (
    ClientConfig,
    ListOptions,
    PutOptions,
    Transfer,
    config_of,
)

if TYPE_CHECKING:
    from typing_extensions import Buffer

NO_OPTIONS = PutOptions()
DEFAULT_TRANSFER = Transfer()


class Client:
    """A client of one server. Thread-safe; make one a process and keep it.

    Bodies are anything with the buffer protocol: bytes, bytearray, memoryview, mmap, numpy arrays.
    They are sent and filled in place, without a copy. Failures are raised from `openlake.errors`;
    what may pass (500, 502, 503, 504, SlowDown, broken connections) is tried again first. What a
    second time could spoil (conditional puts and completions, new uploads, buckets) is tried again
    only if the server surely did nothing; else the error says that the outcome is not known.
    """

    def __init__(
        self,
        endpoint: str | None = None,
        *,
        access_key: str | None = None,
        secret_key: str | None = None,
        config: ClientConfig | None = None,
    ) -> None:
        """Take what is not given from `OPENLAKE_…` or else `AWS_…` variables; `config` wins."""
        self.config = config or config_of(endpoint, access_key, secret_key)
        self._native = _core.NativeClient(self.config)

    def put_object(
        self, bucket: str, key: str, body: Buffer, options: PutOptions = NO_OPTIONS
    ) -> _core.PutOutcome:
        """Store `body` in one request, with its CRC64NVME, which the server verifies."""
        return self._native.put_object(bucket, key, body, options)

    def get_object(
        self, bucket: str, key: str, byte_range: tuple[int, int] | None = None
    ) -> _core.GotObject:
        """Read an object, or `byte_range` (first byte, one behind the last) of it.

        A whole object is checked against its stored checksum; S3 has none for ranges.
        """
        return self._native.get_object(bucket, key, byte_range)

    def get_object_into(
        self, bucket: str, key: str, buffer: Buffer, byte_range: tuple[int, int] | None = None
    ) -> int:
        """Read by one request straight into `buffer`; return how many bytes came."""
        received_bytes, _ = self._native.get_object_into(bucket, key, buffer, byte_range)
        return received_bytes

    def upload(
        self,
        bucket: str,
        key: str,
        body: Buffer,
        transfer: Transfer = DEFAULT_TRANSFER,
        options: PutOptions = NO_OPTIONS,
    ) -> _core.PutOutcome:
        """Store `body` by parallel multipart upload, or in one piece if it fits in one part.

        Parts and the whole go with their CRC64NVME. On any error the upload is aborted.
        """
        return self._native.upload(bucket, key, body, transfer, options)

    def download_into(
        self,
        bucket: str,
        key: str,
        buffer: Buffer,
        start: int = 0,
        transfer: Transfer = DEFAULT_TRANSFER,
    ) -> _core.ObjectHead:
        """Fill `buffer` with the object's bytes from `start` on, by parallel ranged reads.

        All of them are of one version of the object. If `buffer` takes the whole object, the
        pieces are checked together against its stored CRC64NVME.
        """
        return self._native.download_into(bucket, key, buffer, start, transfer)

    def head_object(self, bucket: str, key: str) -> _core.ObjectHead:
        return self._native.head_object(bucket, key)

    def delete_object(self, bucket: str, key: str) -> None:
        """Succeeds also when there is no such object, as S3 does."""
        self._native.delete_object(bucket, key)

    def list_objects(self, bucket: str, options: ListOptions | None = None) -> _core.ListPage:
        """One page of at most 1,000 keys (ListObjectsV2)."""
        return self._native.list_objects(bucket, options or ListOptions())

    def list_keys(self, bucket: str, prefix: str = "") -> Iterator[_core.ListedObject]:
        """Every object under `prefix`, over all pages."""
        token: str | None = None
        while True:
            page = self.list_objects(bucket, ListOptions(prefix=prefix, continuation_token=token))
            yield from page.objects
            token = page.next_continuation_token
            if token is None:
                return

    def create_bucket(self, bucket: str) -> None:
        self._native.create_bucket(bucket)

    def delete_bucket(self, bucket: str) -> None:
        self._native.delete_bucket(bucket)

    def bucket_exists(self, bucket: str) -> bool:
        """HeadBucket; raises AccessDeniedError where it may not be known."""
        return self._native.head_bucket(bucket)

    def list_buckets(self) -> list[_core.Bucket]:
        return self._native.list_buckets()

    def create_multipart_upload(
        self, bucket: str, key: str, options: PutOptions = NO_OPTIONS
    ) -> str:
        """Begin an upload by hand; return its id. `upload` does all of it."""
        return self._native.create_multipart_upload(bucket, key, options)

    def upload_part(
        self, bucket: str, key: str, upload_id: str, number: int, body: Buffer
    ) -> _core.UploadedPart:
        """Store part `number` (1 to 10,000; all but the last at least 5 MiB)."""
        return self._native.upload_part(bucket, key, upload_id, number, body)

    def complete_multipart_upload(
        self,
        bucket: str,
        key: str,
        upload_id: str,
        parts: Iterable[_core.UploadedPart],
        options: PutOptions = NO_OPTIONS,
    ) -> _core.PutOutcome:
        """Put the parts together in the order given, which is that of their numbers."""
        return self._native.complete_multipart_upload(bucket, key, upload_id, parts, options)

    def abort_multipart_upload(self, bucket: str, key: str, upload_id: str) -> None:
        self._native.abort_multipart_upload(bucket, key, upload_id)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        """Connections close when the client is collected; there is nothing to flush."""

    def __repr__(self) -> str:
        return f"Client({self.config.endpoint!r})"
