"""The mount that a path lies on, as /proc/self/mountinfo describes it (proc(5))."""

from dataclasses import dataclass
from pathlib import Path

MOUNTINFO = Path("/proc/self/mountinfo")


@dataclass(frozen=True, slots=True)
class Mount:
    file_system: str
    options: str
    source: str
    """/dev/… where there is a block device."""
    device_number: str
    """MAJOR:MINOR"""


UNKNOWN = Mount("unknown", "", "", "")


def mount_of(place: Path) -> Mount:
    """Of all that are mounted above the path the deepest, and of those the last."""
    real = place.resolve()
    found, depth = UNKNOWN, -1
    for line in MOUNTINFO.read_text().splitlines():
        # Between options and " - " there may be any number of fields.
        mounted, _, about = line.partition(" - ")
        _, _, number, _, point_text, options, *_ = mounted.split(" ")
        file_system, source, *_ = about.split(" ")
        point = Path(unescaped(point_text))
        if real.is_relative_to(point) and len(point.parts) >= depth:
            found = Mount(file_system, options, unescaped(source), number)
            depth = len(point.parts)
    return found


def unescaped(text: str) -> str:
    """The kernel writes white space and backslashes as octal numbers."""
    for octal, plain in (("\\040", " "), ("\\011", "\t"), ("\\012", "\n"), ("\\134", "\\")):
        text = text.replace(octal, plain)
    return text
