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
    from collections.abc import Iterator
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


@pytest.fixture
def unwritable(tmp_path: Path) -> Iterator[Path]:
    """Permission bits keep a user out, and only a read-only mount keeps root out."""
    where = tmp_path / "unwritable"
    where.mkdir(mode=0o500)
    if os.geteuid() != 0:
        yield where
        return
    mount = ["mount", "-t", "tmpfs", "-o", "ro", "tmpfs", str(where)]
    done = subprocess.run(mount, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        pytest.skip(f"no mount here: {done.stderr.strip()}")
    yield where
    subprocess.run(["umount", str(where)], check=True)


def test_an_unwritable_directory_is_refused(unwritable: Path) -> None:
    """The directory exists and nothing can be made in it."""
    assert str(unwritable) in refused("--data", str(unwritable), "--listen", "127.0.0.1:0")


def test_a_newer_format_version_is_refused(tmp_path: Path) -> None:
    """The identity file of a later release is recognised and left alone."""
    data = tmp_path / "data"
    with LocalServer(data):
        pass
    identity = data / "identity"
    content = identity.read_bytes()
    # docs/design/on-disk-format.md: eight bytes of magic, then the version in 16 bits.
    assert content[:10] == b"OPENLAKE" + (1).to_bytes(2, "little")
    newer = content[:8] + (2).to_bytes(2, "little") + content[10:]
    identity.write_bytes(newer)
    message = refused("--data", str(data), "--listen", "127.0.0.1:0")
    assert "format 2" in message
    assert identity.read_bytes() == newer


def test_a_damaged_identity_is_refused(tmp_path: Path) -> None:
    """One flipped bit anywhere in the identity file is noticed."""
    data = tmp_path / "data"
    with LocalServer(data):
        pass
    identity = data / "identity"
    content = identity.read_bytes()
    flipped = content[:20] + bytes([content[20] ^ 1]) + content[21:]
    identity.write_bytes(flipped)
    assert "damaged" in refused("--data", str(data), "--listen", "127.0.0.1:0")


def test_a_directory_of_another_deployment_is_refused(tmp_path: Path) -> None:
    """The identity file of one directory beside the journal of another: two drives were mixed up.
    Nothing is changed, so that it opens again once the right identity is back.
    """
    ours, theirs = tmp_path / "ours", tmp_path / "theirs"
    for data in (ours, theirs):
        with LocalServer(data) as server:
            client_of(server).create_bucket(Bucket=f"of-{data.name}")
    identities = [(data / "identity").read_bytes() for data in (ours, theirs)]
    (ours / "identity").write_bytes(identities[1])
    (theirs / "identity").write_bytes(identities[0])
    for data in (ours, theirs):
        assert "another deployment" in refused("--data", str(data), "--listen", "127.0.0.1:0")
    (ours / "identity").write_bytes(identities[0])
    with LocalServer(ours) as server:
        found = client_of(server).list_buckets()["Buckets"]
    assert [bucket["Name"] for bucket in found] == ["of-ours"]


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
