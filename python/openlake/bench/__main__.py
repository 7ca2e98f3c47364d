"""`python -m openlake.bench`, which is `make bench`: measures, prints the marks, keeps the results.

Takes about three minutes and 6 GiB of the drive, which it gives back.
"""

from pathlib import Path

import click
from rich.console import Console
from rich.table import Table

from openlake.bench.drive import DriveError
from openlake.bench.folder import FolderError, folder_beside
from openlake.bench.interrupt import interrupted_once
from openlake.bench.machine import this_machine
from openlake.bench.marks import marks_of
from openlake.bench.objects import measure
from openlake.bench.report import (
    FIGURE_HEAD,
    MARK_HEAD,
    Results,
    figure_rows,
    mark_rows,
    write_report,
)
from openlake.bench.scenario import LoadError
from openlake.bench.storage import storage_of
from openlake.cli.errors import INTERRUPTED_EXIT, told_plainly
from openlake.errors import OpenLakeError
from openlake.testing import ServerDidNotStartError

# Whatever keeps the benchmark from measuring, by no fault of its code.
TROUBLE = (FolderError, DriveError, ServerDidNotStartError, LoadError, OpenLakeError)


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
            measured = run(folder, repetitions, seconds, console)
    except KeyboardInterrupt:
        console.print("stopped: no process and no data is left")
        click.get_current_context().exit(INTERRUPTED_EXIT)
    show(measured, console)
    try:
        report = write_report(measured, results)
    except OSError as error:
        raise click.ClickException(f"cannot write the report: {error}") from error
    console.print(f"results: {report}", highlight=False, soft_wrap=True)


def run(folder: Path, repetitions: int, seconds: float, console: Console) -> Results:
    with console.status("starting") as status:
        figures = measure(folder, repetitions, seconds, status.update)
    marks, machine, storage = marks_of(figures), this_machine(), storage_of(folder)
    return Results(figures, marks, machine, storage, repetitions, seconds)


def show(results: Results, console: Console) -> None:
    for head, rows in (
        (FIGURE_HEAD, figure_rows(results.figures)),
        (MARK_HEAD, mark_rows(results.marks)),
    ):
        table = Table(*head)
        for row in rows:
            table.add_row(*row)
        console.print(table, highlight=False)
    for name, text in results.rows():
        console.print(f"[bold]{name}[/]: {text}", highlight=False)


if __name__ == "__main__":
    main()
