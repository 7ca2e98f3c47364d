"""From the durations of each checkpoint to the figures of the report: pure arithmetic."""

import statistics
from dataclasses import dataclass

from openlake.bench.checkpoint.phase_result import PhaseResult
from openlake.bench.checkpoint.shape import GIB

# Above this the two means tell different stories, and the report says so next to them.
DIFFERENCE_MAX = 0.05


@dataclass(frozen=True, slots=True)
class Spread:
    """Arithmetic means over the checkpoints, with population standard deviations."""

    rate_gib_s: float
    rate_gib_s_deviation: float
    duration_s: float
    duration_s_deviation: float


@dataclass(frozen=True, slots=True)
class PhaseSummary:
    checkpoints: int
    size_bytes: int
    # (a) As the published results count: by the clock of rank 0.
    rank_zero: Spread
    # (b) By the clock of each checkpoint's slowest rank.
    slowest_rank: Spread
    # (c) All bytes over all time, by the slowest rank.
    total_rate_gib_s: float
    # (d) The same of the later half of the checkpoints.
    last_half_rate_gib_s: float
    # (e) Rank 0's and the slowest rank's duration of each checkpoint.
    rank_zero_durations_s: list[float]
    slowest_durations_s: list[float]
    # (f) CPU seconds a GiB and the largest resident sizes.
    client_cpu_s_per_gib: float
    server_cpu_s_per_gib: float | None
    client_rss_bytes_max: int
    server_rss_bytes_max: int | None
    compared_bytes: int

    @property
    def means_differ(self) -> bool:
        difference = abs(self.rank_zero.rate_gib_s - self.total_rate_gib_s)
        return difference > DIFFERENCE_MAX * self.total_rate_gib_s


def spread(size_bytes: int, durations_s: list[float]) -> Spread:
    rates = [size_bytes / GIB / duration for duration in durations_s]
    return Spread(
        rate_gib_s=statistics.fmean(rates),
        rate_gib_s_deviation=statistics.pstdev(rates),
        duration_s=statistics.fmean(durations_s),
        duration_s_deviation=statistics.pstdev(durations_s),
    )


def total_rate(size_bytes: int, durations_s: list[float]) -> float:
    return size_bytes * len(durations_s) / GIB / sum(durations_s)


def summarise(results: list[PhaseResult]) -> PhaseSummary:
    """The summary of the results of one phase, in the order in which they ran."""
    size = results[0].size_bytes
    rank_zero = [result.durations_s[0] for result in results]
    slowest = [max(result.durations_s) for result in results]
    gib = size * len(results) / GIB
    server_cpu = [result.server_cpu_s for result in results if result.server_cpu_s is not None]
    server_rss = [
        result.server_rss_bytes_max for result in results if result.server_rss_bytes_max is not None
    ]
    return PhaseSummary(
        checkpoints=len(results),
        size_bytes=size,
        rank_zero=spread(size, rank_zero),
        slowest_rank=spread(size, slowest),
        total_rate_gib_s=total_rate(size, slowest),
        last_half_rate_gib_s=total_rate(size, slowest[len(slowest) // 2 :]),
        rank_zero_durations_s=rank_zero,
        slowest_durations_s=slowest,
        client_cpu_s_per_gib=sum(sum(result.client_cpu_s) for result in results) / gib,
        server_cpu_s_per_gib=sum(server_cpu) / gib if server_cpu else None,
        client_rss_bytes_max=max(max(result.client_rss_bytes_max) for result in results),
        server_rss_bytes_max=max(server_rss) if server_rss else None,
        compared_bytes=sum(result.compared_bytes for result in results),
    )
