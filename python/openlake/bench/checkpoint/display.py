"""Live progress of the job in a terminal; a line a phase where the output is no terminal."""

from typing import Self

from rich.console import Console, Group
from rich.live import Live
from rich.table import Table
from rich.text import Text

from openlake.bench.checkpoint.conductor import Moment
from openlake.bench.checkpoint.phase_result import PhaseResult
from openlake.bench.checkpoint.plan import JobPlan
from openlake.bench.checkpoint.shape import GIB, MIB

BAR_CELLS = 24
VERBS = {"write": "saving", "read": "loading"}


class Display:
    """A context manager. `watch` takes each moment, `done` each result."""

    def __init__(self, plan: JobPlan, console: Console) -> None:
        self.plan = plan
        self.console = console
        self.live = Live(console=console, refresh_per_second=8, transient=True)

    def __enter__(self) -> Self:
        if self.console.is_terminal:
            self.live.start()
        return self

    def __exit__(self, *_: object) -> None:
        if self.live.is_started:
            self.live.stop()

    def watch(self, moment: Moment) -> None:
        if self.live.is_started:
            self.live.update(Group(self.headline(moment), self.ranks(moment)))

    def headline(self, moment: Moment) -> Text:
        what = f"{VERBS[moment.phase]} checkpoint {moment.step} of {self.plan.checkpoints}"
        if moment.activity != "running":
            return Text(f"{what}: {moment.activity} ({moment.elapsed_s:.0f} s)")
        moved, total = sum(moment.moved_bytes), self.plan.checkpoint_bytes
        rate = moved / max(moment.elapsed_s, 1e-3)
        left = f"{(total - moved) / rate:.0f} s left" if rate else "no part done yet"
        return Text(
            f"{what}: {moved / GIB:.2f} of {total / GIB:.2f} GiB, {rate / GIB:.2f} GiB/s, {left}",
            style="bold",
        )

    def ranks(self, moment: Moment) -> Table:
        table = Table(box=None, pad_edge=False, show_header=False)
        of_rank = self.plan.shape.rank_bytes(self.plan.ranks)
        for number, moved in enumerate(moment.moved_bytes):
            full = min(BAR_CELLS, BAR_CELLS * moved // of_rank)
            bar = "█" * full + "░" * (BAR_CELLS - full)
            table.add_row(f"rank {number}", bar, f"{moved / MIB:,.0f} of {of_rank / MIB:,.0f} MiB")
        return table

    def done(self, result: PhaseResult) -> None:
        slowest = max(result.durations_s)
        rate = result.size_bytes / GIB / slowest
        checked = ""
        if result.phase == "read":
            checked = "WRONG BYTES" if result.wrong else "every byte compared"
        self.console.print(
            f"{result.phase:<5} {result.step}: {result.size_bytes / GIB:.2f} GiB in {slowest:.2f} s"
            f" = {rate:.2f} GiB/s (slowest rank) {checked}",
            highlight=False,
        )
