"""The drive probe from Python: figures of the drive, and no file left."""

from pathlib import Path

import pytest

from openlake import _core


def test_every_figure_is_positive_and_the_file_is_gone(tmp_path: Path) -> None:
    probe = _core.probe_drive(str(tmp_path), file_bytes=8 << 20, duration_s=0.1)
    assert all(value > 0 for value in probe.values()), probe  # type: ignore[operator]
    assert list(tmp_path.iterdir()) == []


def test_why_there_is_no_file_is_said() -> None:
    """Not that the file, which could not be made, is not there to be removed."""
    with pytest.raises(PermissionError):  # sysfs makes no files, for root neither (EACCES)
        _core.probe_drive("/sys", file_bytes=1 << 20, duration_s=0.01)
