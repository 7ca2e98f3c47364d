"""Writes results/bench/<time>/report.{json,md}, with all that the figures must be read with."""

import dataclasses
import datetime as dt
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from openlake.bench.figure import Figures
from openlake.bench.machine import Machine
from openlake.bench.marks import Mark
from openlake.bench.storage import Storage

Row = tuple[str, ...]

FIGURE_HEAD = ("figure", "median", "unit", "spread")
MARK_HEAD = ("mark", "median", "least to most", "wanted", "")
PART_ETAGS = "CRC64NVME and length, as openlake.Client asks for; MD5 where a name says so"
HOSTS = (
    "client, server and drive probe share this host and its cores, over loopback: only the ratios "
    "travel"
)
METHOD = (
    "each repetition measures the drive, a null server and openlake one after the other, in closed "
    "loops; a figure is the median over the repetitions, its spread half of largest less smallest; "
    "a mark is the median of the ratios within each repetition. The drive is measured past the "
    "page cache (O_DIRECT, io_uring) in a file that was written in full before. The server's "
    "memory is touched and its cache filled before the clock; cold reads are those of a server "
    "without a cache. A drive that writes as fast as memory is a cache of the host"
)


@dataclass(frozen=True, slots=True)
class Results:
    """One run: its figures, and how and where they were taken."""

    figures: Figures
    marks: list[Mark]
    machine: Machine
    storage: Storage
    repetitions: int
    seconds: float

    def rows(self) -> list[Row]:
        machine = self.machine
        return [
            ("durability", self.storage.durability),
            ("ETags of parts", PART_ETAGS),
            ("machine", f"{machine}"),
            ("data on", f"{self.storage}"),
            ("hosts", HOSTS),
            ("versions", machine.versions),
            ("repetitions", f"{self.repetitions}, each figure for {self.seconds:g} s"),
            ("method", METHOD),
            ("commit, date", f"{machine.commit or 'unknown'}, {machine.date}"),
        ]

    def as_json(self) -> dict[str, Any]:
        return {
            "durability": self.storage.durability,
            "part_etags": PART_ETAGS,
            "machine": dataclasses.asdict(self.machine),
            "storage": dataclasses.asdict(self.storage),
            "hosts": HOSTS,
            "repetitions": self.repetitions,
            "seconds": self.seconds,
            "method": METHOD,
            "marks": [{**dataclasses.asdict(mark), "reached": mark.reached} for mark in self.marks],
            "figures": [dataclasses.asdict(one) for one in self.figures.by_name.values()],
        }


def mark_rows(marks: list[Mark]) -> list[Row]:
    return [
        (
            mark.name,
            f"{mark.value:.2f}",
            f"{mark.least:.2f} to {mark.most:.2f}",
            mark.wanted_text,
            "reached" if mark.reached else "MISSED",
        )
        for mark in marks
    ]


def figure_rows(figures: Figures) -> list[Row]:
    return [
        (figure.name, f"{figure.median:,.4g}", figure.unit, f"±{figure.spread / 2:.0%}")
        for figure in figures.by_name.values()
    ]


def markdown(results: Results) -> str:
    tables = (
        (("what", "this run"), results.rows()),
        (MARK_HEAD, mark_rows(results.marks)),
        (FIGURE_HEAD, figure_rows(results.figures)),
    )
    lines = ["# Benchmark", ""]
    for head, rows in tables:
        lines += [f"| {' | '.join(head)} |", f"|{' --- |' * len(head)}"]
        lines += [*(f"| {' | '.join(row)} |" for row in rows), ""]
    return "\n".join(lines)


def write_report(results: Results, folder: Path) -> Path:
    """Into a folder of its own below this one, named after the time."""
    made = folder / "bench" / dt.datetime.now(dt.UTC).strftime("%Y-%m-%dT%H-%M-%SZ")
    made.mkdir(parents=True)
    (made / "report.json").write_text(json.dumps(results.as_json(), indent=2) + "\n")
    (made / "report.md").write_text(markdown(results))
    return made
