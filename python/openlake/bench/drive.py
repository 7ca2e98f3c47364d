"""What does the drive give, by itself? Through O_DIRECT and io_uring, as the engine uses it.

Expected bound: what the drive's maker says, less what a virtual machine takes.
"""

from pathlib import Path

from openlake import _core
from openlake.bench.figure import Figures

FILE_BYTES = 1 << 30
GIB = 1 << 30


class DriveError(Exception):
    """The drive cannot be measured; the message says where and why."""


def measure_drive(folder: Path, seconds: float, figures: Figures) -> None:
    """Add one repetition; the probe's file is gone afterwards."""
    try:
        probe = _core.probe_drive(str(folder), file_bytes=FILE_BYTES, duration_s=seconds)
    except OSError as error:
        raise DriveError(
            f"cannot measure the drive in {folder}: {error}; `openlake doctor` says what it lacks"
        ) from error
    figures.add("drive write", "GiB/s", probe["write_bytes_per_s"] / GIB)
    figures.add("drive read", "GiB/s", probe["read_bytes_per_s"] / GIB)
    figures.add("drive 4 KiB random read", "/s", probe["random_reads_per_s"])
    figures.add("drive 4 KiB synced write", "/s", probe["syncs_per_s"])
