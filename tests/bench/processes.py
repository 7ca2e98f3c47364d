"""Watching the processes that a benchmark starts."""

import contextlib
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any


def children_of(pid: int) -> list[int]:
    """The processes that any of its threads started (proc(5))."""
    found = []
    for task in Path(f"/proc/{pid}/task").glob("*/children"):
        # A thread may end meanwhile.
        with contextlib.suppress(FileNotFoundError, ProcessLookupError):
            found += [int(child) for child in task.read_text().split()]
    return found


def wait_for(
    what: str, reached: Callable[[], bool], process: subprocess.Popen[Any] | None = None
) -> None:
    """Until it is so; a process that ends meanwhile will not make it so."""
    deadline = time.monotonic() + 60
    while not reached():
        assert process is None or process.poll() is None, f"ended before {what}"
        assert time.monotonic() < deadline, f"no {what} in time"
        time.sleep(0.05)
