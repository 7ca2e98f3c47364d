"""What one check found."""

import enum
from dataclasses import dataclass


class State(enum.Enum):
    GOOD = "good"
    # It runs, but slower, or not for long.
    WEAK = "weak"
    # The server would not run.
    BAD = "bad"


@dataclass(frozen=True, slots=True)
class Finding:
    subject: str
    state: State
    found: str
    # What to do about it; empty when there is nothing to do.
    remedy: str = ""
