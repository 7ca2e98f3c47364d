"""A full disk: writes are refused with 507, reads and deletes go on, space returns."""

from __future__ import annotations

import os
import subprocess
import time
from typing import TYPE_CHECKING, Any

import pytest
from botocore.exceptions import ClientError

from openlake.testing import LocalServer
from tests.conftest import client_of

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

MIB = 1 << 20


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of its own of 256 MiB: tmpfs, which knows O_DIRECT since Linux 6.6."""
    if os.geteuid() != 0:
        pytest.skip("mounting a small file system needs root")
    where = tmp_path / "disk"
    where.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=256m", "tmpfs", str(where)]
    done = subprocess.run(mount, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        pytest.skip(f"no mount here: {done.stderr.strip()}")
    yield where
    subprocess.run(["umount", str(where)], check=True)


def fill(s3: Any, size_bytes: int) -> int:
    """Put objects until one is refused; how many there are, and the refusal is the right one."""
    for number in range(1000):
        try:
            s3.put_object(Bucket="full", Key=f"{number}", Body=bytes([number % 251]) * size_bytes)
        except ClientError as error:
            assert error.response["ResponseMetadata"]["HTTPStatusCode"] == 507
            assert error.response["Error"]["Message"]
            return number
    pytest.fail("the disk never got full")


def test_a_full_disk_refuses_writes_and_recovers(small_disk: Path) -> None:
    """Large objects fill it; everything stored still reads back (CN7)."""
    config = {"store": {"journal_segment_mib": 8}}
    with LocalServer(small_disk / "data", cores=1, config=config) as server:
        s3 = client_of(server)
        s3.create_bucket(Bucket="full")
        s3.put_object(Bucket="full", Key="old", Body=b"old")
        count = fill(s3, 8 * MIB)
        assert count > 5
        for number in range(count):
            body = s3.get_object(Bucket="full", Key=f"{number}")["Body"].read()
            assert body == bytes([number % 251]) * (8 * MIB)
        keys = {entry["Key"] for entry in s3.list_objects_v2(Bucket="full")["Contents"]}
        assert keys == {"old", *map(str, range(count))}
        for number in range(count):
            s3.delete_object(Bucket="full", Key=f"{number}")
        wait_until_accepted(s3)
        assert fill(s3, 8 * MIB) >= count - 1
        assert s3.get_object(Bucket="full", Key="old")["Body"].read() == b"old"
        assert server.stop() == 0


def wait_until_accepted(s3: Any) -> None:
    """Space returns in the background; it must be back within seconds."""
    deadline = time.monotonic() + 10
    while True:
        try:
            s3.put_object(Bucket="full", Key="again", Body=b"x" * (8 * MIB))
        except ClientError:
            assert time.monotonic() < deadline
        else:
            return
