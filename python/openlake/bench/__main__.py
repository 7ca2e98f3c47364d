"""`python -m openlake.bench`, which is `make bench`: measures, prints the marks, keeps the results.

Takes about three minutes and 3 GiB of the drive, which it gives back.
"""

import dataclasses
import datetime as dt
import json
import shutil
from pathlib import Path

import click
from rich.console import Console
from rich.table import Table

from openlake.bench.figure import Figures
from openlake.bench.machine import Machine, this_machine
from openlake.bench.marks import Mark, marks_of
from openlake.bench.objects import measure

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


def folder_beside(data: Path) -> Path:
    """A new folder on the same drive; one that is there already is nobody's to delete."""
    folder = data.absolute().with_name(f"{data.name}-bench")
    try:
        folder.mkdir()
    except FileExistsError as error:
        raise click.ClickException(
            f"{folder} is there already: another benchmark runs, or one was killed; "
            "if none runs, remove it and start again"
        ) from error
    except OSError as error:
        raise click.ClickException(f"cannot make {folder}: {error.strerror}") from error
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
    folder = folder_beside(data)
    try:
        with console.status("starting") as status:
            figures = measure(folder, repetitions, seconds, status.update)
    finally:
        shutil.rmtree(folder)
    marks = marks_of(figures)
    for head, rows in (
        (("figure", "median", "unit", "spread"), figure_rows(figures)),
        (HEAD, mark_rows(marks)),
    ):
        table = Table(*head)
        for row in rows:
            table.add_row(*row)
        console.print(table, highlight=False)
    console.print(f"{this_machine()}; results: {keep(figures, marks, results)}", highlight=False)


if __name__ == "__main__":
    main()
