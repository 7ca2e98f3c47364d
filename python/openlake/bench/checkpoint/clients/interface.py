"""What a rank needs of a client: save one object in parts, and read a range into memory."""

from collections.abc import Callable
from typing import Protocol

from openlake.bench.checkpoint.content import PartSource


class StoppedError(Exception):
    """The run was asked to stop; what was half done has been taken back."""


# Called with the bytes just moved; raises StoppedError when the run must end.
Progress = Callable[[int], None]


class ObjectClient(Protocol):
    def save(self, source: PartSource, progress: Progress) -> None:
        """Multipart upload; returns when the Complete answer is in. On any error, aborted."""

    def read(self, key: str, start: int, into: memoryview) -> None:
        """Fill `into` with the object's bytes from `start` on, by one ranged GET."""

    def close(self) -> None: ...
