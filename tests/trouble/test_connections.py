"""Slow, idle, silent and very many clients."""

from __future__ import annotations

import resource
import socket
import time
from typing import TYPE_CHECKING

import pytest

from openlake.testing import LocalServer
from tests.conftest import client_of

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

CONNECTIONS = 10_000


@pytest.fixture
def many_files() -> Iterator[None]:
    """Room for the sockets of this side."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if hard < CONNECTIONS + 500:
        pytest.skip(f"the hard limit of open files is {hard}")
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, 20_000), hard))
    yield
    resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


def connect(server: LocalServer) -> socket.socket:
    """A raw connection to the server."""
    host, _, port = server.endpoint.removeprefix("http://").partition(":")
    return socket.create_connection((host, int(port)), timeout=30)


def resident_bytes(pid: int) -> int:
    """Resident memory of a process, from proc(5)."""
    with open(f"/proc/{pid}/statm") as file:  # noqa: PTH123  (not a path of ours)
        return int(file.read().split()[1]) * resource.getpagesize()


@pytest.mark.usefixtures("many_files")
@pytest.mark.timeout(300)
def test_ten_thousand_idle_connections_cost_little(server: LocalServer) -> None:
    """Each has made a request and stays open; the server still answers, and memory is modest."""
    before_bytes = resident_bytes(server.pid)
    request = b"GET /none HTTP/1.1\r\nHost: localhost\r\n\r\n"
    idle = []
    try:
        for _ in range(CONNECTIONS):
            idle.append(connect(server))
            idle[-1].sendall(request)
        for connection in idle:
            assert connection.recv(4096).startswith(b"HTTP/1.1 403 ")
        assert "Buckets" in client_of(server).list_buckets()
        grown_bytes = resident_bytes(server.pid) - before_bytes
        assert grown_bytes < CONNECTIONS * 16_384
        idle[-1].sendall(request)
        assert idle[-1].recv(4096).startswith(b"HTTP/1.1 403 ")
    finally:
        for connection in idle:
            connection.close()


@pytest.fixture(scope="module")
def impatient(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LocalServer]:
    """A server with time limits of one second."""
    limits = {"head_timeout_s": 1, "idle_timeout_s": 1, "body_timeout_s": 1}
    where: Path = tmp_path_factory.mktemp("impatient")
    with LocalServer(where, config={"server": limits}) as running:
        yield running


def test_an_idle_connection_is_closed(impatient: LocalServer) -> None:
    """Nothing sent, nothing answered: the connection ends."""
    with connect(impatient) as connection:
        assert connection.recv(4096) == b""


def test_a_head_that_never_ends_is_closed(impatient: LocalServer) -> None:
    """Slow heads cannot hold a connection for ever, however regularly a byte comes."""
    with connect(impatient) as connection:
        connection.sendall(b"GET / HTTP/1.1\r\nHost: x\r\nX-Slow: ")
        connection.settimeout(0.2)
        deadline = time.monotonic() + 10
        answer = None
        while answer is None:
            assert time.monotonic() < deadline, "still open"
            try:
                connection.sendall(b"a")
                answer = connection.recv(4096)
            except TimeoutError:
                continue
            except ConnectionError:
                answer = b""
        assert answer == b"" or answer.startswith(b"HTTP/1.1 4")


def test_a_stalled_upload_is_refused_and_leaves_nothing(impatient: LocalServer) -> None:
    """CN9: 400 RequestTimeout after the limit, and no object."""
    s3 = client_of(impatient)
    s3.create_bucket(Bucket="stalled")
    url = s3.generate_presigned_url("put_object", Params={"Bucket": "stalled", "Key": "k"})
    target = url.removeprefix(impatient.endpoint)
    host = impatient.endpoint.removeprefix("http://")
    head = f"PUT {target} HTTP/1.1\r\nHost: {host}\r\nContent-Length: 5000000\r\n\r\n"
    with connect(impatient) as connection:
        connection.sendall(head.encode() + b"x" * 100_000)
        answer = b""
        while chunk := connection.recv(4096):
            answer += chunk
    assert answer.startswith(b"HTTP/1.1 400 ")
    assert b"<Code>RequestTimeout</Code>" in answer
    assert s3.list_objects_v2(Bucket="stalled")["KeyCount"] == 0
