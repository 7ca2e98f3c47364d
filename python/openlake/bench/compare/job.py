"""One comparison from beginning to end."""

from pathlib import Path

from rich.console import Console

from openlake.bench.compare.measure import Plan, measure
from openlake.bench.compare.report import Comparison
from openlake.bench.figure import Figures
from openlake.bench.machine import this_machine
from openlake.bench.storage import storage_of


def run_comparison(folder: Path, plan: Plan, console: Console) -> Comparison:
    figures = Figures()
    with console.status("starting") as status:
        for repetition in range(1, plan.repetitions + 1):
            turn = f"repetition {repetition} of {plan.repetitions}"

            def say(text: str, turn: str = turn) -> None:
                status.update(f"{turn}: {text}")

            measure(folder, plan, figures, say)
    return Comparison(plan, figures, this_machine(), storage_of(folder))
