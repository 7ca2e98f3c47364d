"""Where a path is mounted, from the text of /proc/self/mountinfo as proc(5) gives it."""

from pathlib import Path

import pytest

from openlake.doctor import mount
from openlake.doctor.mount import Mount, mount_of

MOUNTS = r"""
1 0 259:2 / / rw,relatime - ext4 /dev/root rw
36 35 98:0 /mnt1 {0}/mnt2 rw,noatime master:1 - ext3 /dev/old rw,errors=continue
40 35 259:7 / {0}/mnt2 rw,noatime shared:2 master:1 - xfs /dev/nvme0n1p1 rw,attr2
41 40 0:52 / {0}/mnt2/in\040two\134words rw,nosuid - nfs4 host:/a\040b rw
42 40 0:53 / {0}/mnt2/in rw - tmpfs tmpfs rw
"""


@pytest.fixture(autouse=True)
def mounts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = tmp_path / "mountinfo"
    text.write_text(MOUNTS.strip().replace("{0}", str(tmp_path)))
    monkeypatch.setattr(mount, "MOUNTINFO", text)


def test_the_deepest_and_last_mount_above_a_path_is_its_own(tmp_path: Path) -> None:
    found = mount_of(tmp_path / "mnt2" / "data" / "not yet there")
    assert found == Mount("xfs", "rw,noatime", "/dev/nvme0n1p1", "259:7")
    assert mount_of(tmp_path / "mnt22") == Mount("ext4", "rw,relatime", "/dev/root", "259:2")
    assert mount_of(tmp_path / "mnt2" / "in" / "x").file_system == "tmpfs"


def test_spaces_and_backslashes_are_octal(tmp_path: Path) -> None:
    found = mount_of(tmp_path / "mnt2" / "in two\\words" / "data")
    assert found == Mount("nfs4", "rw,nosuid", "host:/a b", "0:52")


def test_links_are_followed(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(tmp_path / "mnt2" / "in")
    assert mount_of(tmp_path / "link" / "x").file_system == "tmpfs"
