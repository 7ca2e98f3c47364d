"""aws-cli: `s3 cp` and `s3 sync` of a directory tree and of a file of 200 MiB, byte-compared."""

from __future__ import annotations

import filecmp
import os
import random
import subprocess
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

    from openlake.testing import LocalServer

MIB = 1 << 20
RUN = "import sys; from awscli.clidriver import main; sys.exit(main())"


def aws(server: LocalServer, *arguments: str) -> str:
    """Run the installed aws-cli against `server` and return its output."""
    environment = {
        "PATH": os.environ["PATH"],
        "HOME": os.environ.get("HOME", "/"),
        "AWS_ACCESS_KEY_ID": server.access_key,
        "AWS_SECRET_ACCESS_KEY": server.secret_key,
        "AWS_DEFAULT_REGION": "us-east-1",
        "AWS_CONFIG_FILE": os.devnull,
        "AWS_SHARED_CREDENTIALS_FILE": os.devnull,
        "AWS_EC2_METADATA_DISABLED": "true",
    }
    command = [sys.executable, "-c", RUN, "--endpoint-url", server.endpoint, *arguments]
    done = subprocess.run(
        command, env=environment, capture_output=True, text=True, timeout=240, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def tree(root: Path) -> list[Path]:
    """A directory tree with awkward names and sizes around our internal edges."""
    sizes_bytes = {
        "empty": 0,
        "a.txt": 11,
        "deep/er/still/x.bin": 65_537,
        "deep/with space & plus+.bin": 4096,
        "unicode/naïve-☃.bin": MIB + 1,
        "deep/percent%25.bin": 100,
    }
    paths = []
    for seed, (name, size_bytes) in enumerate(sizes_bytes.items()):
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(random.Random(seed).randbytes(size_bytes))
        paths.append(path)
    return paths


def test_a_tree_syncs_there_and_back(server: LocalServer, bucket: str, tmp_path: Path) -> None:
    """Sync up, list, sync down, compare; a second sync has nothing to do."""
    there, back = tmp_path / "there", tmp_path / "back"
    paths = tree(there)
    aws(server, "s3", "sync", str(there), f"s3://{bucket}/tree")
    assert aws(server, "s3", "sync", str(there), f"s3://{bucket}/tree").strip() == ""
    aws(server, "s3", "sync", f"s3://{bucket}/tree", str(back))
    for path in paths:
        assert filecmp.cmp(path, back / path.relative_to(there), shallow=False), path
    listing = aws(server, "s3", "ls", "--recursive", f"s3://{bucket}/tree/")
    assert len(listing.splitlines()) == len(paths)


def test_sync_delete_removes_what_is_gone(server: LocalServer, bucket: str, tmp_path: Path) -> None:
    """`sync --delete` and `rm --recursive` remove objects."""
    paths = tree(tmp_path / "tree")
    target = f"s3://{bucket}/tree"
    aws(server, "s3", "sync", str(tmp_path / "tree"), target)
    paths[1].unlink()
    aws(server, "s3", "sync", "--delete", str(tmp_path / "tree"), target)
    assert len(aws(server, "s3", "ls", "--recursive", target).splitlines()) == len(paths) - 1
    aws(server, "s3", "rm", "--recursive", target)
    assert '"Contents"' not in aws(server, "s3api", "list-objects-v2", "--bucket", bucket)


def test_a_200_mib_file_is_copied_in_parts(
    server: LocalServer, bucket: str, tmp_path: Path
) -> None:
    """`s3 cp` up and down again."""
    there, back = tmp_path / "there", tmp_path / "back"
    with there.open("wb") as file:
        for seed in range(25):
            file.write(random.Random(seed).randbytes(8 * MIB))
    aws(server, "s3", "cp", "--no-progress", str(there), f"s3://{bucket}/big")
    aws(server, "s3", "cp", "--no-progress", f"s3://{bucket}/big", str(back))
    assert filecmp.cmp(there, back, shallow=False)
