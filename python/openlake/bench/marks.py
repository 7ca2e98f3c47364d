"""The marks that the server is held to, as ratios within one run: pure arithmetic on figures."""

import statistics
from dataclasses import dataclass

from openlake.bench.figure import Figures
from openlake.bench.scenario import SHAPES

MICROSECONDS_A_MILLISECOND = 1000.0


@dataclass(frozen=True, slots=True)
class Mark:
    name: str
    value: float
    # The value of the best and of the worst repetition.
    least: float
    most: float
    wanted: float
    # Some marks are reached from below.
    at_most: bool = False

    @property
    def reached(self) -> bool:
        return self.value <= self.wanted if self.at_most else self.value >= self.wanted

    @property
    def wanted_text(self) -> str:
        return f"{'≤' if self.at_most else '≥'} {self.wanted:g}"


def ratio(name: str, ours: list[float], bounds: list[float], wanted: float) -> Mark:
    """The median of the ratios of each repetition with its own bound."""
    ratios = [mine / bound for mine, bound in zip(ours, bounds, strict=True)]
    return Mark(name, statistics.median(ratios), min(ratios), max(ratios), wanted)


def cpu(name: str, seconds_per_thousand: list[float], wanted_us: float) -> Mark:
    """CPU a request: seconds for a thousand are milliseconds for one."""
    each = [value * MICROSECONDS_A_MILLISECOND for value in seconds_per_thousand]
    return Mark(name, statistics.median(each), min(each), max(each), wanted_us, at_most=True)


def marks_of(figures: Figures) -> list[Mark]:
    def values(name: str) -> list[float]:
        return figures[name].values

    drive, read = values("drive write"), values("drive read")
    marks = []
    for shape in SHAPES:
        lower = [min(pair) for pair in zip(drive, values(f"null parts {shape}"), strict=True)]
        for label, etag in (("", "CRC64NVME"), (", MD5", "MD5")):
            ours = values(f"openlake parts {shape}{label}")
            name = f"durable 32 MiB parts {shape}, {etag} as ETag, of the lower of drive, loopback"
            marks.append(ratio(name, ours, lower, 0.8))
    cached, ceiling = values("openlake read 32 MiB"), values("null read 32 MiB")
    marks.append(ratio("cached 32 MiB read, of loopback", cached, ceiling, 0.7))
    lower = [min(pair) for pair in zip(read, ceiling, strict=True)]
    cold = values("openlake cold read 32 MiB")
    marks.append(ratio("cold 32 MiB read, of the lower of drive and loopback", cold, lower, 0.8))
    puts, syncs = values("openlake put 4 KiB, 64"), values("drive 4 KiB synced write")
    marks.append(ratio("durable 4 KiB PUT at 64, of the drive's synced writes", puts, syncs, 6.0))
    gets, null = values("openlake get 4 KiB, 64"), values("null get 4 KiB, 64")
    marks.append(ratio("cached 4 KiB GET at 64, of the null server", gets, null, 0.7))
    get_cpu = values("openlake get 4 KiB, 64: server CPU")
    marks.append(cpu("server CPU a cached 4 KiB GET, µs", get_cpu, 25.0))
    put_cpu = values("openlake put 4 KiB, 64: server CPU")
    marks.append(cpu("server CPU a durable 4 KiB PUT, µs", put_cpu, 30.0))
    return marks
