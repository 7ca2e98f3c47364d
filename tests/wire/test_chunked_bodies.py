"""aws-chunked uploads in each mode: stored as decoded, and nothing stored when anything is off."""

from __future__ import annotations

import base64
import zlib
from typing import TYPE_CHECKING

import pytest

from tests.s3.raw_http import Answer, exchange, head_bytes
from tests.s3.signing import ChunkSigner, Request, signed_headers

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from mypy_boto3_s3.client import S3Client

    from openlake.testing import LocalServer

SIGNED = "STREAMING-AWS4-HMAC-SHA256-PAYLOAD"
SIGNED_TRAILER = "STREAMING-AWS4-HMAC-SHA256-PAYLOAD-TRAILER"
UNSIGNED_TRAILER = "STREAMING-UNSIGNED-PAYLOAD-TRAILER"
MODES = [SIGNED, SIGNED_TRAILER, UNSIGNED_TRAILER]
CHUNK_BYTES = 65_536
TRAILER = "x-amz-checksum-crc32"


def crc32_text(payload: bytes) -> str:
    """As S3 writes it."""
    return base64.b64encode(zlib.crc32(payload).to_bytes(4, "big")).decode()


def chunked_body(mode: str, payload: bytes, signer: ChunkSigner) -> bytes:
    """The whole wire body."""
    pieces = [payload[at : at + CHUNK_BYTES] for at in range(0, len(payload), CHUNK_BYTES)]
    if mode == UNSIGNED_TRAILER:
        chunks = [f"{len(piece):x}\r\n".encode() + piece + b"\r\n" for piece in pieces]
        end = f"0\r\n{TRAILER}:{crc32_text(payload)}\r\n\r\n".encode()
        return b"".join(chunks) + end
    chunks = [signer.chunk(piece) for piece in [*pieces, b""]]
    end = b"\r\n" if mode == SIGNED else signer.trailer(TRAILER, crc32_text(payload))
    return b"".join(chunks) + end


def upload(
    server: LocalServer,
    bucket: str,
    mode: str,
    payload: bytes,
    alter: Callable[[bytes], bytes] = lambda body: body,
    headers: dict[str, str] | None = None,
) -> Answer:
    """PUT `payload` in a mode; `alter` changes the wire body after it was signed."""
    more = {"X-Amz-Decoded-Content-Length": str(len(payload)), "Content-Encoding": "aws-chunked"}
    if mode != SIGNED:
        more["X-Amz-Trailer"] = TRAILER
    more |= headers or {}
    request = Request("PUT", bucket, "k", headers=more, payload_hash=mode)
    signed = signed_headers(server, request)
    body = alter(chunked_body(mode, payload, ChunkSigner.after(server, signed)))
    signed["Content-Length"] = str(len(body))
    head = head_bytes("PUT", request.target, signed)
    return exchange(server, segments(head + body), "PUT")


def segments(data: bytes) -> Iterator[bytes]:
    """Pieces that cut lines and payload at odd places."""
    at, size = 0, 7
    while at < len(data):
        yield data[at : at + size]
        at, size = at + size, min(size * 3 + 1, 50_000)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("size_bytes", [0, 1, 65_536, 65_537, 2_500_000])
def test_decoded_bytes_are_stored(
    server: LocalServer, s3: S3Client, bucket: str, content: Callable[..., bytes], mode: str,
    size_bytes: int,
) -> None:  # fmt: skip
    """ST2, ST15, ST17, ST21: size, bytes and checksum of the payload; no aws-chunked remains."""
    payload = content(size_bytes)
    answer = upload(server, bucket, mode, payload)
    assert answer.status == 200, answer.body
    got = s3.get_object(Bucket=bucket, Key="k", ChecksumMode="ENABLED")
    assert got["Body"].read() == payload
    assert got.get("ContentEncoding", "") == ""
    if mode != SIGNED:
        assert got["ChecksumCRC32"] == crc32_text(payload)


def replaced(old: bytes, new: bytes) -> Callable[[bytes], bytes]:
    """Change the last occurrence."""

    def alter(body: bytes) -> bytes:
        before, found, after = body.rpartition(old)
        assert found
        return before + new + after

    return alter


def flipped(place: int) -> Callable[[bytes], bytes]:
    """Change a bit of one byte."""
    return lambda body: body[:place] + bytes([body[place] ^ 1]) + body[place + 1 :]


@pytest.mark.parametrize(
    ("mode", "alter", "code"),
    [
        (SIGNED, flipped(1000), "SignatureDoesNotMatch"),
        (SIGNED_TRAILER, flipped(70_000), "SignatureDoesNotMatch"),
        (UNSIGNED_TRAILER, flipped(1000), "BadDigest"),
        (SIGNED, replaced(b"0;chunk-signature=", b"0;chunk-signature=0"), "SignatureDoesNotMatch"),
        (SIGNED_TRAILER, replaced(b"trailer-signature:", b"trailer-signature:0"),
         "SignatureDoesNotMatch"),
        (UNSIGNED_TRAILER, replaced(TRAILER.encode(), b"x-amz-checksum-sha1"),
         "MalformedTrailerError"),
        (UNSIGNED_TRAILER, replaced(b"\r\n\r\n", b"\r\nx-amz-meta-a:b\r\n\r\n"),
         "MalformedTrailerError"),
        (UNSIGNED_TRAILER, replaced(b"\r\n\r\n", b"\r\n"), "IncompleteBody"),
        (UNSIGNED_TRAILER, replaced(b"\r\n0\r\n", b"\r\nzz\r\n"), "IncompleteBody"),
        (SIGNED, lambda body: body[:-100], "IncompleteBody"),
    ],
)  # fmt: skip
def test_whatever_is_off_stores_nothing(
    server: LocalServer, s3: S3Client, bucket: str, mode: str, alter: Callable[[bytes], bytes],
    code: str,
) -> None:  # fmt: skip
    """SEC2, SEC4, SEC5, ST8, ST11: refused, and the object that was there is untouched."""
    s3.put_object(Bucket=bucket, Key="k", Body=b"before")
    answer = upload(server, bucket, mode, b"p" * 100_000, alter)
    assert answer.code == code, answer.body
    assert answer.status in (400, 403)
    assert s3.get_object(Bucket=bucket, Key="k")["Body"].read() == b"before"


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(
    ("length", "status", "code"),
    [
        ("99999", 400, "IncompleteBody"),
        ("100001", 400, "IncompleteBody"),
        ("-1", 400, "InvalidArgument"),
        ("18446744073709551616", 400, "InvalidArgument"),
        ("5368709121", 400, "EntityTooLarge"),
    ],
)
def test_a_decoded_length_that_lies(
    server: LocalServer, bucket: str, mode: str, length: str, status: int, code: str
) -> None:  # fmt: skip
    """ST6, SEC6."""
    answer = upload(
        server, bucket, mode, b"p" * 100_000, headers={"X-Amz-Decoded-Content-Length": length}
    )
    assert (answer.status, answer.code) == (status, code)


def test_streams_are_for_objects_only(server: LocalServer, bucket: str) -> None:
    """ST10, SEC7: another verb refuses the mode before it reads the body."""
    headers = {"X-Amz-Decoded-Content-Length": "0"}
    request = Request("POST", bucket, "", headers, "delete=", payload_hash=UNSIGNED_TRAILER)
    signed = signed_headers(server, request)
    answer = exchange(server, [head_bytes("POST", request.target, signed)], "POST")
    assert (answer.status, answer.code) == (400, "InvalidRequest")
