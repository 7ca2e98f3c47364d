"""The load generator: what load to make, and what it saw."""

from dataclasses import dataclass
from typing import TypedDict

from openlake import _core
from openlake.sdk.settings import MIB, ClientConfig


@dataclass(frozen=True, slots=True, kw_only=True)
class Load:
    """A run of the load generator (`_core.run_load`)."""

    client: ClientConfig
    verb: str
    """put, get, head, range, delete, list, upload-part or multipart-put."""
    bucket: str
    key_prefix: str = "load/"
    keys: int = 1024
    """Keys are the prefix and a number; PUT and DELETE take them in turn, GET at random."""
    object_bytes: int = 4096
    range_bytes: int = 4096
    part_bytes: int = 32 * MIB
    parts: int = 8
    connections: int = 1
    threads: int = 1
    duration_s: float = 3.0
    requests_max: int | None = None
    rate_per_s: float | None = None
    """Open loop at this rate; None is a closed loop."""
    checksum: bool = True
    """PUTs and parts carry their CRC64NVME."""
    seed: int = 1


class LoadReport(TypedDict):
    """What a run saw."""

    succeeded: int
    errors: dict[str, int]
    """Other answers and broken connections, by name."""
    bytes: int
    """Object bytes of the successful requests, in either direction."""
    elapsed_s: float
    client_cpu_s: float
    unsent: int
    """Due by the rate, but not begun by the end."""
    unfinished: int
    latency_ms_mean: float
    latency_ms_p50: float
    latency_ms_p90: float
    latency_ms_p99: float
    latency_ms_p999: float
    latency_ms_max: float
    latency_ms_histogram: list[tuple[float, int]]
    """Upper bound and count of each bucket in use, ascending."""


def run_load(load: Load) -> LoadReport:
    """Make the load and wait for its end."""
    return _core.run_load(load)
