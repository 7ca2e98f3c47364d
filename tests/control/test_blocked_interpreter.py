"""Hot verbs never enter Python: they go on while the server's interpreter is blocked."""

from __future__ import annotations

import subprocess
import sys
import time
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

from tests.conftest import client_of

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

KEYS = ("blocked-key", "blocked-secret")
BLOCKED_S = 4
# Runs a server in one thread; told to by a line, another one keeps the GIL for seconds. PyDLL,
# unlike CDLL, does not release it around the call.
SERVER = """
import asyncio, ctypes, sys, threading
from pathlib import Path
from openlake.config import load_settings, this_hardware, tuned
from openlake.control import running

data, access_key, secret_key, blocked_s = sys.argv[1:]
environment = {"OPENLAKE_ROOT_ACCESS_KEY": access_key, "OPENLAKE_ROOT_SECRET_KEY": secret_key}
flags = {"server": {"listen": "127.0.0.1:0", "admin": "127.0.0.1:0", "cores": 2}}
settings = tuned(load_settings(Path(data), None, environment, flags), this_hardware())

async def serve(stop):
    async with running(settings) as started:
        print(started.endpoint, flush=True)
        await asyncio.to_thread(stop.wait)

stop = threading.Event()
server = threading.Thread(target=asyncio.run, args=(serve(stop),))
server.start()
for line in sys.stdin:
    print("blocked", flush=True)
    ctypes.PyDLL(None).usleep(int(blocked_s) * 1_000_000)
    print("released", flush=True)
stop.set()
server.join()
"""


def put_and_get(s3: Any, content: Callable[..., bytes], number: int) -> None:
    for size_bytes in (4096, 1 << 20):
        body = content(size_bytes, number)
        s3.put_object(Bucket="bucket", Key=f"{number}-{size_bytes}", Body=body)
        got = s3.get_object(Bucket="bucket", Key=f"{number}-{size_bytes}")
        assert got["Body"].read() == body


def test_put_and_get_go_on_while_the_gil_is_held(
    tmp_path: Path, content: Callable[..., bytes]
) -> None:
    command = [sys.executable, "-c", SERVER, str(tmp_path / "data"), *KEYS, str(BLOCKED_S)]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, text=True, stdin=pipe, stdout=pipe) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        endpoint = process.stdout.readline().strip()
        access_key, secret_key = KEYS
        reached: Any = SimpleNamespace(
            endpoint=endpoint, access_key=access_key, secret_key=secret_key
        )
        s3 = client_of(reached)
        s3.create_bucket(Bucket="bucket")
        process.stdin.write("block\n")
        process.stdin.flush()
        assert process.stdout.readline() == "blocked\n"
        began, rounds = time.monotonic(), 0
        while time.monotonic() - began < BLOCKED_S * 0.75:
            put_and_get(s3, content, rounds)
            rounds += 1
        assert rounds >= 3
        # A verb of Python's waits for the interpreter: so it was blocked all the time.
        s3.list_buckets()
        assert time.monotonic() - began >= BLOCKED_S * 0.95
        assert process.stdout.readline() == "released\n"
        process.stdin.close()
        assert process.wait(30) == 0
