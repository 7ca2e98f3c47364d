"""Both reports say what figures must be read with: durability, machine, drive, versions, method."""

import json
import os
import platform
from dataclasses import asdict, replace
from importlib import metadata
from pathlib import Path

import boto3
import pytest

from openlake.bench.checkpoint.plan import Endpoint, JobPlan
from openlake.bench.checkpoint.report.document import markdown as checkpoint_markdown
from openlake.bench.checkpoint.report.outcome import Outcome
from openlake.bench.checkpoint.shape import SCALES
from openlake.bench.figure import Figures
from openlake.bench.machine import this_machine
from openlake.bench.marks import Mark
from openlake.bench.report import Results, write_report
from openlake.bench.storage import Storage, storage_of
from tests.bench.test_checkpoint_statistics import RESULTS

XFS = Storage("xfs", "rw,noatime", "/dev/nvme0n1", "Fast Drive 4000", "write back", 1 << 40)


@pytest.fixture
def results() -> Results:
    figures = Figures()
    for value in (1.0, 2.0, 4.0):
        figures.add("drive write", "GiB/s", value)
    marks = [Mark("a mark", 0.9, 0.7, 1.1, wanted=0.8)]
    return Results(figures, marks, this_machine(), XFS, repetitions=3, seconds=2.5)


@pytest.fixture
def outcome() -> Outcome:
    plan = JobPlan(
        endpoint=Endpoint("http://127.0.0.1:1", "a", "the secret"),
        scale="small",
        shape=SCALES["small"].shape,
        client="openlake",
        profile="mlperf-default",
        checkpoints=2,
        run_seed=1,
    )
    reads = [replace(result, phase="read") for result in RESULTS]
    return Outcome(plan, this_machine(), RESULTS + reads, XFS)


def rows_of(markdown: str) -> dict[str, str]:
    rows = [line.strip("| ").split(" | ", 1) for line in markdown.splitlines() if " | " in line]
    return {row[0]: row[1] for row in rows}


def expect_this_run(rows: dict[str, str]) -> None:
    """What both reports say in the same words."""
    assert rows["durability"].startswith("always on: every answer waits until data, metadata")
    assert f"{len(os.sched_getaffinity(0))} cores" in rows["machine"]
    assert f"Linux {platform.release()}" in rows["machine"]
    for part in ("xfs (rw,noatime)", "/dev/nvme0n1", "Fast Drive 4000", "1,024 GiB", "write back"):
        assert part in rows["data on"]
    versions = rows["versions"].split(", ")
    assert f"boto3 {boto3.__version__}" in versions
    assert f"openlake {metadata.version('openlake')}" in versions
    assert f"Python {platform.python_version()}" in versions
    assert {"ETags of parts", "hosts", "repetitions", "method", "commit, date"} <= set(rows)


def test_make_bench_says_what_its_figures_must_be_read_with(
    results: Results, tmp_path: Path
) -> None:
    folder = write_report(results, tmp_path)
    rows = rows_of((folder / "report.md").read_text())
    expect_this_run(rows)
    assert rows["repetitions"] == "3, each figure for 2.5 s"
    # The median, and half of three as a share of two.
    assert rows["drive write"] == "2 | GiB/s | ±75%"
    assert rows["a mark"] == "0.90 | 0.70 to 1.10 | ≥ 0.8 | reached"
    report = json.loads((folder / "report.json").read_text())
    assert report["storage"] == asdict(XFS)
    assert report["durability"] == rows["durability"]
    assert report["method"] == rows["method"]
    assert (report["repetitions"], report["seconds"]) == (3, 2.5)
    assert report["figures"] == [{"name": "drive write", "unit": "GiB/s", "values": [1, 2, 4]}]
    assert report["machine"]["kernel"] == platform.release()


def test_make_run_says_it_too(outcome: Outcome) -> None:
    rows = rows_of(checkpoint_markdown(outcome))
    expect_this_run(rows)
    assert rows["repetitions"] == (
        "2 checkpoints written once each, then read once each, with 5 s idle before each"
    )
    report = outcome.as_json()
    assert report["storage"] == asdict(XFS)
    assert report["method"] == rows["method"]
    assert "the secret" not in json.dumps(report)


def test_of_a_foreign_server_neither_drive_nor_durability_is_claimed(outcome: Outcome) -> None:
    foreign = replace(outcome, storage=None)
    rows = rows_of(checkpoint_markdown(foreign))
    assert rows["durability"] == rows["data on"]
    assert rows["durability"].startswith("unknown")
    assert foreign.as_json()["storage"] is None


def test_this_machines_own_drive_is_found(tmp_path: Path) -> None:
    found = storage_of(tmp_path)
    assert found.file_system
    assert found.size_bytes == os.statvfs(tmp_path).f_blocks * os.statvfs(tmp_path).f_frsize
