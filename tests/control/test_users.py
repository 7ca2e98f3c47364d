"""Users: added while the server runs, kept by it, and kept apart."""

from __future__ import annotations

import json
import os
import socket
import stat
import subprocess
import sys
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest

from openlake.control import LocalSocketError, add_user
from openlake.testing import LocalServer
from tests.conftest import client_of
from tests.s3.errors import refusal

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

SECRET = "secret-secret"
DENIED = (403, "AccessDenied")


def client(server: LocalServer, access_key: str) -> Any:
    as_user: Any = SimpleNamespace(
        endpoint=server.endpoint, access_key=access_key, secret_key=SECRET
    )
    return client_of(as_user)


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LocalServer]:
    """A server of this file's own, in a directory whose path is longer than a socket's may be."""
    data = tmp_path_factory.mktemp("a" * 120) / "data"
    with LocalServer(data, cores=1) as running:
        for name in ("ann", "bob"):
            add_user(data, name, f"{name}-key", SECRET)
        yield running


def test_a_user_has_its_own_buckets_and_no_others(shared: LocalServer) -> None:
    ann, bob, root = client(shared, "ann-key"), client(shared, "bob-key"), client_of(shared)
    ann.create_bucket(Bucket="anns")
    ann.put_object(Bucket="anns", Key="k", Body=b"hers")
    assert ann.get_object(Bucket="anns", Key="k")["Body"].read() == b"hers"
    bob.create_bucket(Bucket="bobs")
    assert [bucket["Name"] for bucket in ann.list_buckets()["Buckets"]] == ["anns"]
    assert [bucket["Name"] for bucket in bob.list_buckets()["Buckets"]] == ["bobs"]
    assert [bucket["Name"] for bucket in root.list_buckets()["Buckets"]] == ["anns", "bobs"]
    assert root.get_object(Bucket="anns", Key="k")["Body"].read() == b"hers"
    assert ann.list_buckets()["Owner"]["DisplayName"] == "ann"


def test_sec24_what_is_not_ones_own_looks_like_what_is_not_there(shared: LocalServer) -> None:
    bob = client(shared, "bob-key")
    for bucket in ("anns", "test-not-there"):
        assert refusal(bob.head_bucket, Bucket=bucket)[0] == 403
        assert refusal(bob.get_bucket_location, Bucket=bucket) == DENIED
        assert refusal(bob.get_object, Bucket=bucket, Key="k") == DENIED
        assert refusal(bob.put_object, Bucket=bucket, Key="k", Body=b"") == DENIED
        assert refusal(bob.delete_bucket, Bucket=bucket) == DENIED
        assert refusal(bob.create_multipart_upload, Bucket=bucket, Key="k") == DENIED
        wanted = {"Objects": [{"Key": "k"}]}
        assert refusal(bob.delete_objects, Bucket=bucket, Delete=wanted) == DENIED


def test_cp10_a_copy_needs_both_buckets(shared: LocalServer) -> None:
    bob = client(shared, "bob-key")
    bob.put_object(Bucket="bobs", Key="k", Body=b"his")
    refused = refusal(bob.copy_object, Bucket="bobs", Key="c", CopySource="anns/k")
    assert refused == DENIED
    refused = refusal(bob.copy_object, Bucket="anns", Key="c", CopySource="bobs/k")
    assert refused == DENIED
    bob.copy_object(Bucket="bobs", Key="c", CopySource="bobs/k")


def test_xm4_the_name_of_somebody_elses_bucket_is_taken(shared: LocalServer) -> None:
    bob = client(shared, "bob-key")
    assert refusal(bob.create_bucket, Bucket="anns") == (409, "BucketAlreadyExists")


@pytest.fixture(autouse=True, scope="module")
def buckets(shared: LocalServer) -> None:
    """Whatever the order of the tests, both users have their bucket."""
    for name in ("ann", "bob"):
        user = client(shared, f"{name}-key")
        user.create_bucket(Bucket=f"{name}s")
    client(shared, "ann-key").put_object(Bucket="anns", Key="k", Body=b"hers")


@pytest.mark.parametrize(
    ("name", "access_key", "secret_key", "reason"),
    [
        ("ann", "other-key", SECRET, "already"),
        ("carl", "ann-key", SECRET, "belongs to user ann"),
        ("", "carl-key", SECRET, "not a user's name"),
        ("a/b", "carl-key", SECRET, "not a user's name"),
        ("root", "carl-key", SECRET, "already"),
        ("carl", "a/b", SECRET, "access key"),
        ("carl", "carl-key", "short", "8 to 128"),
    ],
)
def test_a_user_that_cannot_be_is_refused(
    shared: LocalServer, name: str, access_key: str, secret_key: str, reason: str
) -> None:
    with pytest.raises(LocalSocketError, match=reason):
        add_user(shared.data_dir, name, access_key, secret_key)


def test_the_socket_is_its_owners_alone(shared: LocalServer) -> None:
    mode = (shared.data_dir / "openlake.sock").stat().st_mode
    assert stat.S_ISSOCK(mode)
    assert stat.S_IMODE(mode) == 0o600


@pytest.mark.parametrize("line", [b"\n", b"{}\n", b"[1]\n", b'{"command":"stop"}\n', b"x" * 70_000])
def test_a_line_that_is_no_command_is_refused(shared: LocalServer, line: bytes) -> None:
    folder = os.open(shared.data_dir, os.O_RDONLY)
    try:
        with socket.socket(socket.AF_UNIX) as connection:
            connection.connect(f"/proc/self/fd/{folder}/openlake.sock")
            connection.settimeout(30)
            connection.sendall(line)
            with connection.makefile("rb") as answers:
                assert "error" in json.loads(answers.readline())
    finally:
        os.close(folder)


def test_users_and_owners_survive_a_crash(tmp_path: Path) -> None:
    server = LocalServer(tmp_path / "data", cores=1).start()
    try:
        command = [sys.executable, "-m", "openlake", "user", "add", "ann"]
        keys = ["--access-key", "ann-key", "--secret-key", SECRET]
        done = subprocess.run(
            [*command, "--data", str(tmp_path / "data"), *keys], capture_output=True, check=False
        )
        assert done.returncode == 0, done.stderr
        client(server, "ann-key").create_bucket(Bucket="anns")
        owner = client(server, "ann-key").list_buckets()["Owner"]["ID"]
        server.kill()
        server.start()
        answer = client(server, "ann-key").list_buckets()
        assert [bucket["Name"] for bucket in answer["Buckets"]] == ["anns"]
        assert answer["Owner"] == {"ID": owner, "DisplayName": "ann"}
    finally:
        server.stop()


def test_without_a_server_there_is_nobody_to_ask(tmp_path: Path) -> None:
    with pytest.raises(LocalSocketError, match="no server runs"):
        add_user(tmp_path, "ann", "ann-key", SECRET)
