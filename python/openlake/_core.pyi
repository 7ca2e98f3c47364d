"""The Rust extension: the server's data plane, and the native client below `openlake.Client`.

Engine calls return a token at once. What came of the call is drained later, as the `Completion`
with that token. Nothing of the server blocks but `Server.start` and `Server.shutdown`, and both
release the GIL.

Buffers are objects with the buffer protocol, of any item type, contiguous. The client uses them in
place while a call runs with the GIL released: other threads must leave them alone meanwhile.
"""

from collections.abc import Iterable, Sequence
from types import TracebackType
from typing import Any, Protocol, Self, TypedDict, final, type_check_only

from typing_extensions import Buffer

from openlake.sdk.load import Load, LoadReport
from openlake.sdk.settings import ClientConfig, ListOptions, PutOptions, Transfer

__all__ = [
    "Bucket",
    "BucketInfo",
    "Completion",
    "EngineError",
    "EngineObject",
    "GotObject",
    "ListPage",
    "ListedObject",
    "NativeClient",
    "NullServer",
    "ObjectAttributes",
    "ObjectHead",
    "Part",
    "PartsPage",
    "Progress",
    "PutOutcome",
    "Request",
    "Server",
    "StartError",
    "Upload",
    "UploadedPart",
    "UploadsPage",
    "pattern_fill",
    "pattern_first_difference",
    "probe_drive",
    "run_load",
    "version",
]

def version() -> str:
    """The version of the extension."""

class StartError(Exception):
    """A server that did not start: data directory in use, foreign, of a newer format or not
    writable, address in use. The message names what and where.
    """

class EngineError(Exception):
    """An engine operation that did not happen; `args` is (kind, message)."""

    kind: str
    """Name of the engine's error: NoSuchBucket, BucketExists, PreconditionFailed, …"""
    details: dict[str, str]
    """What the error names: owner, part_number, size_bytes, expected_bytes, found_bytes."""

class _ServerConfig(Protocol):
    """What `Server.start` reads from its argument."""

    @property
    def data_dir(self) -> str: ...
    @property
    def listen(self) -> str: ...
    @property
    def cores(self) -> int: ...
    @property
    def region(self) -> str: ...
    @property
    def inline_bytes_max(self) -> int: ...
    @property
    def journal_segment_bytes(self) -> int: ...
    @property
    def cache_bytes(self) -> int: ...
    @property
    def recycle_bytes_max(self) -> int: ...
    @property
    def buffer_bytes(self) -> int: ...
    @property
    def head_timeout_s(self) -> float: ...
    @property
    def idle_timeout_s(self) -> float: ...
    @property
    def body_timeout_s(self) -> float: ...
    @property
    def control_requests_max(self) -> int: ...

class _CopyRequest(Protocol):
    """What `Server.copy_object` reads from its argument."""

    @property
    def source_bucket(self) -> str: ...
    @property
    def source_key(self) -> bytes: ...
    @property
    def source_etag(self) -> str | None: ...
    @property
    def bucket(self) -> str: ...
    @property
    def key(self) -> bytes: ...
    @property
    def attributes(self) -> ObjectAttributes | None: ...
    @property
    def if_match(self) -> str | None: ...
    @property
    def if_none_match(self) -> bool: ...

class _CompleteRequest(Protocol):
    """What `Server.complete_multipart_upload` reads from its argument."""

    @property
    def bucket(self) -> str: ...
    @property
    def key(self) -> bytes: ...
    @property
    def upload_id(self) -> str: ...
    @property
    def parts(self) -> Sequence[tuple[int, str, tuple[str, str] | None]]: ...
    @property
    def if_match(self) -> str | None: ...
    @property
    def if_none_match(self) -> bool: ...
    @property
    def checksum(self) -> tuple[str, str, str] | None: ...
    @property
    def checksum_kind(self) -> str | None: ...
    @property
    def size_bytes(self) -> int | None: ...

class _ListUploadsRequest(Protocol):
    """What `Server.list_multipart_uploads` reads from its argument."""

    @property
    def bucket(self) -> str: ...
    @property
    def prefix(self) -> bytes: ...
    @property
    def delimiter(self) -> bytes | None: ...
    @property
    def key_marker(self) -> bytes | None: ...
    @property
    def upload_id_marker(self) -> str | None: ...
    @property
    def max_uploads(self) -> int: ...

@final
class Server:
    """Shards that listen, and the engine below them."""

    @staticmethod
    def start(config: _ServerConfig) -> Server:
        """Recover the data directory and listen; `cores` 0 means all of them, port 0 a free one.
        Raises StartError.
        """

    @property
    def address(self) -> str:
        """HOST:PORT that all shards listen on."""

    def fileno(self) -> int:
        """A descriptor that is readable when `drain` has something."""

    def drain(self) -> list[Request | Completion]:
        """Everything that waits, completions first."""

    def set_access(
        self, keys: Sequence[tuple[str, str, str, bool]], owners: Sequence[tuple[str, str]]
    ) -> int:
        """Replace the tables of (access key, secret key, user id, is root) and of (bucket, user id
        of its owner); completes with None when every shard uses them.
        """

    def create_bucket(self, name: str, owner: str, config: bytes) -> int:
        """Completes with BucketInfo, or EngineError BucketExists."""

    def delete_bucket(self, name: str) -> int:
        """Completes with None, or EngineError NoSuchBucket, BucketNotEmpty."""

    def list_buckets(self) -> int:
        """Completes with a list of BucketInfo, sorted by name."""

    def put_system_record(self, kind: str, name: str, value: bytes) -> int:
        """Completes with None when the record is durable."""

    def delete_system_record(self, kind: str, name: str) -> int:
        """Completes with None, also when there was no record."""

    def list_system_records(self, kind: str) -> int:
        """Completes with a list of (name, value)."""

    def head_object(self, bucket_name: str, key_bytes: bytes) -> int:
        """Completes with EngineObject."""

    def delete_object(self, bucket_name: str, key_bytes: bytes, if_match: str | None = None) -> int:
        """Completes with whether there was an object; `if_match` is an ETag or `*`."""

    def copy_object(self, request: _CopyRequest) -> int:
        """Completes with the EngineObject of the copy."""

    def create_multipart_upload(
        self,
        bucket_name: str,
        key_bytes: bytes,
        attributes: ObjectAttributes,
        checksum: tuple[str, str] | None = None,
    ) -> int:
        """Completes with the upload id; `checksum` is (algorithm, type)."""

    def complete_multipart_upload(self, request: _CompleteRequest) -> int:
        """Completes with the EngineObject of the object."""

    def abort_multipart_upload(self, bucket_name: str, key_bytes: bytes, upload_id: str) -> int:
        """Completes with None, or EngineError NoSuchUpload."""

    def list_parts(
        self, bucket_name: str, key_bytes: bytes, upload_id: str, after: int, max_parts: int
    ) -> int:
        """Completes with PartsPage: the parts after the number `after`."""

    def list_multipart_uploads(self, request: _ListUploadsRequest) -> int:
        """Completes with UploadsPage."""

    def metrics(self) -> int:
        """Completes with dict[str, int]: counters end in `_total`, the others are gauges."""

    def shutdown(self, drain_timeout_s: float) -> None:
        """Stop listening, finish the requests in flight, close; blocks without the GIL. `drain`
        has to go on meanwhile, so call this from another thread than the event loop's.
        """

@final
class Request:
    """A request of a control verb, its signature and its body verified. Dropped unanswered, the
    client is told to slow down.
    """

    @property
    def request_id(self) -> str:
        """As in the answer's `x-amz-request-id`."""

    @property
    def method(self) -> str: ...
    @property
    def target(self) -> str:
        """Path and query as they came, undecoded."""

    @property
    def host(self) -> str: ...
    @property
    def headers(self) -> list[tuple[str, bytes]]:
        """Lower-case names, in the order sent."""

    @property
    def body(self) -> bytes: ...
    @property
    def user_id(self) -> str: ...
    @property
    def is_root(self) -> bool: ...
    def answer(self, status: int, headers: Sequence[tuple[str, str]], body: bytes) -> None:
        """Send the answer; a second one is a RuntimeError."""

@final
class Completion:
    """A finished engine call."""

    @property
    def token(self) -> int: ...
    def result(self) -> Any:  # noqa: ANN401 as many types as calls
        """The value, or the exception."""

@final
class ObjectAttributes:
    """Content headers and user metadata of an object."""

    def __new__(
        cls,
        *,
        content_type: str | None = None,
        content_encoding: str | None = None,
        content_language: str | None = None,
        content_disposition: str | None = None,
        cache_control: str | None = None,
        expires: str | None = None,
        user_metadata: Sequence[tuple[str, str]] = ...,
    ) -> ObjectAttributes: ...
    @property
    def content_type(self) -> str | None: ...
    @property
    def content_encoding(self) -> str | None: ...
    @property
    def content_language(self) -> str | None: ...
    @property
    def content_disposition(self) -> str | None: ...
    @property
    def cache_control(self) -> str | None: ...
    @property
    def expires(self) -> str | None: ...
    @property
    def user_metadata(self) -> list[tuple[str, str]]: ...

@final
class EngineObject:
    """An object as a reader sees it."""

    @property
    def size_bytes(self) -> int: ...
    @property
    def etag(self) -> str:
        """Without quotes."""

    @property
    def last_modified_ms(self) -> int: ...
    @property
    def attributes(self) -> ObjectAttributes: ...
    @property
    def checksum(self) -> tuple[str, str, str] | None:
        """Algorithm, type and base64 value, without the number of parts."""

    @property
    def parts_count(self) -> int:
        """0 for an object that was put in one piece."""

@final
class BucketInfo:
    """A bucket."""

    @property
    def name(self) -> str: ...
    @property
    def owner(self) -> str:
        """User id."""

    @property
    def created_ms(self) -> int: ...
    @property
    def config(self) -> bytes:
        """As the control plane stored it."""

@final
class Part:
    """A part that was uploaded."""

    @property
    def number(self) -> int: ...
    @property
    def size_bytes(self) -> int: ...
    @property
    def etag(self) -> str:
        """Without quotes."""

    @property
    def last_modified_ms(self) -> int: ...
    @property
    def checksum(self) -> tuple[str, str, str] | None: ...

@final
class PartsPage:
    """Parts of an upload in order of their numbers."""

    @property
    def initiated_ms(self) -> int: ...
    @property
    def checksum(self) -> tuple[str, str] | None:
        """Algorithm and type of the object to be."""

    @property
    def attributes(self) -> ObjectAttributes: ...
    @property
    def parts(self) -> list[Part]: ...
    @property
    def is_truncated(self) -> bool: ...

@final
class Upload:
    """An upload that was begun and not ended."""

    @property
    def key(self) -> bytes: ...
    @property
    def upload_id(self) -> str: ...
    @property
    def initiated_ms(self) -> int: ...
    @property
    def checksum(self) -> tuple[str, str] | None: ...

@final
class UploadsPage:
    """Open uploads by key, then by age."""

    @property
    def uploads(self) -> list[Upload]: ...
    @property
    def common_prefixes(self) -> list[bytes]: ...
    @property
    def is_truncated(self) -> bool: ...
    @property
    def next_key_marker(self) -> bytes | None: ...
    @property
    def next_upload_id_marker(self) -> str | None: ...

@final
class PutOutcome:
    """A stored object."""

    @property
    def etag(self) -> str:
        """Without quotes."""
    @property
    def crc64nvme(self) -> bytes:
        """CRC-64/NVME of all its bytes, eight bytes, big-endian."""

@final
class UploadedPart:
    """What CompleteMultipartUpload needs to know of a part."""

    @property
    def number(self) -> int: ...
    @property
    def etag(self) -> str:
        """Without quotes."""
    @property
    def size_bytes(self) -> int: ...

@final
class ObjectHead:
    """What is known of an object besides its bytes."""

    @property
    def size_bytes(self) -> int:
        """Of the whole object, also when a range was asked for."""
    @property
    def etag(self) -> str:
        """Without quotes."""
    @property
    def last_modified(self) -> str:
        """As in HTTP: `Wed, 21 Oct 2015 07:28:00 GMT`."""
    @property
    def content_type(self) -> str: ...
    @property
    def metadata(self) -> dict[str, str]:
        """User metadata, names in lower case without `x-amz-meta-`."""
    @property
    def checksum_algorithm(self) -> str | None:
        """`CRC32`, `CRC32C`, `CRC64NVME`, `SHA1`, `SHA256`, or None if the server names none."""
    @property
    def checksum(self) -> bytes | None:
        """Its stored value, big-endian."""
    @property
    def checksum_is_full_object(self) -> bool:
        """Whether the checksum is of the object's bytes, not of its parts' checksums."""

@final
class GotObject:
    """An object, or a range of it, in memory."""

    @property
    def head(self) -> ObjectHead: ...
    @property
    def body(self) -> bytes: ...

@final
class ListedObject:
    """An entry of a listing."""

    @property
    def key(self) -> str: ...
    @property
    def size_bytes(self) -> int: ...
    @property
    def etag(self) -> str:
        """Without quotes."""
    @property
    def last_modified(self) -> str:
        """As in XML: `2015-10-21T07:28:00.000Z`."""

@final
class ListPage:
    """A page of a listing."""

    @property
    def objects(self) -> list[ListedObject]: ...
    @property
    def common_prefixes(self) -> list[str]: ...
    @property
    def next_continuation_token(self) -> str | None:
        """Asks for the next page; None on the last."""

@final
class Bucket:
    """An entry of the list of buckets."""

    @property
    def name(self) -> str: ...
    @property
    def creation_date(self) -> str:
        """As in XML: `2015-10-21T07:28:00.000Z`."""

@final
class Progress:
    """Bytes that a transfer has moved so far, in whole parts; read it from any thread."""

    def __new__(cls) -> Self: ...
    @property
    def bytes(self) -> int: ...

@final
class NativeClient:
    """The calls below `openlake.Client`. Thread-safe; each blocks its thread, not the others."""

    def __new__(cls, settings: ClientConfig) -> Self: ...
    def put_object(
        self, bucket: str, key: str, body: Buffer, settings: PutOptions
    ) -> PutOutcome: ...
    def get_object(
        self, bucket: str, key: str, byte_range: tuple[int, int] | None
    ) -> GotObject: ...
    def get_object_into(
        self, bucket: str, key: str, buffer: Buffer, byte_range: tuple[int, int] | None
    ) -> tuple[int, ObjectHead]: ...
    def upload(
        self, bucket: str, key: str, body: Buffer, transfer: Transfer, settings: PutOptions
    ) -> PutOutcome: ...
    def create_multipart_upload(self, bucket: str, key: str, settings: PutOptions) -> str: ...
    def upload_part(
        self, bucket: str, key: str, upload_id: str, number: int, body: Buffer
    ) -> UploadedPart: ...
    def complete_multipart_upload(
        self,
        bucket: str,
        key: str,
        upload_id: str,
        parts: Iterable[UploadedPart],
        settings: PutOptions,
    ) -> PutOutcome: ...
    def abort_multipart_upload(self, bucket: str, key: str, upload_id: str) -> None: ...
    def download_into(
        self, bucket: str, key: str, buffer: Buffer, start: int, transfer: Transfer
    ) -> ObjectHead: ...
    def head_object(self, bucket: str, key: str) -> ObjectHead: ...
    def delete_object(self, bucket: str, key: str) -> None: ...
    def list_objects(self, bucket: str, settings: ListOptions) -> ListPage: ...
    def create_bucket(self, bucket: str) -> None: ...
    def delete_bucket(self, bucket: str) -> None: ...
    def head_bucket(self, bucket: str) -> bool: ...
    def list_buckets(self) -> list[Bucket]: ...

@type_check_only
class DriveProbe(TypedDict):
    """What a drive gives by O_DIRECT and io_uring."""

    write_bytes_per_s: float
    """Overwriting in order, 1 MiB, four in flight, one sync at the end."""
    read_bytes_per_s: float
    """Reading in order, 1 MiB, four in flight."""
    random_reads_per_s: float
    """4 KiB, 32 in flight."""
    syncs_per_s: float
    """Writing 4 KiB durably, one after the other, over written space."""
    sync_ms_p50: float
    sync_ms_p99: float

def probe_drive(path: str, *, file_bytes: int, duration_s: float) -> DriveProbe:
    """Measure the drive below `path` in a file of `file_bytes`, which is gone afterwards."""

def run_load(settings: Load) -> LoadReport:
    """Make the load and wait for its end."""

@final
class NullServer:
    """Takes any request, drops its body, answers 200: the ceiling that loopback sets."""

    def __new__(cls, *, threads: int = 1, body_bytes: int = 4096) -> Self: ...
    @property
    def endpoint(self) -> str: ...
    def close(self) -> None:
        """Stop it; a second call does nothing."""
    def __enter__(self) -> Self: ...
    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
        /,
    ) -> None: ...

def pattern_fill(buffer: Buffer, seed: int, offset: int) -> None:
    """Fill `buffer` with the incompressible bytes that stream `seed` has from `offset` on."""

def pattern_first_difference(buffer: Buffer, seed: int, offset: int) -> int | None:
    """Where `buffer` first differs from the bytes that `pattern_fill` makes."""
