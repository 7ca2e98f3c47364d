"""`openlake bench …`: benchmarks with a report."""

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from rich.console import Console
from rich.table import Table

from openlake.bench.checkpoint.plan import CLIENTS, PROFILES, Endpoint
from openlake.bench.checkpoint.shape import SCALES
from openlake.bench.compare.matrix import QUESTIONS, questions_named
from openlake.cli.errors import INTERRUPTED_EXIT, told_plainly

if TYPE_CHECKING:
    from openlake.bench.checkpoint.job import JobOptions
    from openlake.bench.checkpoint.report.outcome import Outcome

WRONG_BYTES_EXIT = 3


@click.group()
def bench() -> None:
    """Benchmarks."""


@bench.command()
@click.option("--scale", type=click.Choice(list(SCALES)), default="small", show_default=True)
@click.option("--checkpoints", type=click.IntRange(1, 1000), default=2, show_default=True)
@click.option("--client", type=click.Choice(CLIENTS), default="openlake", show_default=True)
@click.option(
    "--profile",
    type=click.Choice(list(PROFILES)),
    default="mlperf-default",
    show_default=True,
    help="Parts in flight a rank: 2 or 8.",
)
@click.option(
    "--endpoint",
    metavar="URL",
    help="An S3 endpoint; keys from AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY.  "
    "[default: a server of its own]",
)
@click.option(
    "--data",
    type=click.Path(path_type=Path),
    default=Path("data"),
    show_default=True,
    help="Data directory of the job's own server.",
)
@click.option(
    "--results",
    type=click.Path(path_type=Path),
    default=Path("results"),
    show_default=True,
    help="Where the report goes.",
)
@click.option(
    "--idle-s",
    type=click.FloatRange(0, 3600),
    default=5.0,
    show_default=True,
    help="Idle seconds before each checkpoint, as in the published workload.",
)
@click.pass_context
def checkpoint(context: click.Context, /, **chosen: Any) -> None:  # noqa: ANN401 click's own values
    """Save and load Llama-3.1-8B-shaped checkpoints over S3; every byte is compared.

    Exits with 3 when bytes were wrong.
    """
    with needed_installed():
        from openlake.bench.checkpoint.conductor import JobError
        from openlake.bench.checkpoint.job import run_job
        from openlake.bench.checkpoint.room import NotEnoughRoomError
    from openlake.testing import ServerDidNotStartError

    options = options_of(**chosen)
    console = Console()
    console.print(f"Checkpoint job: scale {SCALES[options.scale]}", highlight=False)
    try:
        with told_plainly(JobError, NotEnoughRoomError, ServerDidNotStartError):
            outcome, folder = run_job(options, console)
    except KeyboardInterrupt:
        console.print("stopped: uploads under way were aborted, no process is left")
        context.exit(INTERRUPTED_EXIT)
    show(outcome, folder, console)
    context.exit(WRONG_BYTES_EXIT if outcome.wrong else 0)


data_option = click.option(
    "--data",
    type=click.Path(path_type=Path),
    default=Path("data"),
    show_default=True,
    help="The benchmark works in a new folder beside it, on the same drive.",
)
repetitions_option = click.option(
    "--repetitions", type=click.IntRange(1, 100), default=3, show_default=True
)
seconds_option = click.option(
    "--seconds",
    type=click.FloatRange(0.1, 60),
    default=2.0,
    show_default=True,
    help="How long each figure is taken.",
)


@bench.command()
@data_option
@repetitions_option
@seconds_option
@click.pass_context
def drive(context: click.Context, data: Path, repetitions: int, seconds: float) -> None:
    """Measure the drive alone, past the page cache, by the engine's own operations."""
    from openlake.bench.drive import measure_drive
    from openlake.bench.figure import Figures
    from openlake.bench.report import FIGURE_HEAD, figure_rows
    from openlake.bench.storage import storage_of

    console, figures = Console(), Figures()
    with working_beside(data, context, console) as folder, console.status("measuring"):
        for _ in range(repetitions):
            measure_drive(folder, seconds, figures)
        storage = storage_of(folder)
    console.print(table_of(FIGURE_HEAD, figure_rows(figures)), highlight=False)
    console.print(f"[bold]data on[/]: {storage}", highlight=False)


@bench.command()
@data_option
@repetitions_option
@seconds_option
@click.option(
    "--question",
    "names",
    multiple=True,
    type=click.Choice([question.name for question in QUESTIONS]),
    help="Only this one; may be given again.  [default: all]",
)
@click.option(
    "--compare",
    "peers",
    multiple=True,
    metavar="NAME=http://KEY:SECRET@HOST:PORT#PID",
    help="Another S3 server, under the same loads; its CPU too where PID is given.",
)
@click.option(
    "--results",
    type=click.Path(path_type=Path),
    default=Path("results"),
    show_default=True,
    help="Where the report goes.",
)
@click.pass_context
def objects(context: click.Context, /, **chosen: Any) -> None:  # noqa: ANN401 click's own values
    """Ask every verb of a server of its own, of a server that does nothing, and of others."""
    from openlake.bench.compare.job import run_comparison
    from openlake.bench.compare.measure import Plan
    from openlake.bench.compare.report import head_of, rows_of, write_report
    from openlake.bench.compare.subjects import EndpointError, endpoint_named

    try:
        peers = tuple(endpoint_named(text) for text in chosen["peers"])
    except EndpointError as error:
        raise click.UsageError(f"--compare: {error}") from error
    questions = questions_named(chosen["names"])
    plan = Plan(questions, peers, chosen["repetitions"], chosen["seconds"])
    console = Console()
    with working_beside(chosen["data"], context, console) as folder:
        comparison = run_comparison(folder, plan, console)
    for question in questions:
        console.print(f"[bold]{question.name}[/]: {question.asks}", highlight=False)
        console.print(table_of(head_of(comparison), rows_of(comparison, question)), highlight=False)
    with needed_installed():
        report = write_report(comparison, chosen["results"])
    console.print(f"report: {report / 'report.md'}", highlight=False, soft_wrap=True)


@contextlib.contextmanager
def working_beside(data: Path, context: click.Context, console: Console) -> Iterator[Path]:
    """A folder for the benchmark; trouble is told plainly, Ctrl-C leaves nothing."""
    from openlake.bench.__main__ import TROUBLE
    from openlake.bench.folder import folder_beside
    from openlake.bench.interrupt import interrupted_once

    try:
        with told_plainly(*TROUBLE), interrupted_once(), folder_beside(data) as folder:
            yield folder
    except KeyboardInterrupt:
        console.print("stopped: no process and no data is left")
        context.exit(INTERRUPTED_EXIT)


def table_of(head: tuple[str, ...], rows: list[tuple[str, ...]]) -> Table:
    table = Table(*head)
    for row in rows:
        table.add_row(*row)
    return table


@contextlib.contextmanager
def needed_installed() -> Iterator[None]:
    """boto3 and matplotlib come with an extra."""
    try:
        yield
    except ModuleNotFoundError as error:
        remedy = "pip install 'openlake[bench]'"
        raise click.ClickException(f"{error.name} is not installed: {remedy}") from error


def options_of(**chosen: Any) -> "JobOptions":  # noqa: ANN401 click's own values
    from openlake.bench.checkpoint.job import JobOptions

    url, data = chosen.pop("endpoint"), chosen.pop("data")
    scale = SCALES[chosen.pop("scale")]
    endpoint = None if url is None else endpoint_of(url)
    return JobOptions(scale=scale.name, shape=scale.shape, endpoint=endpoint, data=data, **chosen)


def endpoint_of(url: str) -> Endpoint:
    try:
        access, secret = os.environ["AWS_ACCESS_KEY_ID"], os.environ["AWS_SECRET_ACCESS_KEY"]
    except KeyError as error:
        raise click.UsageError(f"--endpoint: {error.args[0]} is not set") from error
    return Endpoint(url, access, secret, os.environ.get("AWS_REGION", "us-east-1"))


def show(outcome: "Outcome", folder: Path, console: Console) -> None:
    from openlake.bench.checkpoint.report.document import comparison_rows, run_rows, wrong_text
    from openlake.bench.checkpoint.report.reference import CAUTION, TITLE

    head, *rows = comparison_rows(outcome)
    table = Table(*head, title=f"beside {TITLE}", caption=CAUTION)
    for row in rows:
        table.add_row(*row)
    console.print(table, highlight=False)
    for name, text in run_rows(outcome)[1:6]:
        console.print(f"[bold]{name}[/]: {text}", highlight=False)
    style = "bold red" if outcome.wrong else "bold green"
    console.print(wrong_text(outcome), style=style, highlight=False)
    console.print(f"report: {folder / 'report.html'}", highlight=False)
