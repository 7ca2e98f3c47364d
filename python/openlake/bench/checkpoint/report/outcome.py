"""Everything that a report is made from, as one value that JSON can hold."""

import dataclasses
from dataclasses import dataclass
from typing import Any

from openlake.bench.checkpoint.phase_result import PhaseResult
from openlake.bench.checkpoint.plan import JobPlan
from openlake.bench.checkpoint.report.statistics import PhaseSummary, summarise
from openlake.bench.checkpoint.shape import GIB, READ_BYTES_MAX
from openlake.bench.machine import Machine
from openlake.bench.storage import Storage

NOT_OURS = "unknown: the server is not one that this run started"
METHOD = (
    "all ranks begin at once; a duration is the wall clock of a rank's objects, of Complete too; "
    "no byte is compared on the clock"
)
CACHES = (
    "nothing was dropped between write and read: reads may come from the server's memory; the "
    "embedded server's memory was touched before the clock"
)


@dataclass(frozen=True, slots=True)
class Outcome:
    plan: JobPlan
    machine: Machine
    results: list[PhaseResult]
    # Of the server that this run started; None: it started none.
    storage: Storage | None

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
        return NOT_OURS if self.storage is None else self.storage.durability

    @property
    def data_on(self) -> str:
        return NOT_OURS if self.storage is None else f"{self.storage}"

    @property
    def repetitions(self) -> str:
        plan = self.plan
        return (
            f"{plan.checkpoints} checkpoints written once each, then read once each, with "
            f"{plan.idle_s:g} s idle before each"
        )

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
            "repetitions": self.repetitions,
            "method": METHOD,
            "part_etags": self.part_etags,
            "hosts": self.hosts,
            "caches": CACHES,
            "content": self.content,
            "read_bytes_max": READ_BYTES_MAX,
            "machine": dataclasses.asdict(self.machine),
            "storage": None if self.storage is None else dataclasses.asdict(self.storage),
            "plan": plan,
            "write": {**dataclasses.asdict(self.write), "means_differ": self.write.means_differ},
            "read": {**dataclasses.asdict(self.read), "means_differ": self.read.means_differ},
            "checkpoints": [dataclasses.asdict(result) for result in self.results],
            "wrong": self.wrong,
        }
