"""What the data lies on; a rate says little without it: some drives are memory of the host."""

import shutil
from dataclasses import dataclass
from pathlib import Path

from openlake.doctor.mount import Mount, mount_of

BLOCK_DEVICES = Path("/sys/dev/block")
IN_MEMORY = {"tmpfs", "ramfs"}
DURABLE = (
    "always on: every answer waits until data, metadata and directory entries are on stable storage"
)
GIB = 1 << 30


@dataclass(frozen=True, slots=True)
class Storage:
    file_system: str
    options: str
    device: str
    # What the device calls itself, or its driver; empty where the kernel knows no device.
    model: str
    # "write back": what is not flushed is lost with the power; "write through": nothing is.
    write_cache: str
    size_bytes: int

    @property
    def durability(self) -> str:
        if self.file_system in IN_MEMORY:
            return f"{DURABLE}; but {self.file_system} is memory, and nothing in it outlives it"
        return DURABLE

    def __str__(self) -> str:
        size = f"{self.size_bytes / GIB:,.0f} GiB"
        device = ", ".join(part for part in (self.device, self.model, size) if part)
        cache = f", {self.write_cache} cache" if self.write_cache else ""
        return f"{self.file_system} ({self.options}) on {device}{cache}"


def storage_of(folder: Path) -> Storage:
    mount = mount_of(folder)
    return Storage(
        file_system=mount.file_system,
        options=mount.options,
        device=mount.source,
        model=model_of(mount),
        write_cache=text_of(device_folder(mount) / "queue" / "write_cache"),
        size_bytes=shutil.disk_usage(folder).total,
    )


def device_folder(mount: Mount) -> Path:
    """Of the whole device, where the mount is a partition of it."""
    folder = (BLOCK_DEVICES / mount.device_number).resolve()
    return folder.parent if (folder / "partition").exists() else folder


def model_of(mount: Mount) -> str:
    device = device_folder(mount) / "device"
    driver = device / "driver"
    return text_of(device / "model") or (driver.resolve().name if driver.exists() else "")


def text_of(path: Path) -> str:
    return path.read_text().strip() if path.is_file() else ""
