"""The facts of this machine that settings are tuned from."""

import os
from dataclasses import dataclass
from pathlib import Path

MEMINFO = Path("/proc/meminfo")
CGROUP_MEMORY_MAX = Path("/sys/fs/cgroup/memory.max")


@dataclass(frozen=True, slots=True)
class Hardware:
    cores: int
    memory_bytes: int


def this_hardware() -> Hardware:
    return Hardware(cores=len(os.sched_getaffinity(0)), memory_bytes=usable_memory_bytes())


def usable_memory_bytes() -> int:
    """The machine's memory, or the control group's limit where that is lower."""
    for line in MEMINFO.read_text().splitlines():
        if line.startswith("MemTotal:"):
            machine = int(line.split()[1]) * 1024
            break
    else:
        raise LookupError(f"{MEMINFO} has no MemTotal")
    limit = CGROUP_MEMORY_MAX.read_text().strip() if CGROUP_MEMORY_MAX.exists() else "max"
    return machine if limit == "max" else min(machine, int(limit))
