"""Watching the processes that a benchmark starts."""

import subprocess
import time
from collections.abc import Callable
from typing import Any


def children_of(pid: int) -> list[int]:
    found = subprocess.run(
        ["/usr/bin/env", "pgrep", "--parent", str(pid)], capture_output=True, text=True, check=False
    )
    return [int(line) for line in found.stdout.split()]


def wait_for(
    what: str, reached: Callable[[], bool], process: subprocess.Popen[Any] | None = None
) -> None:
    """Until it is so; a process that ends meanwhile will not make it so."""
    deadline = time.monotonic() + 60
    while not reached():
        assert process is None or process.poll() is None, f"ended before {what}"
        assert time.monotonic() < deadline, f"no {what} in time"
        time.sleep(0.05)
