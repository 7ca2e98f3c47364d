"""`openlake doctor`: prints what the checks found, with a remedy for each that failed."""

from pathlib import Path

import click
from rich.console import Console
from rich.table import Table

from openlake.doctor import Finding, State, examine

MARKS = {State.GOOD: "[green]ok[/]", State.WEAK: "[yellow]weak[/]", State.BAD: "[red]fails[/]"}


@click.command()
@click.option(
    "--data",
    type=click.Path(path_type=Path),
    default=Path("data"),
    show_default=True,
    help="Directory to look at; nothing stays in it.",
)
@click.pass_context
def doctor(context: click.Context, data: Path) -> None:
    """Check this machine: kernel, io_uring, file system, limits, cores, space.

    Exits with 1 when something would keep the server from running.
    """
    findings = examine(data)
    console = Console()
    console.print(table_of(findings))
    for finding in findings:
        if finding.remedy:
            console.print(f"[bold]{finding.subject}[/]: {finding.remedy}", highlight=False)
    context.exit(1 if any(finding.state is State.BAD for finding in findings) else 0)


def table_of(findings: list[Finding]) -> Table:
    table = Table("", "what", "found", box=None, pad_edge=False)
    for finding in findings:
        table.add_row(MARKS[finding.state], finding.subject, finding.found)
    return table
