"""One request over one socket, byte for byte as given, and the answer to it."""

from __future__ import annotations

import re
import socket
from dataclasses import dataclass
from http.client import HTTPResponse
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from openlake.testing import LocalServer

TIMEOUT_S = 30


@dataclass(frozen=True)
class Answer:
    """What came back; header names are lower case."""

    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def code(self) -> str:
        """`<Code>` of the error document, or nothing."""
        return self.element("Code")

    def element(self, name: str) -> str:
        """Text of the first element of this name, or nothing."""
        found = re.search(rb"<%s>(.*?)</%s>" % (name.encode(), name.encode()), self.body, re.DOTALL)
        return found[1].decode() if found else ""


def connect(server: LocalServer) -> socket.socket:
    """A connection to the server."""
    host, _, port = server.endpoint.removeprefix("http://").partition(":")
    return socket.create_connection((host, int(port)), timeout=TIMEOUT_S)


def head_bytes(method: str, target: str, headers: Mapping[str, str]) -> bytes:
    """A request head."""
    lines = [f"{method} {target} HTTP/1.1", *(f"{name}: {text}" for name, text in headers.items())]
    return "\r\n".join([*lines, "", ""]).encode("latin-1")


def read_answer(connection: socket.socket, method: str = "GET") -> Answer:
    """The next answer on the connection."""
    response = HTTPResponse(connection, method=method)
    try:
        response.begin()
        headers = {name.lower(): text for name, text in response.getheaders()}
        return Answer(response.status, headers, response.read())
    finally:
        response.close()


def exchange(server: LocalServer, pieces: Iterable[bytes], method: str = "GET") -> Answer:
    """Send the pieces one by one on a new connection, then read the answer."""
    with connect(server) as connection:
        # Each piece is a segment of its own.
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        for piece in pieces:
            connection.sendall(piece)
        return read_answer(connection, method)


def closes_after_answer(server: LocalServer, data: bytes) -> Answer:
    """Send, read the answer, and see the server end the connection."""
    with connect(server) as connection:
        connection.sendall(data)
        answer = read_answer(connection)
        connection.settimeout(TIMEOUT_S)
        assert connection.recv(1) == b""
        return answer
