"""An object's bytes: incompressible, a function of its seed, made and compared at memory speed."""

import mmap
from dataclasses import dataclass

from openlake import _core
from openlake.bench.checkpoint.plan import CheckpointObject
from openlake.bench.checkpoint.shape import part_count


def allocate(size_bytes: int) -> memoryview:
    """Zeroed memory that is already mapped, so that no page fault lands on a clock."""
    flags = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | mmap.MAP_POPULATE
    return memoryview(mmap.mmap(-1, size_bytes, flags=flags))


def fill(target: CheckpointObject, into: memoryview, offset: int) -> None:
    _core.pattern_fill(into, target.seed, offset)


def first_difference(target: CheckpointObject, found: memoryview, offset: int) -> int | None:
    """The offset in the object of the first wrong byte."""
    at: int | None = _core.pattern_first_difference(found, target.seed, offset)
    return None if at is None else offset + at


@dataclass(slots=True)
class PartSource:
    """Gives an object's parts to an uploader, from held memory or made on demand."""

    target: CheckpointObject
    part_bytes: int
    held: memoryview | None

    @property
    def count(self) -> int:
        return part_count(self.target.size_bytes, self.part_bytes)

    def span(self, index: int) -> tuple[int, int]:
        start = index * self.part_bytes
        return start, min(start + self.part_bytes, self.target.size_bytes)

    def scratch(self) -> memoryview | None:
        """Memory for one part, for each worker of an uploader; none where all is held."""
        return allocate(self.part_bytes) if self.held is None else None

    def part(self, index: int, scratch: memoryview | None) -> memoryview:
        start, end = self.span(index)
        if self.held is not None:
            return self.held[start:end]
        if scratch is None:
            raise ValueError("a source that holds nothing needs scratch memory")
        fill(self.target, scratch[: end - start], start)
        return scratch[: end - start]
