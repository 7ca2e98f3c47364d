"""The rate of each checkpoint, written and read, as one picture."""

from pathlib import Path
from typing import TYPE_CHECKING

from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from openlake.bench.checkpoint.shape import GIB

if TYPE_CHECKING:
    from openlake.bench.checkpoint.report.outcome import Outcome


def draw(outcome: "Outcome", path: Path) -> None:
    # Without pyplot: no display, no global state.
    figure = Figure(figsize=(8, 4), layout="constrained")
    FigureCanvasAgg(figure)
    axes = figure.subplots()
    for phase, marker in (("write", "o"), ("read", "s")):
        results = outcome.of(phase)
        rates = [result.size_bytes / GIB / max(result.durations_s) for result in results]
        axes.plot([result.step for result in results], rates, marker=marker, label=phase)
    axes.set_xticks(range(1, outcome.plan.checkpoints + 1))
    axes.set_ylim(bottom=0)
    axes.set_xlabel("checkpoint")
    axes.set_ylabel("GiB/s (slowest rank)")
    axes.set_title(f"{outcome.plan.scale}, {outcome.plan.client}, {outcome.plan.profile}")
    axes.grid(visible=True, alpha=0.3)
    axes.legend()
    figure.savefig(path, dpi=120)
