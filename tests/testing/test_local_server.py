"""The server of a test lives and dies with it."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from openlake.testing import LocalServer, ServerDidNotStartError

OWNER = """
import sys, time
from pathlib import Path
from openlake.testing import LocalServer

server = LocalServer(Path(sys.argv[1]), cores=1).start()
print(server.pid, flush=True)
time.sleep(60)
"""


def is_running(pid: int) -> bool:
    """A zombie runs no more."""
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except FileNotFoundError:
        return False
    return state != "Z"


def test_a_server_does_not_outlive_its_owner(tmp_path: Path) -> None:
    """Not even when that one is killed."""
    with subprocess.Popen(
        [sys.executable, "-c", OWNER, str(tmp_path / "data")], stdout=subprocess.PIPE
    ) as owner:
        assert owner.stdout is not None
        pid = int(owner.stdout.readline())
        assert is_running(pid)
        owner.kill()
    deadline = time.monotonic() + 30
    while is_running(pid):
        assert time.monotonic() < deadline
        time.sleep(0.02)


def test_sigterm_drains_and_ends_with_zero(tmp_path: Path) -> None:
    server = LocalServer(tmp_path / "data", cores=1).start()
    process = server.process
    assert process is not None
    os.kill(server.pid, signal.SIGTERM)
    assert process.wait(30) == 0
    assert "Traceback" not in server.output


def test_a_server_that_cannot_start_says_why(tmp_path: Path) -> None:
    data = tmp_path / "no" / "such" / "parent"
    with pytest.raises(ServerDidNotStartError, match="ended with code") as caught:
        LocalServer(data, cores=1).start()
    assert str(data) in str(caught.value)
