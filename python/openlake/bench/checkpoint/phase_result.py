"""What one checkpoint written, or one read back, came to."""

from dataclasses import dataclass

from openlake.bench.checkpoint.messages import Phase


@dataclass(frozen=True, slots=True)
class PhaseResult:
    """Lists are by rank, lasting from the rank's start to its last answer."""

    phase: Phase
    step: int
    size_bytes: int
    durations_s: list[float]
    model_durations_s: list[float]
    client_cpu_s: list[float]
    client_rss_bytes_max: list[int]
    server_cpu_s: float | None
    server_rss_bytes_max: int | None
    compared_bytes: int
    wrong: list[tuple[str, int]]
