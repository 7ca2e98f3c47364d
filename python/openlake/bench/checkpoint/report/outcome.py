"""Everything that a report is made from, as one value that JSON can hold."""

import dataclasses
from dataclasses import dataclass
from typing import Any

from openlake.bench.checkpoint.phase_result import PhaseResult
from openlake.bench.checkpoint.plan import JobPlan
from openlake.bench.checkpoint.report.statistics import PhaseSummary, summarise
from openlake.bench.checkpoint.shape import GIB, READ_BYTES_MAX
from openlake.bench.machine import Machine

DURABLE = (
    "every answer waits until data, metadata and directory entries are on stable storage; "
    "Complete meant stable"
)
UNKNOWN_DURABILITY = "unknown: the server is not one that this run started"
CACHES = (
    "nothing was dropped between write and read: reads may come from the server's memory; the "
    "embedded server's memory was touched before the clock"
)


@dataclass(frozen=True, slots=True)
class Outcome:
    plan: JobPlan
    machine: Machine
    results: list[PhaseResult]
    durable_server: bool

    def of(self, phase: str) -> list[PhaseResult]:
        return [result for result in self.results if result.phase == phase]

    @property
    def write(self) -> PhaseSummary:
        return summarise(self.of("write"))

    @property
    def read(self) -> PhaseSummary:
        return summarise(self.of("read"))

    @property
    def wrong(self) -> list[tuple[str, int]]:
        return [place for result in self.results for place in result.wrong]

    @property
    def scale(self) -> str:
        size = self.plan.checkpoint_bytes / GIB
        shape = self.plan.shape
        return (
            f"{self.plan.scale}, {shape.layers} of 32 layers, vocabulary {shape.vocabulary} of "
            f"128256, {size:.2f} GiB a checkpoint"
        )

    @property
    def durability(self) -> str:
        return DURABLE if self.durable_server else UNKNOWN_DURABILITY

    @property
    def part_etags(self) -> str:
        if self.plan.client == "openlake":
            return "CRC64NVME and length, as openlake.Client asks for; each part's CRC is verified"
        return "MD5, as every client gets that does not ask for another"

    @property
    def hosts(self) -> str:
        if self.plan.endpoint.on_this_host:
            return "client and server share this host and its cores, over loopback"
        return "the server is on another host"

    @property
    def content(self) -> str:
        where = (
            "held in memory: made before the clock, compared after it"
            if self.plan.held
            else "larger than memory: made on the clock, compared with the clock standing"
        )
        return f"incompressible, seeded per object and run; {where}"

    def as_json(self) -> dict[str, Any]:
        plan = dataclasses.asdict(self.plan)
        del plan["endpoint"]["secret_key"]
        return {
            "scale": self.scale,
            "durability": self.durability,
            "part_etags": self.part_etags,
            "hosts": self.hosts,
            "caches": CACHES,
            "content": self.content,
            "read_bytes_max": READ_BYTES_MAX,
            "machine": dataclasses.asdict(self.machine),
            "plan": plan,
            "write": {**dataclasses.asdict(self.write), "means_differ": self.write.means_differ},
            "read": {**dataclasses.asdict(self.read), "means_differ": self.read.means_differ},
            "checkpoints": [dataclasses.asdict(result) for result in self.results],
            "wrong": self.wrong,
        }
