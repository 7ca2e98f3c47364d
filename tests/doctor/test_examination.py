"""Each fact that would hurt is found and has a remedy; a good machine has none."""

import errno
from dataclasses import replace
from pathlib import Path

import pytest

from openlake.doctor import State, examine
from openlake.doctor.examination import CHECKS
from openlake.doctor.facts import Facts

GIB = 1 << 30

GOOD = Facts(
    system="Linux",
    kernel="6.18.44",
    io_uring_error=0,
    io_uring_disabled=0,
    data=Path("/srv/data"),
    data_problem="",
    file_system="xfs",
    direct_error=0,
    memory_locked_bytes_max=-1,
    open_files_max=1 << 20,
    cores=8,
    free_bytes=100 * GIB,
)


def test_a_good_machine_needs_nothing() -> None:
    for check in CHECKS:
        finding = check(GOOD)
        assert finding.state is State.GOOD, finding
        assert not finding.remedy


@pytest.mark.parametrize(
    ("facts", "subject", "state", "remedy"),
    [
        (replace(GOOD, kernel="5.15.0-91-generic"), "kernel", State.BAD, "6.1"),
        (replace(GOOD, kernel="6.0.9"), "kernel", State.WEAK, "6.1"),
        (
            replace(GOOD, io_uring_error=errno.EPERM, io_uring_disabled=2),
            "io_uring",
            State.BAD,
            "kernel.io_uring_disabled=0",
        ),
        (replace(GOOD, io_uring_error=errno.EPERM), "io_uring", State.BAD, "seccomp"),
        (replace(GOOD, io_uring_error=errno.ENOSYS), "io_uring", State.BAD, "CONFIG_IO_URING"),
        (replace(GOOD, data_problem="Read-only"), "data directory", State.BAD, "--data"),
        (replace(GOOD, file_system="nfs4"), "file system", State.BAD, "local drive"),
        (replace(GOOD, file_system="btrfs"), "file system", State.WEAK, "XFS"),
        (replace(GOOD, direct_error=errno.EINVAL), "O_DIRECT", State.BAD, "XFS or ext4"),
        (replace(GOOD, memory_locked_bytes_max=65536), "locked memory", State.WEAK, "ulimit -l"),
        (replace(GOOD, open_files_max=1024), "open files", State.BAD, "ulimit -n"),
        (replace(GOOD, cores=1), "cores", State.WEAK, "two or more"),
        (replace(GOOD, free_bytes=GIB // 2), "free space", State.BAD, "larger drive"),
        (replace(GOOD, free_bytes=5 * GIB), "free space", State.WEAK, "larger drive"),
    ],
)
def test_what_hurts_is_found_with_its_remedy(
    facts: Facts, subject: str, state: State, remedy: str
) -> None:
    findings = {finding.subject: finding for finding in (check(facts) for check in CHECKS)}
    assert findings[subject].state is state
    assert remedy in findings[subject].remedy
    others = [one for one in findings.values() if one.subject != subject]
    assert all(one.state is State.GOOD for one in others)


def test_this_machine_is_examined_and_left_as_it_was(tmp_path: Path) -> None:
    findings = examine(tmp_path / "not" / "yet" / "there")
    assert [finding.subject for finding in findings] == [
        "kernel",
        "io_uring",
        "data directory",
        "file system",
        "O_DIRECT",
        "locked memory",
        "open files",
        "cores",
        "free space",
    ]
    assert list(tmp_path.iterdir()) == []


def test_a_directory_that_cannot_be_written_is_found() -> None:
    findings = {finding.subject: finding for finding in examine(Path("/proc/self"))}
    assert findings["data directory"].state is State.BAD
