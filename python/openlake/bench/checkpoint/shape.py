"""How many bytes a sharded checkpoint of a Llama-shaped model has: pure arithmetic.

fp16 parameters and fp32 optimizer state, split over the ranks as ZeRO-3 does.
"""

from dataclasses import dataclass
from typing import Literal

MIB = 1 << 20
GIB = 1 << 30

RANKS = 8
PART_BYTES = 32 * MIB
READ_BYTES_MAX = 128 * MIB

MODEL_BYTES_A_PARAMETER = 2
OPTIMIZER_BYTES_A_VALUE = 4
# Parameter copy, momentum and variance.
OPTIMIZER_VALUES_A_PARAMETER = 3
# What the published workload adds to each rank's optimizer state: 3 · 5 · hidden values.
OPTIMIZER_EXTRA_HIDDENS = 15

Kind = Literal["model", "optim"]
KINDS: tuple[Kind, ...] = ("model", "optim")


@dataclass(frozen=True, slots=True)
class ModelShape:
    layers: int
    vocabulary: int
    hidden: int = 4096
    ffn: int = 14336
    heads: int = 32
    kv_heads: int = 8

    @property
    def parameters(self) -> int:
        h = self.hidden
        kv = h // self.heads * self.kv_heads
        attention = h * (h + 2 * kv) + h * h
        feed_forward = 2 * h * self.ffn + self.ffn * h
        layer = h + attention + h + feed_forward
        return 2 * self.vocabulary * h + h + self.layers * layer

    def object_bytes(self, kind: Kind, ranks: int = RANKS) -> int:
        if kind == "model":
            return MODEL_BYTES_A_PARAMETER * self.parameters // ranks
        values = OPTIMIZER_VALUES_A_PARAMETER * self.parameters // ranks
        return OPTIMIZER_BYTES_A_VALUE * (values + OPTIMIZER_EXTRA_HIDDENS * self.hidden)

    def rank_bytes(self, ranks: int = RANKS) -> int:
        return sum(self.object_bytes(kind, ranks) for kind in KINDS)

    def checkpoint_bytes(self, ranks: int = RANKS) -> int:
        return ranks * self.rank_bytes(ranks)


@dataclass(frozen=True, slots=True)
class Scale:
    name: str
    shape: ModelShape

    def __str__(self) -> str:
        gib = self.shape.checkpoint_bytes() / GIB
        shape = self.shape
        return f"{self.name} ({shape.layers} layers, vocabulary {shape.vocabulary}, {gib:.2f} GiB)"


SCALES = {
    scale.name: scale
    for scale in (
        Scale("small", ModelShape(layers=1, vocabulary=4008)),
        Scale("eighth", ModelShape(layers=4, vocabulary=16032)),
        Scale("full", ModelShape(layers=32, vocabulary=128256)),
    )
}


def part_count(size_bytes: int, part_bytes: int = PART_BYTES) -> int:
    return -(-size_bytes // part_bytes)


def halves(size_bytes: int) -> tuple[tuple[int, int], tuple[int, int]]:
    """The two contiguous halves of an object, as (start, end)."""
    middle = (size_bytes + 1) // 2
    return (0, middle), (middle, size_bytes)


def windows(start: int, end: int, window_bytes: int = READ_BYTES_MAX) -> list[tuple[int, int]]:
    """The ranged reads that cover start..end in order."""
    return [(at, min(at + window_bytes, end)) for at in range(start, end, window_bytes)]
