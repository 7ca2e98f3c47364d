"""Writes results/checkpoint/<time>/report.{json,md,html} with a plot, all from one outcome."""

import html
import json
from collections.abc import Iterator
from pathlib import Path

from openlake.bench.checkpoint.report.outcome import CACHES, METHOD, Outcome
from openlake.bench.checkpoint.report.plot import draw
from openlake.bench.checkpoint.report.reference import CAUTION, PUBLISHED, TITLE
from openlake.bench.checkpoint.report.statistics import PhaseSummary, Spread
from openlake.bench.checkpoint.shape import GIB, MIB

Rows = list[tuple[str, ...]]

STYLE = (
    "body{font:16px/1.5 sans-serif;max-width:60em;margin:2em auto;padding:0 1em}"
    "table{border-collapse:collapse;margin:1em 0}td,th{border:1px solid #ccc;padding:.3em .6em;"
    "text-align:left}img{max-width:100%}"
)


def write_report(outcome: Outcome, folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "report.json").write_text(json.dumps(outcome.as_json(), indent=2) + "\n")
    draw(outcome, folder / "rates.png")
    (folder / "report.md").write_text(markdown(outcome))
    (folder / "report.html").write_text(page(outcome))


def run_rows(outcome: Outcome) -> Rows:
    plan = outcome.plan
    client = (
        f"{plan.client}, profile {plan.profile}: {plan.ranks} ranks, "
        f"{plan.parts_in_flight} parts of {plan.part_bytes // MIB} MiB in flight each"
    )
    return [
        ("what", "this run"),
        ("scale", outcome.scale),
        ("durability", outcome.durability),
        ("ETags of parts", outcome.part_etags),
        ("machine", f"{outcome.machine}"),
        ("data on", outcome.data_on),
        ("hosts", outcome.hosts),
        ("caches", CACHES),
        ("client", client),
        ("content", outcome.content),
        ("repetitions", outcome.repetitions),
        ("method", METHOD),
        ("versions", outcome.machine.versions),
        ("commit, date", f"{outcome.machine.commit or 'unknown'}, {outcome.machine.date}"),
    ]  # fmt: skip


def comparison_rows(outcome: Outcome) -> Rows:
    """This run beside the published results, in their way of counting and in ours."""
    rows: Rows = [("", "write GiB/s", "read GiB/s", "write s", "read s")]
    write, read = outcome.write, outcome.read
    gib = outcome.plan.checkpoint_bytes / GIB
    rows.append(
        (
            f"this run ({outcome.plan.scale}, {gib:.2f} GiB), rank 0's means",
            *(f"{one.rank_zero.rate_gib_s:.2f}" for one in (write, read)),
            *(f"{one.rank_zero.duration_s:.2f}" for one in (write, read)),
        )
    )
    rows.append(
        (
            "this run, total bytes over total time",
            *(f"{one.total_rate_gib_s:.2f}" for one in (write, read)),
            *(f"{one.slowest_rank.duration_s:.2f}" for one in (write, read)),
        )
    )
    rows += [
        (one.name, f"{one.write_gib_s:.2f}", f"{one.read_gib_s:.2f}", f"{one.write_s:.2f}",
         f"{one.read_s:.2f}")
        for one in PUBLISHED
    ]  # fmt: skip
    return rows


def spread_text(spread: Spread) -> str:
    return (
        f"{spread.rate_gib_s:.3f} ± {spread.rate_gib_s_deviation:.3f} GiB/s, "
        f"{spread.duration_s:.2f} ± {spread.duration_s_deviation:.2f} s"
    )


def total_text(summary: PhaseSummary) -> str:
    text = f"{summary.total_rate_gib_s:.3f} GiB/s"
    if summary.means_differ:
        text += " (over 5 % from (a): judge by this one)"
    return text


def list_text(durations_s: list[float]) -> str:
    return ", ".join(f"{duration:.2f}" for duration in durations_s)


def cpu_text(summary: PhaseSummary) -> str:
    server = "not known"
    if summary.server_cpu_s_per_gib is not None and summary.server_rss_bytes_max is not None:
        rss = summary.server_rss_bytes_max / MIB
        server = f"{summary.server_cpu_s_per_gib:.3f} s/GiB, peak {rss:,.0f} MiB"
    client = f"{summary.client_cpu_s_per_gib:.3f} s/GiB"
    peak = f"peak {summary.client_rss_bytes_max / MIB:,.0f} MiB a rank"
    return f"client {client}, {peak}; server {server}"


def figure_rows(outcome: Outcome) -> Rows:
    both = (outcome.write, outcome.read)
    return [
        ("figure", "write", "read"),
        ("(a) rank 0, mean ± σ", *(spread_text(one.rank_zero) for one in both)),
        ("(b) slowest rank, mean ± σ", *(spread_text(one.slowest_rank) for one in both)),
        ("(c) total bytes over total time", *(total_text(one) for one in both)),
        ("(d) last half", *(f"{one.last_half_rate_gib_s:.3f} GiB/s" for one in both)),
        ("(e) rank 0, s", *(list_text(one.rank_zero_durations_s) for one in both)),
        ("(e) slowest rank, s", *(list_text(one.slowest_durations_s) for one in both)),
        ("(f) CPU and memory", *(cpu_text(one) for one in both)),
        ("bytes compared", "-", f"{outcome.read.compared_bytes:,}"),
    ]


def wrong_text(outcome: Outcome) -> str:
    if not outcome.wrong:
        return "Every byte that was read back was compared; all are right."
    places = "; ".join(f"{key} at byte {offset}" for key, offset in outcome.wrong)
    return f"WRONG BYTES: {places}"


def sections(outcome: Outcome) -> Iterator[tuple[str, str, Rows]]:
    yield "The run", wrong_text(outcome), run_rows(outcome)
    yield "Beside published results", f"{TITLE}. {CAUTION}", comparison_rows(outcome)
    note = "Rates in GiB/s (2^30 bytes); σ over the population of this run's checkpoints."
    yield "Figures", note, figure_rows(outcome)


def markdown(outcome: Outcome) -> str:
    lines = ["# Checkpoint job", ""]
    for title, text, rows in sections(outcome):
        lines += [f"## {title}", "", text, ""]
        head, *body = rows
        lines += [f"| {' | '.join(head)} |", f"|{' --- |' * len(head)}"]
        lines += [f"| {' | '.join(row)} |" for row in body]
        lines.append("")
    lines += ["![rate of each checkpoint](rates.png)", ""]
    return "\n".join(lines)


def page(outcome: Outcome) -> str:
    parts = [
        "<!doctype html><meta charset=utf-8><title>Checkpoint job</title>",
        f"<style>{STYLE}</style><h1>Checkpoint job</h1>",
    ]
    for title, text, (head, *body) in sections(outcome):
        parts.append(f"<h2>{html.escape(title)}</h2><p>{html.escape(text)}</p><table>")
        parts.append(row_of("th", head))
        parts += [row_of("td", row) for row in body]
        parts.append("</table>")
    parts.append('<h2>Rates</h2><img src="rates.png" alt="rate of each checkpoint">')
    return "\n".join(parts) + "\n"


def row_of(cell: str, row: tuple[str, ...]) -> str:
    return "<tr>" + "".join(f"<{cell}>{html.escape(text)}</{cell}>" for text in row) + "</tr>"
