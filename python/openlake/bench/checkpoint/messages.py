"""What the conductor and a rank say to each other, each over the rank's own pipe.

Prepare → Ready, Go → Timed, Compare → Compared, for each phase of each step; Failed at any time.
"""

from dataclasses import dataclass
from typing import Literal

Phase = Literal["write", "read"]


@dataclass(frozen=True, slots=True)
class Prepare:
    phase: Phase
    step: int


@dataclass(frozen=True, slots=True)
class Go:
    pass


@dataclass(frozen=True, slots=True)
class Compare:
    pass


@dataclass(frozen=True, slots=True)
class Leave:
    pass


@dataclass(frozen=True, slots=True)
class Ready:
    pass


@dataclass(frozen=True, slots=True)
class Timed:
    duration_s: float
    model_s: float
    cpu_s: float
    rss_bytes_max: int


@dataclass(frozen=True, slots=True)
class Compared:
    bytes_compared: int
    # (key, offset) of the first wrong byte of each wrong object.
    wrong: list[tuple[str, int]]


@dataclass(frozen=True, slots=True)
class Failed:
    reason: str


Order = Prepare | Go | Compare | Leave
Report = Ready | Timed | Compared | Failed
