"""`make` names each missing prerequisite and how to get it, before it builds anything."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
SCRIPT = ROOT / "scripts" / "check_prerequisites.sh"
ALWAYS_THERE = ("bash", "env", "uname", "sort", "head", "cut")


@pytest.fixture
def bare(tmp_path: Path) -> Path:
    """A PATH with nothing but what every Linux has."""
    folder = tmp_path / "bin"
    folder.mkdir()
    for name in ALWAYS_THERE:
        (folder / name).symlink_to(shutil.which(name) or f"/usr/bin/{name}")
    return folder


def fake(folder: Path, name: str, prints: str) -> None:
    path = folder / name
    path.write_text(f"#!/usr/bin/env bash\necho '{prints}'\n")
    path.chmod(0o755)


def check(folder: Path) -> tuple[int, str]:
    done = subprocess.run(
        [str(SCRIPT)],
        env={"PATH": str(folder)},
        capture_output=True,
        text=True,
        check=False,
    )
    return done.returncode, done.stderr


def test_a_machine_with_everything_passes_silently() -> None:
    done = subprocess.run(
        [str(SCRIPT)], env=dict(os.environ), capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")


def test_everything_missing_is_named_with_how_to_get_it(bare: Path) -> None:
    code, said = check(bare)
    assert code == 1
    for word in ("Python >= 3.11", "Rust >= 1.95", "C compiler", "missing: make"):
        assert word in said
    assert said.count("get it: ") == 4


def test_old_versions_are_named(bare: Path) -> None:
    fake(bare, "python3", "3.9")
    fake(bare, "cargo", "cargo 1.80.1")
    fake(bare, "rustc", "rustc 1.80.1 (3f5fd8dd4 2024-08-06)")
    fake(bare, "cc", "")
    fake(bare, "make", "")
    code, said = check(bare)
    assert code == 1
    assert "Python >= 3.11 ('python3' is 3.9)" in said
    assert "Rust >= 1.95 (rustc is 1.80.1)" in said
    assert said.count("missing: ") == 2
