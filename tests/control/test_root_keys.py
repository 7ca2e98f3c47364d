"""The root user's keys: generated once, kept for the owner alone, shown once."""

from __future__ import annotations

import json
import stat
from typing import TYPE_CHECKING

import pytest

from openlake.config import RootKeys
from openlake.control import ServeError
from openlake.control.root_keys import root_keys

if TYPE_CHECKING:
    from pathlib import Path


def test_keys_are_generated_once(tmp_path: Path) -> None:
    first, second = root_keys(tmp_path, None), root_keys(tmp_path, None)
    assert (first.is_new, second.is_new) == (True, False)
    assert first.keys == second.keys
    assert stat.S_IMODE(first.file.stat().st_mode) == 0o600
    assert [path.name for path in tmp_path.iterdir()] == ["openlake-root-keys.json"]


def test_no_two_directories_have_the_same_keys(tmp_path: Path) -> None:
    found = []
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        found.append(root_keys(tmp_path / name, None).keys)
    assert found[0].access_key != found[1].access_key
    assert found[0].secret_key != found[1].secret_key
    assert len(found[0].secret_key) >= 40


def test_chosen_keys_win_and_are_not_stored(tmp_path: Path) -> None:
    chosen = RootKeys("chosen", "chosen-secret")
    assert root_keys(tmp_path, chosen).keys == chosen
    assert list(tmp_path.iterdir()) == []


def test_keys_that_others_may_read_are_refused(tmp_path: Path) -> None:
    file = root_keys(tmp_path, None).file
    file.chmod(0o640)
    with pytest.raises(ServeError, match="chmod 600"):
        root_keys(tmp_path, None)


@pytest.mark.parametrize("text", ["", "{}", "[]", json.dumps({"access_key": "a"})])
def test_a_damaged_file_is_named(tmp_path: Path, text: str) -> None:
    file = root_keys(tmp_path, None).file
    file.write_text(text)
    with pytest.raises(ServeError, match="damaged"):
        root_keys(tmp_path, None)


def test_a_secret_is_not_printed_by_accident() -> None:
    assert "hidden-secret" not in repr(RootKeys("shown", "hidden-secret"))
