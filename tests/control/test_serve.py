"""`openlake serve` as a process: what it shows, where it listens, how it ends."""

from __future__ import annotations

import os
import re
import signal
import socket
import subprocess
import sys
from contextlib import contextmanager
from types import SimpleNamespace
from typing import IO, TYPE_CHECKING, Any

from tests.conftest import client_of

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

FREE = "127.0.0.1:0"
SECRET = re.compile(r"AWS_SECRET_ACCESS_KEY=(\S{20,})$", re.MULTILINE)
ACCESS = re.compile(r"AWS_ACCESS_KEY_ID=(\S+)")
ENDPOINT = re.compile(r"AWS_ENDPOINT_URL=(\S+)")


def environment() -> dict[str, str]:
    return {name: text for name, text in os.environ.items() if not name.startswith("OPENLAKE_")}


def command(data: Path, admin: str = FREE) -> list[str]:
    arguments = ["--data", str(data), "--listen", FREE, "--admin", admin, "--cores", "1"]
    return [sys.executable, "-m", "openlake", "serve", *arguments]


def lines_until(stream: IO[str], last: str) -> str:
    text = ""
    while last not in text:
        line = stream.readline()
        assert line, text
        text += line
    return text


@contextmanager
def served(data: Path, last: str) -> Iterator[str]:
    """What it prints up to the line with `last`; stopped in order at the end."""
    pipe = subprocess.PIPE
    with subprocess.Popen(
        command(data), env=environment(), stdout=pipe, stderr=pipe, text=True
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        try:
            yield lines_until(process.stdout, last)
        finally:
            process.send_signal(signal.SIGINT)
            log = process.stderr.read()
        assert process.wait(30) == 0
        assert "Traceback" not in log


def test_keys_are_generated_work_and_are_shown_once(tmp_path: Path) -> None:
    with served(tmp_path, "shown this once") as first:
        keys = [pattern.search(first) for pattern in (ENDPOINT, ACCESS, SECRET)]
        endpoint, access_key, secret_key = (found[1] for found in keys if found)
        reached: Any = SimpleNamespace(
            endpoint=endpoint, access_key=access_key, secret_key=secret_key
        )
        client_of(reached).create_bucket(Bucket="first")
    with served(tmp_path, "put_object") as second:
        assert access_key in second
        assert secret_key not in second
        found = ENDPOINT.search(second)
        assert found
        reached.endpoint = found[1]
        buckets = client_of(reached).list_buckets()["Buckets"]
        assert [bucket["Name"] for bucket in buckets] == ["first"]


def test_the_lines_of_python_that_are_shown_run_as_they_are(tmp_path: Path) -> None:
    with served(tmp_path, "shown this once") as shown:
        _, first_line, rest = shown.partition("    import boto3\n")
        lines = [line.removeprefix("    ") for line in f"{first_line}{rest}".splitlines()]
        pasted = "\n".join(lines[: lines.index("")])
        done = subprocess.run(
            [
                sys.executable,
                "-c",
                f"{pasted}\nprint(s3.get_object(Bucket='second', Key='hello')['Body'].read())",
            ],
            env=environment(),
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
    assert done.stdout == "b'hello'\n", done.stderr


def test_an_admin_address_that_is_taken_is_named(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        admin = f"127.0.0.1:{taken.getsockname()[1]}"
        done = subprocess.run(
            command(tmp_path / "data", admin),
            env=environment(),
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
    assert done.returncode == 1
    assert admin in done.stderr
    assert "--admin" in done.stderr
    assert "Traceback" not in done.stderr
