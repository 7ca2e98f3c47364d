"""The command line says what it does, and refuses plainly."""

import os
from dataclasses import dataclass
from pathlib import Path

import pytest
from click.testing import CliRunner

from openlake import __version__
from openlake.cli import main
from openlake.cli.snippet import snippet


def run(*arguments: str) -> tuple[int, str]:
    outside = {name: None for name in os.environ if name.startswith(("OPENLAKE_", "AWS_"))}
    result = CliRunner().invoke(main, arguments, env=outside)
    return result.exit_code, result.output


def test_version_is_the_packages_own() -> None:
    assert run("version") == (0, f"openlake {__version__}\n")


@pytest.mark.parametrize("command", ["serve", "doctor", "bench", "user", "version"])
def test_help_lists_every_command(command: str) -> None:
    code, output = run("--help")
    assert code == 0
    assert f"\n  {command} " in output


def test_beyond_loopback_keys_must_be_chosen(tmp_path: Path) -> None:
    code, output = run("serve", "--data", str(tmp_path / "d"), "--listen", "0.0.0.0:9000")
    assert code == 1
    assert "OPENLAKE_ROOT_ACCESS_KEY" in output
    assert not (tmp_path / "d").exists()


def test_a_wrong_flag_is_named(tmp_path: Path) -> None:
    code, output = run("serve", "--data", str(tmp_path), "--cores", "0")
    assert code == 1
    assert "--cores" in output
    assert "out of range" in output


def test_a_foreign_endpoint_needs_keys() -> None:
    code, output = run("bench", "checkpoint", "--endpoint", "http://127.0.0.1:1")
    assert code == 2
    assert "AWS_ACCESS_KEY_ID is not set" in output


def test_doctor_reports_every_subject(tmp_path: Path) -> None:
    code, output = run("doctor", "--data", str(tmp_path))
    assert code in (0, 1)
    for subject in ("kernel", "io_uring", "O_DIRECT", "locked memory", "free space"):
        assert subject in output


@dataclass
class Up:
    endpoint: str = "http://127.0.0.1:9000"
    admin: str = "http://127.0.0.1:9001"
    data: str = "/srv/data"
    access_key: str = "AKIA"
    new_secret_key: str | None = None
    keys_file: str = "/srv/data/root-keys.json"


def test_a_new_secret_is_shown_with_where_it_is_kept() -> None:
    text = snippet(Up(new_secret_key="sesame"), "us-east-1")
    assert 'aws_secret_access_key="sesame"' in text
    assert "/srv/data/root-keys.json" in text


def test_an_old_secret_is_not_shown() -> None:
    assert "sesame" not in snippet(Up(), "us-east-1")
    assert "<the root user's secret key>" in snippet(Up(), "us-east-1")
