"""The drive probe from Python: figures of the drive, and no file left."""

from pathlib import Path

from openlake import _core


def test_every_figure_is_positive_and_the_file_is_gone(tmp_path: Path) -> None:
    probe = _core.probe_drive(str(tmp_path), file_bytes=8 << 20, duration_s=0.1)
    assert all(value > 0 for value in probe.values()), probe  # type: ignore[operator]
    assert list(tmp_path.iterdir()) == []
