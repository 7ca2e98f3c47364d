"""Judges the facts of a machine, one check after the other: pure but for `examine`."""

import errno
import os
import re
import resource
from collections.abc import Callable
from pathlib import Path

from openlake.doctor.facts import Facts, gather
from openlake.doctor.finding import Finding, State

GIB = 1 << 30
KERNEL_LEAST = (5, 19)
KERNEL_GOOD = (6, 1)
FILE_SYSTEMS_GOOD = {"xfs", "ext4"}
FILE_SYSTEMS_BAD = {"nfs", "nfs4", "cifs", "9p", "vfat", "fuse.sshfs"}
OPEN_FILES_LEAST = 4096
OPEN_FILES_GOOD = 65536
MEMORY_LOCKED_GOOD_BYTES = 64 << 20
FREE_BYTES_LEAST = 1 * GIB
FREE_BYTES_GOOD = 10 * GIB


def examine(data: Path) -> list[Finding]:
    facts = gather(data)
    return [check(facts) for check in CHECKS]


def kernel(facts: Facts) -> Finding:
    found = f"{facts.system} {facts.kernel}"
    match = re.match(r"(\d+)\.(\d+)", facts.kernel)
    version = (int(match[1]), int(match[2])) if match else (0, 0)
    if facts.system != "Linux" or version < KERNEL_LEAST:
        return Finding("kernel", State.BAD, found, "run Linux 6.1 or newer")
    if version < KERNEL_GOOD:
        return Finding("kernel", State.WEAK, found, "Linux 6.1 or newer is what is tested")
    return Finding("kernel", State.GOOD, found)


def io_uring(facts: Facts) -> Finding:
    if facts.io_uring_error == 0:
        return Finding("io_uring", State.GOOD, "a ring can be set up")
    why = os.strerror(facts.io_uring_error)
    if facts.io_uring_disabled:
        remedy = f"sysctl -w kernel.io_uring_disabled=0 (it is {facts.io_uring_disabled} now)"
    elif facts.io_uring_error in {errno.EPERM, errno.EACCES}:
        remedy = (
            "a container's seccomp profile forbids it: allow io_uring_setup, io_uring_enter and "
            "io_uring_register, or run with --security-opt seccomp=unconfined"
        )
    elif facts.io_uring_error == errno.ENOMEM:
        remedy = "raise the limit of locked memory: ulimit -l unlimited"
    else:
        remedy = "use a kernel that is built with CONFIG_IO_URING"
    return Finding("io_uring", State.BAD, why, remedy)


def data_directory(facts: Facts) -> Finding:
    if facts.data_problem:
        found = f"{facts.data}: {facts.data_problem}"
        return Finding("data directory", State.BAD, found, "name another: --data DIR")
    return Finding("data directory", State.GOOD, f"{facts.data} can be written")


def file_system(facts: Facts) -> Finding:
    if facts.file_system in FILE_SYSTEMS_BAD:
        remedy = "keep data on a local drive with XFS or ext4"
        return Finding("file system", State.BAD, facts.file_system, remedy)
    if facts.file_system not in FILE_SYSTEMS_GOOD:
        remedy = "XFS and ext4 are what is tested; others may be slower or not sync as they say"
        return Finding("file system", State.WEAK, facts.file_system, remedy)
    return Finding("file system", State.GOOD, facts.file_system)


def direct_writes(facts: Facts) -> Finding:
    if facts.direct_error:
        why = os.strerror(facts.direct_error)
        remedy = "use a file system with O_DIRECT, such as XFS or ext4"
        return Finding("O_DIRECT", State.BAD, why, remedy)
    return Finding("O_DIRECT", State.GOOD, "a direct write of 4 KiB works")


def locked_memory(facts: Facts) -> Finding:
    limit = facts.memory_locked_bytes_max
    if limit in {resource.RLIM_INFINITY, -1}:
        return Finding("locked memory", State.GOOD, "unlimited")
    found = f"at most {limit >> 20} MiB"
    if limit < MEMORY_LOCKED_GOOD_BYTES:
        remedy = "ulimit -l unlimited, or LimitMEMLOCK=infinity in the systemd unit"
        return Finding("locked memory", State.WEAK, found, remedy)
    return Finding("locked memory", State.GOOD, found)


def open_files(facts: Facts) -> Finding:
    found = f"at most {facts.open_files_max}"
    remedy = "ulimit -n 1048576, or LimitNOFILE=1048576 in the systemd unit"
    if facts.open_files_max < OPEN_FILES_LEAST:
        return Finding("open files", State.BAD, found, remedy)
    if facts.open_files_max < OPEN_FILES_GOOD:
        return Finding("open files", State.WEAK, found, remedy)
    return Finding("open files", State.GOOD, found)


def cores(facts: Facts) -> Finding:
    if facts.cores == 1:
        remedy = "server and clients share one core; two or more are better"
        return Finding("cores", State.WEAK, "1", remedy)
    return Finding("cores", State.GOOD, f"{facts.cores}")


def free_space(facts: Facts) -> Finding:
    found = f"{facts.free_bytes / GIB:.1f} GiB"
    remedy = "free some, or name a directory on a larger drive: --data DIR"
    if facts.free_bytes < FREE_BYTES_LEAST:
        return Finding("free space", State.BAD, found, remedy)
    if facts.free_bytes < FREE_BYTES_GOOD:
        return Finding("free space", State.WEAK, found, remedy)
    return Finding("free space", State.GOOD, found)


CHECKS: tuple[Callable[[Facts], Finding], ...] = (
    kernel,
    io_uring,
    data_directory,
    file_system,
    direct_writes,
    locked_memory,
    open_files,
    cores,
    free_space,
)
