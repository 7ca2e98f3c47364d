"""A real `openlake serve` process on free loopback ports: ready when `start` returns, drained and
gone when `stop` does.
"""

import json
import os
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
import weakref
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import Self

START_TIMEOUT_S = 60.0
STOP_TIMEOUT_S = 30.0
POLL_S = 0.02


def free_port() -> int:
    """A loopback port that nobody listens on at this moment."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    return int(port)


class ServerDidNotStartError(RuntimeError):
    """The process ended, or was not ready in time; the message holds what it printed."""


class LocalServer:
    """Owns one server process. Use it as a context manager, or call `start` and `stop`."""

    def __init__(
        self,
        data_dir: Path,
        *,
        cores: int | None = 2,
        config: Mapping[str, object] | None = None,
        env: Mapping[str, str] | None = None,
    ) -> None:
        self.data_dir = data_dir
        self.cores = cores
        self.config = config
        self.env = dict(env or {})
        self.access_key = "local" + secrets.token_hex(6)
        self.secret_key = secrets.token_hex(20)
        self.port = free_port()
        self.admin_port = free_port()
        self.process: subprocess.Popen[bytes] | None = None
        # What the process prints and its configuration file lie apart from its data.
        # A stopped server can be started again, so its folder goes when the object does.
        self._folder = Path(tempfile.mkdtemp(prefix="openlake-local-server-"))
        weakref.finalize(self, shutil.rmtree, self._folder, ignore_errors=True)
        self._log = self._folder / "output.txt"
        self._last_output = ""

    @property
    def endpoint(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def admin(self) -> str:
        return f"http://127.0.0.1:{self.admin_port}"

    @property
    def pid(self) -> int:
        if self.process is None:
            raise RuntimeError("the server is not running: call start() first")
        return self.process.pid

    @property
    def output(self) -> str:
        """What the process has printed so far."""
        if self._log.exists():
            self._last_output = self._log.read_text(errors="replace")
        return self._last_output

    def command(self) -> list[str]:
        bound = [sys.executable, "-m", "openlake.testing.bound_process", "serve"]
        listen = ["--listen", f"127.0.0.1:{self.port}", "--admin", f"127.0.0.1:{self.admin_port}"]
        command = [*bound, "--data", str(self.data_dir), *listen]
        if self.cores is not None:
            command += ["--cores", str(self.cores)]
        if self.config is not None:
            path = self._folder / "config.toml"
            path.write_text(as_toml(self.config))
            command += ["--config", str(path)]
        return command

    def start(self) -> Self:
        keys = {
            "OPENLAKE_ROOT_ACCESS_KEY": self.access_key,
            "OPENLAKE_ROOT_SECRET_KEY": self.secret_key,
        }
        with self._log.open("ab") as log:
            # A session of its own: Ctrl-C in the terminal reaches only us, and we stop it in order.
            self.process = subprocess.Popen(
                self.command(),
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                env={**os.environ, **keys, **self.env},
                start_new_session=True,
            )
        try:
            self._wait_until_ready(self.process)
        except BaseException:
            self.stop()
            raise
        return self

    def _wait_until_ready(self, process: subprocess.Popen[bytes]) -> None:
        deadline = time.monotonic() + START_TIMEOUT_S
        while process.poll() is None and time.monotonic() < deadline:
            if self.is_ready():
                return
            time.sleep(POLL_S)
        code = process.poll()
        state = "was not ready in time" if code is None else f"ended with code {code}"
        raise ServerDidNotStartError(f"openlake serve on {self.data_dir} {state}:\n{self.output}")

    def is_ready(self) -> bool:
        try:
            with urllib.request.urlopen(f"{self.admin}/readyz", timeout=2) as answer:  # noqa: S310
                return bool(answer.status == 200)  # noqa: PLR2004
        except (urllib.error.URLError, ConnectionError, TimeoutError):
            return False

    def stop(self) -> int | None:
        """Drain (SIGTERM) and wait; the exit code, or None when it does not run."""
        process, self.process = self.process, None
        if process is None:
            return None
        if process.poll() is None:
            process.send_signal(signal.SIGTERM)
        try:
            return process.wait(timeout=STOP_TIMEOUT_S)
        except subprocess.TimeoutExpired:
            process.kill()
            return process.wait()

    def kill(self) -> None:
        """End it at once (SIGKILL), as a crash would."""
        process, self.process = self.process, None
        if process is not None:
            process.kill()
            process.wait()

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.stop()


def as_toml(tables: Mapping[str, object]) -> str:
    """Tables of strings, numbers and booleans: there JSON's values are TOML's."""
    lines: list[str] = []
    for table, values in tables.items():
        if not isinstance(values, Mapping):
            raise TypeError(f"[{table}] must be a mapping of keys to values")
        lines.append(f"[{table}]")
        lines += [f"{key} = {json.dumps(value)}" for key, value in values.items()]
    return "\n".join(lines) + "\n"
