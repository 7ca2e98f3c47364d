"""The folder that a benchmark works in: made for it on the drive to be measured, gone after it."""

import contextlib
import shutil
from collections.abc import Iterator
from pathlib import Path

from openlake.bench.interrupt import uninterrupted
from openlake.bench.scenario import GIB

# At most the probe's file of 1 GiB beside the server's: what is stored, and files to write again.
NEEDED_BYTES = 6 * GIB


class FolderError(Exception):
    """There is no such folder, or too little room in it; the message says what to do."""


@contextlib.contextmanager
def folder_beside(data: Path) -> Iterator[Path]:
    """A new folder on the same drive; one that is there already is nobody's to delete."""
    folder = data.absolute().with_name(f"{data.name}-bench")
    try:
        folder.mkdir()
    except FileExistsError as error:
        raise FolderError(
            f"{folder} is there already: another benchmark runs, or one was killed; "
            "if none runs, remove it and start again"
        ) from error
    except OSError as error:
        raise FolderError(
            f"cannot make {folder}: {error.strerror}; name a place that can be written to (DATA=)"
        ) from error
    try:
        require_room(folder)
        yield folder
    finally:
        with uninterrupted():
            shutil.rmtree(folder)


def require_room(folder: Path) -> None:
    free = shutil.disk_usage(folder).free
    if free < NEEDED_BYTES:
        raise FolderError(
            f"the benchmark needs {NEEDED_BYTES / GIB:.1f} GiB in {folder.parent}, where "
            f"{free / GIB:.1f} GiB are free: free some, or name a place on another drive (DATA=)"
        )
