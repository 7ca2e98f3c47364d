"""What a measurement must be read with: processor, memory, kernel, versions, commit, date."""

import datetime as dt
import os
import platform
import shutil
import subprocess
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path

PACKAGES = ("openlake", "boto3", "s3dlio")


@dataclass(frozen=True, slots=True)
class Machine:
    processor: str
    cores: int
    memory_bytes: int
    kernel: str
    python: str
    packages: dict[str, str]
    commit: str
    date: str

    def __str__(self) -> str:
        memory = self.memory_bytes / (1 << 30)
        return f"{self.cores} cores {self.processor}, {memory:.0f} GiB, Linux {self.kernel}"

    @property
    def versions(self) -> str:
        packages = [f"{name} {version}" for name, version in self.packages.items()]
        return ", ".join([*packages, f"Python {self.python}"])


def this_machine() -> Machine:
    return Machine(
        processor=processor_name(),
        cores=len(os.sched_getaffinity(0)),
        memory_bytes=memory_bytes("MemTotal"),
        kernel=platform.release(),
        python=platform.python_version(),
        packages={name: version for name in PACKAGES if (version := installed_version(name))},
        commit=commit(),
        date=dt.datetime.now(dt.UTC).isoformat(timespec="seconds"),
    )


def processor_name() -> str:
    for line in Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            return line.partition(":")[2].strip()
    return platform.machine()


def memory_bytes(field: str) -> int:
    """A field of /proc/meminfo, such as MemTotal or MemAvailable."""
    for line in Path("/proc/meminfo").read_text().splitlines():
        if line.startswith(f"{field}:"):
            return int(line.split()[1]) * 1024
    raise LookupError(f"/proc/meminfo has no {field}")


def installed_version(package: str) -> str | None:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return None


def commit() -> str:
    """The commit of the checkout that this file is in; empty outside one."""
    git = shutil.which("git")
    if git is None:
        return ""
    asked = subprocess.run(
        [git, "describe", "--always", "--dirty"],
        cwd=Path(__file__).parent,
        capture_output=True,
        text=True,
        check=False,
    )
    return asked.stdout.strip()
