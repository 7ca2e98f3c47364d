"""One picture a question: every scenario's rate, server beside server."""

from pathlib import Path
from typing import TYPE_CHECKING

from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from openlake.bench.compare.matrix import Question

if TYPE_CHECKING:
    from openlake.bench.compare.report import Comparison


def draw(comparison: "Comparison", question: Question, path: Path) -> None:
    # Without pyplot: no display, no global state.
    figure = Figure(figsize=(9, 1.5 + 0.45 * len(question.scenarios)), layout="constrained")
    FigureCanvasAgg(figure)
    axes = figure.subplots()
    width = 0.8 / len(comparison.servers)
    for number, server in enumerate(comparison.servers):
        places, rates, errors = [], [], []
        for row, scenario in enumerate(question.scenarios):
            rate = comparison.figure(server, scenario)
            if rate is not None:
                places.append(row + number * width)
                rates.append(rate.median)
                errors.append((rate.median - min(rate.values), max(rate.values) - rate.median))
        spreads = list(zip(*errors, strict=True)) or None
        axes.barh(places, rates, height=width, xerr=spreads, label=server)
    middle = 0.4 - width / 2
    axes.set_yticks(
        [row + middle for row in range(len(question.scenarios))],
        [scenario.name for scenario in question.scenarios],
    )
    axes.invert_yaxis()
    axes.set_xscale("log")
    axes.set_xlabel("GiB/s of large bodies, requests/s of small ones; median, least to most")
    axes.set_title(question.asks, fontsize=10)
    axes.grid(visible=True, axis="x", alpha=0.3)
    axes.legend()
    figure.savefig(path, dpi=110)
