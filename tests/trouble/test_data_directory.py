"""The data directory and the addresses: each wrong one is refused with the reason."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from openlake.testing import LocalServer
from tests.conftest import client_of

if TYPE_CHECKING:
    from pathlib import Path

KEYS = {"OPENLAKE_ROOT_ACCESS_KEY": "rootrootroot", "OPENLAKE_ROOT_SECRET_KEY": "secretsecret"}


def refused(*arguments: str, env: dict[str, str] | None = None) -> str:
    """Run `openlake serve` with arguments it must refuse; its message."""
    environment = {k: v for k, v in os.environ.items() if not k.startswith("OPENLAKE_")}
    done = subprocess.run(
        [sys.executable, "-m", "openlake", "serve", *arguments],
        env=environment | (env or {}),
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode not in (0, None), done.stdout
    assert "Traceback" not in done.stderr
    return done.stdout + done.stderr


def test_a_second_server_on_the_same_directory_is_refused(
    server: LocalServer,
) -> None:
    """The lock names the directory and leaves the first server working."""
    message = refused(
        "--data", str(server.data_dir), "--listen", "127.0.0.1:0", "--admin", "127.0.0.1:0"
    )
    assert str(server.data_dir) in message
    assert "in use" in message
    assert "Buckets" in client_of(server).list_buckets()


def test_a_port_that_is_taken_is_named(tmp_path: Path) -> None:
    """A foreign listener on the port, even with SO_REUSEPORT off, is an error that names it."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        address = f"127.0.0.1:{taken.getsockname()[1]}"
        message = refused("--data", str(tmp_path), "--listen", address, "--admin", "127.0.0.1:0")
    assert address in message


def test_another_openlake_server_on_the_port_is_refused(
    server: LocalServer, tmp_path: Path
) -> None:
    """Two servers must never share a port silently (SO_REUSEPORT would let them)."""
    address = server.endpoint.removeprefix("http://")
    message = refused("--data", str(tmp_path), "--listen", address, "--admin", "127.0.0.1:0")
    assert address in message


def test_a_missing_parent_directory_is_named(tmp_path: Path) -> None:
    """The data directory itself is created, its parent is not: a typing error stays visible."""
    where = tmp_path / "no" / "such" / "place"
    assert str(where) in refused("--data", str(where), "--listen", "127.0.0.1:0")


def test_a_file_in_its_place_is_refused(tmp_path: Path) -> None:
    """--data names a file."""
    where = tmp_path / "file"
    where.write_text("not a directory")
    assert str(where) in refused("--data", str(where), "--listen", "127.0.0.1:0")


def test_a_directory_of_something_else_is_refused(tmp_path: Path) -> None:
    """A directory that holds foreign files is not taken over."""
    (tmp_path / "precious.txt").write_text("mine")
    message = refused("--data", str(tmp_path), "--listen", "127.0.0.1:0")
    assert str(tmp_path) in message
    assert [path.name for path in tmp_path.iterdir()] == ["precious.txt"]


@pytest.mark.skipif(not os.path.exists("/proc/1/root"), reason="needs Linux")  # noqa: PTH110
def test_an_unwritable_directory_is_refused() -> None:
    """A directory on a read-only mount (root ignores permission bits, so /proc stands in)."""
    assert "/proc/1" in refused("--data", "/proc/1", "--listen", "127.0.0.1:0")


def test_a_newer_format_version_is_refused(tmp_path: Path) -> None:
    """The identity file of a later release is recognised and left alone."""
    data = tmp_path / "data"
    with LocalServer(data):
        pass
    identity = data / "identity.json"
    text = identity.read_text()
    assert '"format_version": 1' in text
    newer = text.replace('"format_version": 1', '"format_version": 2')
    identity.write_text(newer)
    message = refused("--data", str(data), "--listen", "127.0.0.1:0")
    assert "format version 2" in message
    assert identity.read_text() == newer


def test_a_foreign_address_needs_explicit_keys(tmp_path: Path) -> None:
    """No server listens beyond loopback with keys that nobody chose."""
    message = refused("--data", str(tmp_path / "d"), "--listen", "0.0.0.0:0")
    assert "OPENLAKE_ROOT_ACCESS_KEY" in message


def test_unknown_settings_are_refused_by_name(tmp_path: Path) -> None:
    """A misspelt key in the configuration file is an error, never ignored."""
    config = tmp_path / "openlake.toml"
    config.write_text('[server]\nlissten = "127.0.0.1:0"\n')
    message = refused("--data", str(tmp_path / "d"), "--config", str(config), env=KEYS)
    assert "lissten" in message
    assert str(config) in message
