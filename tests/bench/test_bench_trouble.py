"""`python -m openlake.bench` in trouble: a message and no trace, no data and no process left."""

import os
import shutil
import signal
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace

import pytest
from click.testing import CliRunner, Result

from openlake.bench import objects
from openlake.bench.__main__ import main
from openlake.bench.figure import Figures
from openlake.bench.process_usage import usage_of
from openlake.bench.scenario import SMALL_READ, LoadError, Subject, fill_for, take
from openlake.sdk.settings import ClientConfig
from openlake.testing import LocalServer
from tests.bench.processes import children_of, wait_for


def refused(data: Path) -> str:
    """Why it ended, on standard error, and nothing is left."""
    ended: Result = CliRunner().invoke(main, ["--data", str(data), "--results", str(data.parent)])
    assert isinstance(ended.exception, SystemExit)
    assert ended.exit_code == 1
    assert ended.stderr.startswith("Error: ")
    assert list(data.parent.iterdir()) == []
    return ended.stderr


@pytest.fixture
def only_the_server(monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither the drive nor the null server is measured: they take seconds."""
    monkeypatch.setattr(objects, "measure_drive", lambda *_: None)
    monkeypatch.setattr(objects, "measure_null_server", lambda *_: None)


def test_a_drive_that_is_too_small_says_what_is_needed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shutil, "disk_usage", lambda _: SimpleNamespace(free=3 << 29))
    said = refused(tmp_path / "data")
    assert f"needs 6.0 GiB in {tmp_path}, where 1.5 GiB are free" in said
    assert "DATA=" in said


def test_a_place_that_cannot_be_written_to_is_named(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_bytes(b"")
    ended = CliRunner().invoke(main, ["--data", str(file / "data")])
    assert ended.exit_code == 1
    assert ended.stderr.startswith(f"Error: cannot make {file / 'data-bench'}: Not a directory")


def test_a_drive_that_cannot_be_probed_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Larger than any file may be (EFBIG), so that no drive is filled.
    monkeypatch.setattr("openlake.bench.drive.FILE_BYTES", 1 << 62)
    said = refused(tmp_path / "data")
    assert said.startswith(f"Error: cannot measure the drive in {tmp_path / 'data-bench'}: ")
    assert said.count("\n") == 1


@pytest.mark.usefixtures("only_the_server")
def test_a_server_that_does_not_start_says_why(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENLAKE_SERVER_CORES", "many")
    said = refused(tmp_path / "data")
    assert "OPENLAKE_SERVER_CORES: 'many' is not a whole number" in said


@pytest.mark.usefixtures("only_the_server")
def test_a_load_with_errors_is_told_in_a_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # A key longer than 1,024 bytes, which S3 refuses.
    monkeypatch.setattr("openlake.bench.scenario.Scenario.prefix", "k" * 1024)
    said = refused(tmp_path / "data")
    assert "openlake: 0 of 24 objects stored for warm-up: 24 x " in said
    assert said.count("\n") == 1


def test_a_load_that_is_refused_has_no_rate(server: LocalServer) -> None:
    """There is no such bucket on this server."""
    client = ClientConfig(
        endpoint=server.endpoint, access_key=server.access_key, secret_key=server.secret_key
    )
    figures, subject = Figures(), Subject("openlake", client, server.pid)
    with pytest.raises(LoadError, match=r"openlake get 4 KiB, 64: \d+ x HTTP 404$"):
        take(SMALL_READ, subject, 0.1, figures)
    with pytest.raises(LoadError, match=r"0 of 4096 objects .*: 4096 x HTTP 404$"):
        fill_for(SMALL_READ, subject)
    assert figures.by_name == {}


def test_a_process_that_has_ended_has_no_usage() -> None:
    with subprocess.Popen([sys.executable, "-c", ""]) as process:
        os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)
        with pytest.raises(ProcessLookupError, match="has ended"):  # a zombie
            usage_of(process.pid)
    with pytest.raises(ProcessLookupError, match="has ended"):
        usage_of(process.pid)


@contextmanager
def under_load(data: Path) -> Iterator[tuple[subprocess.Popen[str], int]]:
    """A benchmark whose server is ready, and the server's process."""
    command = [sys.executable, "-m", "openlake.bench", "--data", str(data), "--seconds", "0.1"]
    with subprocess.Popen(
        [*command, "--results", str(data.parent)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    ) as process:
        try:
            wait_for("server", lambda: bool(children_of(process.pid)), process)
            [server] = children_of(process.pid)
            wait_for("readiness", lambda: is_ready(server), process)
            yield process, server
        finally:
            process.kill()


def is_ready(server: int) -> bool:
    arguments = Path(f"/proc/{server}/cmdline").read_text().split("\0")
    if "--admin" not in arguments:
        return False  # not yet the server's own command line
    admin = arguments[arguments.index("--admin") + 1]
    try:
        with urllib.request.urlopen(f"http://{admin}/readyz", timeout=2) as answer:
            return bool(answer.status == 200)
    except (urllib.error.URLError, ConnectionError, TimeoutError):
        return False


@pytest.mark.slow
def test_a_server_that_is_killed_ends_it_with_a_message(tmp_path: Path) -> None:
    with under_load(tmp_path / "data") as (process, server):
        os.kill(server, signal.SIGKILL)
        _, said = process.communicate(timeout=60)
    assert process.returncode == 1
    assert said.startswith("Error: ")
    assert "Traceback" not in said
    assert list(tmp_path.iterdir()) == []


@pytest.mark.slow
def test_interrupted_it_leaves_no_data_and_no_process(tmp_path: Path) -> None:
    """Not even when the user is impatient."""
    with under_load(tmp_path / "data") as (process, server):
        process.send_signal(signal.SIGINT)
        process.send_signal(signal.SIGINT)
        printed, said = process.communicate(timeout=60)
    assert process.returncode == 130, said
    assert "stopped: no process and no data is left" in printed
    assert "Traceback" not in said
    assert not Path(f"/proc/{server}").exists()
    assert list(tmp_path.iterdir()) == []
