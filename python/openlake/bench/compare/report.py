"""Writes results/objects/<time>/report.{json,md} and a picture a question."""

import dataclasses
import datetime as dt
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from openlake.bench.compare.matrix import Question
from openlake.bench.compare.measure import NULL, OURS, Plan
from openlake.bench.figure import Figure, Figures
from openlake.bench.machine import Machine
from openlake.bench.report import HOSTS, Row
from openlake.bench.scenario import Scenario
from openlake.bench.storage import Storage

METHOD = (
    "each repetition takes the drive, the null server, openlake and the others one after the "
    "other, with the same native client, keep-alive, closed loops, requests signed and payloads "
    "unsigned; every part has an MD5 ETag. Objects that are read were stored just before, so they "
    "come from memory where a server has any. A figure is the median over the repetitions, its "
    "spread half of largest less smallest"
)
OTHERS = "whether another server syncs before it answers is its own setting, not checked here"


@dataclass(frozen=True, slots=True)
class Comparison:
    """One run: who was asked what, the figures, and where they were taken."""

    plan: Plan
    figures: Figures
    machine: Machine
    storage: Storage

    @property
    def servers(self) -> tuple[str, ...]:
        return (NULL, OURS, *(named.name for named in self.plan.peers))

    def figure(self, server: str, scenario: Scenario, detail: str = "") -> Figure | None:
        name = f"{server} {scenario.name}{detail}"
        return self.figures.by_name.get(name)

    def rows(self) -> list[Row]:
        return [
            ("durability of openlake", self.storage.durability),
            ("durability of others", OTHERS),
            ("machine", f"{self.machine}"),
            ("data on", f"{self.storage}"),
            ("hosts", HOSTS),
            ("versions", self.machine.versions),
            ("repetitions", f"{self.plan.repetitions}, each figure for {self.plan.seconds:g} s"),
            ("method", METHOD),
            ("commit, date", f"{self.machine.commit or 'unknown'}, {self.machine.date}"),
        ]

    def as_json(self) -> dict[str, Any]:
        return {
            "about": {row[0]: row[1] for row in self.rows()},
            "machine": dataclasses.asdict(self.machine),
            "storage": dataclasses.asdict(self.storage),
            "servers": self.servers,
            "questions": [dataclasses.asdict(question) for question in self.plan.questions],
            "figures": [dataclasses.asdict(one) for one in self.figures.by_name.values()],
        }


def head_of(comparison: Comparison) -> Row:
    return ("scenario", *comparison.servers)


def rows_of(comparison: Comparison, question: Question) -> list[Row]:
    return [
        (scenario.name, *(cell(comparison, server, scenario) for server in comparison.servers))
        for scenario in question.scenarios
    ]


def cell(comparison: Comparison, server: str, scenario: Scenario) -> str:
    """Rate, its share of the null server's, latency, and CPU where the process is known."""
    rate = comparison.figure(server, scenario)
    if rate is None:
        return "—"
    parts = [f"{rate}"]
    ceiling = comparison.figure(NULL, scenario)
    if server != NULL and ceiling is not None:
        parts.append(f"{rate.median / ceiling.median:.2f} of null")
    tails = [comparison.figure(server, scenario, f": {p}") for p in ("p50", "p99", "p99.9")]
    if all(tails):
        parts.append("/".join(f"{tail.median:.3g}" for tail in tails if tail) + " ms")
    cpu = comparison.figure(server, scenario, ": server CPU")
    if cpu is not None:
        parts.append(f"{cpu.median:.3g} {cpu.unit} CPU")
    return "; ".join(parts)


def markdown(comparison: Comparison) -> str:
    lines = ["# Objects", ""]
    lines += table(("what", "this run"), comparison.rows())
    drive = [one for name, one in comparison.figures.by_name.items() if name.startswith("drive ")]
    lines += table(("the drive alone", ""), [(one.name, f"{one}") for one in drive])
    for question in comparison.plan.questions:
        lines += [f"## {question.name}", "", f"{question.asks} Bound: {question.bound}.", ""]
        lines += table(head_of(comparison), rows_of(comparison, question))
        lines += [f"![{question.name}]({question.name}.png)", ""]
    return "\n".join(lines)


def table(head: Row, rows: list[Row]) -> list[str]:
    body = [f"| {' | '.join(row)} |" for row in rows]
    return [f"| {' | '.join(head)} |", f"|{' --- |' * len(head)}", *body, ""]


def write_report(comparison: Comparison, folder: Path) -> Path:
    """Into a folder of its own below this one, named after the time."""
    from openlake.bench.compare.plot import draw

    made = folder / "objects" / dt.datetime.now(dt.UTC).strftime("%Y-%m-%dT%H-%M-%SZ")
    made.mkdir(parents=True)
    (made / "report.json").write_text(json.dumps(comparison.as_json(), indent=2) + "\n")
    (made / "report.md").write_text(markdown(comparison))
    for question in comparison.plan.questions:
        draw(comparison, question, made / f"{question.name}.png")
    return made
