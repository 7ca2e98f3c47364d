"""The loads that servers are compared under, and how one repetition of one is taken."""

from dataclasses import dataclass, replace

from openlake import _core
from openlake.bench.figure import Figures
from openlake.bench.process_usage import ProcessUsage, usage_of
from openlake.sdk.load import Load
from openlake.sdk.settings import ClientConfig, PartETag

KIB = 1 << 10
MIB = 1 << 20
GIB = 1 << 30
PART_BYTES = 32 * MIB
BUCKET = "bench"
READS = frozenset({"get", "head", "range", "list"})
BODILESS = frozenset({"head", "delete", "list"})


@dataclass(frozen=True, slots=True)
class Scenario:
    name: str
    verb: str
    object_bytes: int
    connections: int
    keys: int
    part_etag: PartETag = "crc64nvme"
    # Of the verb `range`.
    range_bytes: int = 4 * KIB

    @property
    def counts_bytes(self) -> bool:
        """Rates are counted in bytes for large bodies, in requests for small ones and for none."""
        if self.verb in BODILESS:
            return False
        return (self.range_bytes if self.verb == "range" else self.object_bytes) >= MIB

    @property
    def reads(self) -> bool:
        return self.verb in READS

    @property
    def prefix(self) -> str:
        """Reads share their objects by size; writes have their own."""
        return f"read-{self.object_bytes}/" if self.reads else f"{self.name}/"

    def load(self, client: ClientConfig, seconds: float) -> Load:
        return Load(
            client=replace(client, part_etag=self.part_etag),
            verb=self.verb,
            bucket=BUCKET,
            key_prefix=self.prefix,
            keys=self.keys,
            object_bytes=self.object_bytes,
            range_bytes=self.range_bytes,
            part_bytes=PART_BYTES,
            parts=2,
            connections=self.connections,
            threads=min(self.connections, 2),
            duration_s=seconds,
            # A key that is gone already costs no record.
            requests_max=self.keys if self.verb == "delete" else None,
        )


SHAPES = {"2x2": 4, "8x2": 16}
# As the SDK sends parts, and as every other client does.
PART_ETAGS: dict[str, PartETag] = {"": "crc64nvme", ", MD5": "md5"}
PARTS = tuple(
    Scenario(f"parts {shape}{label}", "upload-part", PART_BYTES, in_flight, in_flight, etag)
    for shape, in_flight in SHAPES.items()
    for label, etag in PART_ETAGS.items()
)
# The null server takes a part for what it is on the wire: a PUT of 32 MiB.
NULL_PARTS = tuple(
    Scenario(f"parts {shape}", "put", PART_BYTES, in_flight, in_flight)
    for shape, in_flight in SHAPES.items()
)
LARGE_READ = Scenario("read 32 MiB", "get", PART_BYTES, 4, 8)
WARM_UP = Scenario("warm-up", "get", PART_BYTES, 4, 24)
SMALL_WRITES = tuple(
    Scenario(f"put 4 KiB, {count}", "put", 4 * KIB, count, 4096) for count in (1, 16, 64)
)
SMALL_READ = Scenario("get 4 KiB, 64", "get", 4 * KIB, 64, 4096)


# Connections that store what is read later: large objects, small ones.
FILLERS = (4, 64)


class LoadError(Exception):
    """A scenario had errors, so that its rate says nothing."""


@dataclass(frozen=True, slots=True)
class Subject:
    """A server under load; its process, where that is not this one."""

    label: str
    client: ClientConfig
    pid: int | None = None

    def usage(self) -> ProcessUsage | None:
        try:
            return usage_of(self.pid) if self.pid is not None else None
        except ProcessLookupError as error:
            raise LoadError(f"{self.label}: the server is gone: {error}") from error


def told(errors: dict[str, int]) -> str:
    return ", ".join(f"{count} x {name}" for name, count in errors.items()) or "no answer in time"


def take(scenario: Scenario, subject: Subject, seconds: float, figures: Figures) -> None:
    """Add one repetition: the rate, and the server's CPU per GiB or per 1,000 requests."""
    name = f"{subject.label} {scenario.name}"
    before = subject.usage()
    report = _core.run_load(scenario.load(subject.client, seconds))
    if report["errors"] or not report["succeeded"]:
        raise LoadError(f"{name}: {told(report['errors'])}")
    after = subject.usage()
    gib = report["bytes"] / GIB
    if scenario.counts_bytes:
        figures.add(name, "GiB/s", gib / report["elapsed_s"])
    else:
        figures.add(name, "/s", report["succeeded"] / report["elapsed_s"])
        figures.add(f"{name}: p50", "ms", report["latency_ms_p50"])
        figures.add(f"{name}: p99", "ms", report["latency_ms_p99"])
        figures.add(f"{name}: p99.9", "ms", report["latency_ms_p999"])
    if before is None or after is None:
        return
    cpu_s = after.cpu_s - before.cpu_s
    if scenario.counts_bytes:
        figures.add(f"{name}: server CPU", "s/GiB", cpu_s / gib)
    else:
        per_thousand = cpu_s / report["succeeded"] * 1000
        figures.add(f"{name}: server CPU", "s per 1,000", per_thousand)


def fill_for(scenario: Scenario, subject: Subject) -> None:
    """Store every object that the scenario reads, lists or deletes."""
    load = Load(
        client=subject.client,
        verb="put",
        bucket=BUCKET,
        key_prefix=scenario.prefix,
        keys=scenario.keys,
        object_bytes=scenario.object_bytes,
        connections=FILLERS[scenario.object_bytes < MIB],
        threads=2,
        duration_s=120.0,
        requests_max=scenario.keys,
    )
    report = _core.run_load(load)
    if report["errors"] or report["succeeded"] < scenario.keys:
        raise LoadError(
            f"{subject.label}: {report['succeeded']} of {scenario.keys} objects stored for "
            f"{scenario.name}: {told(report['errors'])}"
        )
