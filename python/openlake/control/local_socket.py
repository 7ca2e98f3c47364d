"""The door for the owner of the data directory while the server runs: a Unix socket in it that
nobody else may open. One JSON object a line asks, one answers.
"""

import asyncio
import contextlib
import json
import os
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from openlake._core import EngineError
from openlake.control.errors import LocalSocketError, ServeError
from openlake.control.iam import InvalidUserError
from openlake.control.state import State

NAME = "openlake.sock"
LINE_BYTES_MAX = 64 << 10
TIMEOUT_S = 30.0


@contextlib.contextmanager
def socket_path(data: Path) -> Iterator[str]:
    """A path to the socket that is short enough for an address (108 bytes), however long that of
    the directory is.
    """
    folder = os.open(data, os.O_RDONLY | os.O_DIRECTORY)
    try:
        yield f"/proc/self/fd/{folder}/{NAME}"
    finally:
        os.close(folder)


class LocalSocket:
    """Serves the socket of a data directory that this process has locked."""

    def __init__(self, data: Path, state: State) -> None:
        self._data = data
        self._state = state
        self._server: asyncio.Server | None = None

    async def start(self) -> None:
        # One that is there was left behind by a server that was killed.
        (self._data / NAME).unlink(missing_ok=True)
        listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        # Linux gives the file the mode of the socket: it is never open to others.
        os.fchmod(listener.fileno(), 0o600)
        try:
            with socket_path(self._data) as path:
                listener.bind(path)
        except OSError as error:
            raise ServeError(f"{self._data / NAME} cannot be made: {error.strerror}") from error
        self._server = await asyncio.start_unix_server(
            self._connection, sock=listener, limit=LINE_BYTES_MAX
        )

    async def stop(self) -> None:
        if self._server is not None:
            self._server.close()
            await self._server.wait_closed()
            (self._data / NAME).unlink(missing_ok=True)

    async def _connection(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(ConnectionError, TimeoutError):
            async with asyncio.timeout(TIMEOUT_S):
                answer = await self._answer(await self._line(reader))
                writer.write(json.dumps(answer).encode() + b"\n")
                await writer.drain()
        writer.close()

    @staticmethod
    async def _line(reader: asyncio.StreamReader) -> bytes:
        try:
            return await reader.readline()
        except ValueError:  # longer than the limit
            return b""

    async def _answer(self, line: bytes) -> dict[str, Any]:
        try:
            asked = json.loads(line)
            command = asked.pop("command")
            arguments = {str(name): str(value) for name, value in asked.items()}
        except (ValueError, KeyError, TypeError, AttributeError):
            return {"error": "the line is not a JSON object with a command"}
        if command != "add_user" or arguments.keys() != {"name", "access_key", "secret_key"}:
            return {"error": f"the server does not know the command {command!r} in this form"}
        try:
            user = await self._state.add_user(**arguments)
        except (InvalidUserError, EngineError) as error:
            return {"error": str(error)}
        return {"user_id": user.user_id}


def add_user(data: Path, name: str, access_key: str, secret_key: str) -> str:
    """Ask the server of a data directory to add a plain user; its canonical id."""
    asked = {"command": "add_user", "name": name, "access_key": access_key}
    answer = ask(data, {**asked, "secret_key": secret_key})
    return str(answer["user_id"])


def ask(data: Path, asked: dict[str, str]) -> dict[str, Any]:
    try:
        with socket_path(data) as path, socket.socket(socket.AF_UNIX) as connection:
            connection.settimeout(TIMEOUT_S)
            connection.connect(path)
            connection.sendall(json.dumps(asked).encode() + b"\n")
            with connection.makefile("rb") as answers:
                line = answers.readline(LINE_BYTES_MAX)
    except (FileNotFoundError, NotADirectoryError, ConnectionRefusedError) as error:
        raise LocalSocketError(
            f"no server runs on {data}; start one: openlake serve --data {data}"
        ) from error
    except OSError as error:
        raise LocalSocketError(f"the server of {data} cannot be asked: {error}") from error
    if not line:
        raise LocalSocketError(f"the server of {data} ended without an answer; ask again")
    answer: dict[str, Any] = json.loads(line)
    if "error" in answer:
        raise LocalSocketError(str(answer["error"]))
    return answer
