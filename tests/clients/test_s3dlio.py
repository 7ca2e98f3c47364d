"""s3dlio 0.10.0, the client of the checkpoint benchmark: 32 MiB parts, 8 in flight."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from openlake.testing import LocalServer

# s3dlio reads its credentials from the environment once, so it gets a process of its own.
SCRIPT = """
import hashlib, random, sys
import s3dlio

bucket, parts = sys.argv[1], int(sys.argv[2])
part_bytes = 32 << 20
writer = s3dlio.MultipartUploadWriter(
    bucket, "dir/check.pt", part_size=part_bytes, max_in_flight=8
)
there = hashlib.sha256()
for seed in range(parts):
    piece = random.Random(seed).randbytes(part_bytes if seed + 1 < parts else 12_345)
    there.update(piece)
    writer.write(piece)
answer = writer.close()
assert answer["parts"] == parts, answer
uri = f"s3://{bucket}/dir/check.pt"
size_bytes = (parts - 1) * part_bytes + 12_345
back = hashlib.sha256()
for start in range(0, size_bytes, 24 << 20):
    length = min(24 << 20, size_bytes - start)
    back.update(bytes(memoryview(s3dlio.get_range(uri, start, length))))
assert back.hexdigest() == there.hexdigest(), "the bytes differ"
s3dlio.put_bytes(f"s3://{bucket}/small", b"small object")
assert bytes(memoryview(s3dlio.get(f"s3://{bucket}/small"))) == b"small object"
names = sorted(s3dlio.list(f"s3://{bucket}/", recursive=True))
assert [name.rpartition(bucket + "/")[2] for name in names] == ["dir/check.pt", "small"], names
s3dlio.delete(uri)
print("same bytes")
"""


@pytest.mark.parametrize("unsigned", ["0", "1"])
def test_multipart_upload_and_ranged_reads(server: LocalServer, bucket: str, unsigned: str) -> None:
    """Hex SHA-256 payloads and UNSIGNED-PAYLOAD, parts arriving in any order."""
    environment = {
        "PATH": os.environ["PATH"],
        "AWS_ACCESS_KEY_ID": server.access_key,
        "AWS_SECRET_ACCESS_KEY": server.secret_key,
        "AWS_REGION": "us-east-1",
        "AWS_ENDPOINT_URL": server.endpoint,
        "S3DLIO_UNSIGNED_PAYLOAD": unsigned,
    }
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, bucket, "9"],
        env=environment,
        capture_output=True,
        text=True,
        timeout=240,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "same bytes" in done.stdout
