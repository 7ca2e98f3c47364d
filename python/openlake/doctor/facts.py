"""Reads the facts of this machine; judges nothing. Each function leaves no trace."""

import ctypes
import errno
import mmap
import os
import platform
import resource
import shutil
import tempfile
from dataclasses import dataclass
from pathlib import Path

from openlake.doctor.mount import mount_of

# The same number on every architecture that Linux added it to together (5.1).
SYS_IO_URING_SETUP = 425
IO_URING_PARAMS_BYTES = 120
IO_URING_DISABLED = Path("/proc/sys/kernel/io_uring_disabled")
BLOCK_BYTES = 4096


@dataclass(frozen=True, slots=True)
class Facts:
    system: str
    kernel: str
    # 0 when a ring could be set up, else the error number.
    io_uring_error: int
    # kernel.io_uring_disabled; None on kernels without it.
    io_uring_disabled: int | None
    data: Path
    # Why the directory cannot be written to; empty when it can.
    data_problem: str
    file_system: str
    # 0 when a direct write worked, else the error number.
    direct_error: int
    memory_locked_bytes_max: int
    open_files_max: int
    cores: int
    free_bytes: int


def gather(data: Path) -> Facts:
    place = existing(data)
    problem, direct = try_to_write(place)
    return Facts(
        system=platform.system(),
        kernel=platform.release(),
        io_uring_error=try_io_uring(),
        io_uring_disabled=(
            int(IO_URING_DISABLED.read_text()) if IO_URING_DISABLED.exists() else None
        ),
        data=data,
        data_problem=problem,
        file_system=mount_of(place).file_system,
        direct_error=direct,
        memory_locked_bytes_max=resource.getrlimit(resource.RLIMIT_MEMLOCK)[1],
        open_files_max=resource.getrlimit(resource.RLIMIT_NOFILE)[1],
        cores=len(os.sched_getaffinity(0)),
        free_bytes=shutil.disk_usage(place).free,
    )


def existing(path: Path) -> Path:
    """The path, or its nearest parent that exists."""
    path = path.absolute()
    while not path.exists():
        path = path.parent
    return path


def try_io_uring() -> int:
    """Set up a ring of one entry and close it (io_uring_setup(2))."""
    params = ctypes.create_string_buffer(IO_URING_PARAMS_BYTES)
    libc = ctypes.CDLL(None, use_errno=True)
    descriptor = libc.syscall(SYS_IO_URING_SETUP, 1, params)
    if descriptor < 0:
        return ctypes.get_errno()
    os.close(descriptor)
    return 0


def try_to_write(place: Path) -> tuple[str, int]:
    """(why no file can be made there, error number of a direct write)."""
    folder = place if place.is_dir() else place.parent
    try:
        descriptor, name = tempfile.mkstemp(prefix=".openlake-doctor-", dir=folder)
    except OSError as error:
        return f"{error.strerror}", error.errno or errno.EIO
    os.close(descriptor)
    try:
        return ("" if place.is_dir() else "is not a directory"), try_direct(name)
    finally:
        Path(name).unlink()


def try_direct(name: str) -> int:
    try:
        descriptor = os.open(name, os.O_RDWR | os.O_DIRECT)
    except OSError as error:
        return error.errno or errno.EIO
    try:
        with mmap.mmap(-1, BLOCK_BYTES) as block:
            os.pwrite(descriptor, block, 0)
    except OSError as error:
        return error.errno or errno.EIO
    finally:
        os.close(descriptor)
    return 0
