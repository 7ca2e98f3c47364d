"""What the data lies on, from what /sys says of block devices; a partition is its device's."""

from pathlib import Path
from types import SimpleNamespace

import pytest

from openlake.bench import storage
from openlake.bench.storage import DURABLE, storage_of
from openlake.doctor.mount import Mount

TIB = 1 << 40


@pytest.fixture
def devices(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A drive that names itself, with a partition; and a virtual one that only has a driver."""
    nvme, vda = tmp_path / "devices" / "nvme0n1", tmp_path / "devices" / "vda"
    for device, cache in ((nvme, "write through\n"), (vda, "write back\n")):
        (device / "queue").mkdir(parents=True)
        (device / "queue" / "write_cache").write_text(cache)
        (device / "device").mkdir()
    (nvme / "device" / "model").write_text("Fast Drive 4000   \n")
    (nvme / "nvme0n1p1").mkdir()
    (nvme / "nvme0n1p1" / "partition").write_text("1\n")
    driver = tmp_path / "drivers" / "virtio_blk"
    driver.mkdir(parents=True)
    (vda / "device" / "driver").symlink_to(driver)
    numbers = tmp_path / "block"
    numbers.mkdir()
    (numbers / "259:1").symlink_to(nvme / "nvme0n1p1")
    (numbers / "254:0").symlink_to(vda)
    monkeypatch.setattr(storage, "BLOCK_DEVICES", numbers)
    monkeypatch.setattr("shutil.disk_usage", lambda _: SimpleNamespace(total=2 * TIB))
    return tmp_path


@pytest.mark.parametrize(
    ("mount", "told"),
    [
        (
            Mount("xfs", "rw,noatime", "/dev/nvme0n1p1", "259:1"),
            "xfs (rw,noatime) on /dev/nvme0n1p1, Fast Drive 4000, 2,048 GiB, write through cache",
        ),
        (
            Mount("ext4", "rw", "/dev/root", "254:0"),
            "ext4 (rw) on /dev/root, virtio_blk, 2,048 GiB, write back cache",
        ),
        (Mount("overlay", "rw", "overlay", "0:31"), "overlay (rw) on overlay, 2,048 GiB"),
    ],
)
def test_the_drive_is_told_as_far_as_the_kernel_knows_it(
    devices: Path, monkeypatch: pytest.MonkeyPatch, mount: Mount, told: str
) -> None:
    monkeypatch.setattr(storage, "mount_of", lambda _: mount)
    found = storage_of(devices)
    assert f"{found}" == told
    assert found.durability == DURABLE


def test_a_file_system_in_memory_is_not_called_stable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(storage, "mount_of", lambda _: Mount("tmpfs", "rw", "tmpfs", "0:9"))
    assert storage_of(Path("/")).durability == (
        f"{DURABLE}; but tmpfs is memory, and nothing in it outlives it"
    )
