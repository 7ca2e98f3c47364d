"""What a process used so far, from /proc: CPU seconds and its largest resident size."""

import os
from dataclasses import dataclass
from pathlib import Path

TICKS_A_SECOND = os.sysconf("SC_CLK_TCK")


@dataclass(frozen=True, slots=True)
class ProcessUsage:
    cpu_s: float
    rss_bytes_max: int


def usage_of(pid: int) -> ProcessUsage:
    """ProcessLookupError when the process has ended, even if nobody has waited for it yet."""
    try:
        # The name in parentheses may hold spaces: fields count from after it (proc(5)).
        after_name = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        status = Path(f"/proc/{pid}/status").read_text()
    except FileNotFoundError as error:
        raise ProcessLookupError(f"process {pid} has ended") from error
    user, system = int(after_name[11]), int(after_name[12])
    peaks = [line.split()[1] for line in status.splitlines() if line.startswith("VmHWM")]
    if not peaks:
        # A zombie has no memory.
        raise ProcessLookupError(f"process {pid} has ended")
    peak_kib = peaks[0]
    return ProcessUsage((user + system) / TICKS_A_SECOND, int(peak_kib) * 1024)
