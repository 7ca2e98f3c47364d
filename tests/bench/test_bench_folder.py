"""The benchmark's own folder, which it makes and removes: one that it did not make stays."""

from pathlib import Path

from click.testing import CliRunner

from openlake.bench.__main__ import main


def test_a_folder_left_over_is_named_and_kept(tmp_path: Path) -> None:
    left = tmp_path / "data-bench" / "probe"
    left.parent.mkdir()
    left.write_bytes(b"of a benchmark that was killed")
    ended = CliRunner().invoke(main, ["--data", str(tmp_path / "data")])
    assert ended.exit_code == 1
    assert f"Error: {left.parent} is there already" in ended.output
    assert "remove it" in ended.output
    assert left.exists()


def test_a_place_that_is_not_there_is_named(tmp_path: Path) -> None:
    ended = CliRunner().invoke(main, ["--data", str(tmp_path / "no" / "data")])
    assert ended.exit_code == 1
    assert f"cannot make {tmp_path / 'no' / 'data-bench'}: No such file" in ended.output
