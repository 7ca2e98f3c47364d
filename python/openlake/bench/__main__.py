"""`python -m openlake.bench`, which is `make bench`: measures, prints the marks, keeps the results.

Takes about three minutes and 6 GiB of the drive, which it gives back.
"""

import dataclasses
import datetime as dt
import json
from pathlib import Path

import click
from rich.console import Console
from rich.table import Table

from openlake.bench.drive import DriveError
from openlake.bench.figure import Figures
from openlake.bench.folder import FolderError, folder_beside
from openlake.bench.interrupt import interrupted_once
from openlake.bench.machine import Machine, this_machine
from openlake.bench.marks import Mark, marks_of
from openlake.bench.objects import measure
from openlake.bench.scenario import LoadError
from openlake.cli.errors import INTERRUPTED_EXIT, told_plainly
from openlake.errors import OpenLakeError
from openlake.testing import ServerDidNotStartError

# Whatever keeps the benchmark from measuring, by no fault of its code.
TROUBLE = (FolderError, DriveError, ServerDidNotStartError, LoadError, OpenLakeError)

HEAD = ("mark", "median", "least to most", "wanted", "")


def mark_rows(marks: list[Mark]) -> list[tuple[str, ...]]:
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


def figure_rows(figures: Figures) -> list[tuple[str, ...]]:
    return [
        (figure.name, f"{figure.median:,.4g}", figure.unit, f"±{figure.spread / 2:.0%}")
        for figure in figures.by_name.values()
    ]


def markdown(figures: Figures, marks: list[Mark], machine: Machine) -> str:
    def table(head: tuple[str, ...], rows: list[tuple[str, ...]]) -> list[str]:
        lines = [f"| {' | '.join(head)} |", f"|{' --- |' * len(head)}"]
        return [*lines, *(f"| {' | '.join(row)} |" for row in rows), ""]

    where = (
        f"{machine}; commit {machine.commit or 'unknown'}; {machine.date}. Client, server and "
        "drive probe share this host: only the ratios travel."
    )
    return "\n".join(
        [
            "# Benchmark",
            "",
            where,
            "",
            *table(HEAD, mark_rows(marks)),
            *table(("figure", "median", "unit", "spread"), figure_rows(figures)),
        ]
    )


def keep(figures: Figures, marks: list[Mark], results: Path) -> Path:
    machine = this_machine()
    folder = results / "bench" / dt.datetime.now(dt.UTC).strftime("%Y-%m-%dT%H-%M-%SZ")
    folder.mkdir(parents=True)
    whole = {
        "machine": dataclasses.asdict(machine),
        "marks": [{**dataclasses.asdict(mark), "reached": mark.reached} for mark in marks],
        "figures": [dataclasses.asdict(figure) for figure in figures.by_name.values()],
    }
    (folder / "report.json").write_text(json.dumps(whole, indent=2) + "\n")
    (folder / "report.md").write_text(markdown(figures, marks, machine))
    return folder


@click.command()
@click.option("--data", type=click.Path(path_type=Path), default=Path("data"), show_default=True)
@click.option(
    "--results", type=click.Path(path_type=Path), default=Path("results"), show_default=True
)
@click.option("--repetitions", type=click.IntRange(1, 100), default=3, show_default=True)
@click.option("--seconds", type=click.FloatRange(0.1, 60), default=3.0, show_default=True)
def main(data: Path, results: Path, repetitions: int, seconds: float) -> None:
    """Measure the drive, a null server and openlake beside each other."""
    console = Console()
    try:
        with told_plainly(*TROUBLE), interrupted_once(), folder_beside(data) as folder:
            figures = measured(folder, repetitions, seconds, console)
    except KeyboardInterrupt:
        console.print("stopped: no process and no data is left")
        click.get_current_context().exit(INTERRUPTED_EXIT)
    marks = marks_of(figures)
    show(figures, marks, console)
    try:
        folder = keep(figures, marks, results)
    except OSError as error:
        raise click.ClickException(f"cannot write the report: {error}") from error
    console.print(f"{this_machine()}; results: {folder}", highlight=False)


def measured(folder: Path, repetitions: int, seconds: float, console: Console) -> Figures:
    with console.status("starting") as status:
        return measure(folder, repetitions, seconds, status.update)


def show(figures: Figures, marks: list[Mark], console: Console) -> None:
    for head, rows in (
        (("figure", "median", "unit", "spread"), figure_rows(figures)),
        (HEAD, mark_rows(marks)),
    ):
        table = Table(*head)
        for row in rows:
            table.add_row(*row)
        console.print(table, highlight=False)


if __name__ == "__main__":
    main()
