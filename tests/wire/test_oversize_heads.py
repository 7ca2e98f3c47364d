"""A request head is bounded: 16 KiB and 128 headers (docs/reference/s3.md), and one above is S3's
400 RequestHeaderSectionTooLarge, whose MaxSizeAllowed is 8 KiB at AWS, for target and headers
alike: not RFC 9110's 414 for the one and RFC 6585's 431 for the other.
"""

from __future__ import annotations

import socket
from typing import TYPE_CHECKING

import pytest

from tests.s3.raw_http import closes_after_answer, connect, head_bytes, read_answer
from tests.s3.signing import Request, signed_headers

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from mypy_boto3_s3.client import S3Client

    from openlake.testing import LocalServer

HEAD_BYTES_MAX = 16384
HEADERS_MAX = 128
PIECE_BYTES = 1000


@pytest.fixture
def key(s3: S3Client, bucket: str) -> Iterator[str]:
    """An object that a well-formed request reads, before and after."""
    s3.put_object(Bucket=bucket, Key="k", Body=b"body")
    yield "k"
    assert s3.get_object(Bucket=bucket, Key="k")["Body"].read() == b"body"


def long_target(size_bytes: int, headers: dict[str, str]) -> bytes:
    """The request line fills the head; the signature is not reached."""
    rest = len(head_bytes("GET", "/bucket/", headers))
    return head_bytes("GET", "/bucket/" + "k" * (size_bytes - rest), headers)


def long_query(size_bytes: int, headers: dict[str, str]) -> bytes:
    rest = len(head_bytes("GET", "/bucket/k?", headers))
    return head_bytes("GET", "/bucket/k?" + "q" * (size_bytes - rest), headers)


def long_header(size_bytes: int, headers: dict[str, str], target: str = "/bucket/k") -> bytes:
    rest = len(head_bytes("GET", target, {**headers, "Filler": ""}))
    return head_bytes("GET", target, {**headers, "Filler": "f" * (size_bytes - rest)})


def long_name(size_bytes: int, headers: dict[str, str]) -> bytes:
    rest = len(head_bytes("GET", "/bucket/k", {**headers, "": "v"}))
    return head_bytes("GET", "/bucket/k", {**headers, "n" * (size_bytes - rest): "v"})


def large_headers(size_bytes: int, headers: dict[str, str]) -> bytes:
    """A hundred headers that are only together too large."""
    more = {f"Filler-{number}": "f" * (size_bytes // 110) for number in range(100)}
    return long_header(size_bytes, {**headers, **more})


Head = pytest.mark.parametrize(
    "head", [long_target, long_query, long_header, long_name, large_headers]
)


@Head
@pytest.mark.parametrize("size_bytes", [HEAD_BYTES_MAX + 1, 10 * HEAD_BYTES_MAX, 1 << 20])
@pytest.mark.usefixtures("key")
def test_an_oversize_head_is_refused(
    server: LocalServer, head: Callable[[int, dict[str, str]], bytes], size_bytes: int
) -> None:
    """By one byte or by far; and the connection is closed."""
    data = head(size_bytes, {"Host": "x"})
    assert len(data) == size_bytes
    answer = closes_after_answer(server, data)
    assert (answer.status, answer.code) == (400, "RequestHeaderSectionTooLarge")
    assert answer.headers["connection"] == "close"


@Head
def test_a_head_just_within_the_limit_is_read(
    server: LocalServer, head: Callable[[int, dict[str, str]], bytes]
) -> None:
    """A signature is what it lacks."""
    data = head(HEAD_BYTES_MAX, {"Host": "x"})
    assert len(data) == HEAD_BYTES_MAX
    with connect(server) as connection:
        connection.sendall(data)
        answer = read_answer(connection)
    assert (answer.status, answer.code) == (403, "AccessDenied")


def test_a_signed_head_of_exactly_the_limit_is_served(
    server: LocalServer, bucket: str, key: str
) -> None:
    """The same connection then serves the next one."""
    request = Request("GET", bucket, key)
    data = long_header(HEAD_BYTES_MAX, signed_headers(server, request), request.target)
    assert len(data) == HEAD_BYTES_MAX
    with connect(server) as connection:
        for _ in range(2):
            connection.sendall(data)
            answer = read_answer(connection)
            assert (answer.status, answer.body) == (200, b"body")


def test_the_number_of_headers_is_bounded(server: LocalServer, bucket: str, key: str) -> None:
    request = Request("GET", bucket, key)
    headers = signed_headers(server, request)
    more = {f"a{number}": "" for number in range(HEADERS_MAX - len(headers))}
    with connect(server) as connection:
        connection.sendall(head_bytes("GET", request.target, {**headers, **more}))
        answer = read_answer(connection)
    assert (answer.status, answer.body) == (200, b"body")
    one_more = head_bytes("GET", request.target, {**headers, **more, "one": "more"})
    assert len(one_more) < HEAD_BYTES_MAX
    answer = closes_after_answer(server, one_more)
    assert (answer.status, answer.code) == (400, "RequestHeaderSectionTooLarge")


def send_in_pieces(connection: socket.socket, data: bytes) -> None:
    """Each a segment of its own."""
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    for start in range(0, len(data), PIECE_BYTES):
        connection.sendall(data[start : start + PIECE_BYTES])


@Head
@pytest.mark.usefixtures("key")
def test_an_oversize_head_in_pieces_is_refused_before_its_end(
    server: LocalServer, head: Callable[[int, dict[str, str]], bytes]
) -> None:
    """What would end it is never sent."""
    cut = head(2 * HEAD_BYTES_MAX, {"Host": "x"})[: HEAD_BYTES_MAX + 1]
    with connect(server) as connection:
        send_in_pieces(connection, cut)
        answer = read_answer(connection)
        assert (answer.status, answer.code) == (400, "RequestHeaderSectionTooLarge")
        assert connection.recv(1) == b""


def test_a_head_of_the_limit_in_pieces_is_served(
    server: LocalServer, bucket: str, key: str
) -> None:
    request = Request("GET", bucket, key)
    with connect(server) as connection:
        send_in_pieces(
            connection,
            long_header(HEAD_BYTES_MAX, signed_headers(server, request), request.target),
        )
        answer = read_answer(connection)
    assert (answer.status, answer.body) == (200, b"body")
