"""`openlake bench objects` and `drive`: servers side by side, each asked the same."""

import json
import statistics
from pathlib import Path

import pytest
from click.testing import CliRunner

from openlake.bench.compare.matrix import QUESTIONS, questions_named
from openlake.bench.compare.measure import Plan
from openlake.bench.compare.report import Comparison, markdown, rows_of
from openlake.bench.compare.subjects import EndpointError, endpoint_named
from openlake.bench.figure import Figures
from openlake.bench.machine import this_machine
from openlake.bench.scenario import KIB, MIB
from openlake.bench.storage import Storage
from openlake.cli import main
from openlake.testing import LocalServer


def test_an_endpoint_has_a_name_keys_and_maybe_a_process() -> None:
    named = endpoint_named("other=http://ak:s3cret@127.0.0.1:9000#42")
    assert (named.name, named.client.endpoint) == ("other", "http://127.0.0.1:9000")
    assert (named.client.access_key, named.client.secret_key) == ("ak", "s3cret")
    # Other servers know only MD5 (docs/reference/s3.md).
    assert (named.pid, named.client.part_etag) == (42, "md5")


def test_keys_may_come_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "ak")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "sk")
    named = endpoint_named("other=http://127.0.0.1:9000")
    assert (named.client.access_key, named.client.secret_key, named.pid) == ("ak", "sk", None)


@pytest.mark.parametrize(
    "text", ["http://a:b@h:1", "x=ftp://a:b@h", "x=http://a:b@h/bucket", "x=http://h:1", "x=http://a:b@h#p"]
)  # fmt: skip
def test_what_names_no_endpoint_is_refused(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("AWS_ACCESS_KEY_ID", raising=False)
    with pytest.raises(EndpointError):
        endpoint_named(text)
    asked = CliRunner().invoke(main, ["bench", "objects", "--compare", text])
    assert asked.exit_code == 2
    assert "--compare" in asked.stderr


def test_every_scenario_has_a_name_of_its_own() -> None:
    scenarios = [one for question in QUESTIONS for one in question.scenarios]
    assert len({one.name for one in scenarios}) == len(scenarios)
    assert {one.verb for one in scenarios} >= {"put", "get", "head", "delete", "list", "range"}
    sizes = {one.object_bytes for one in scenarios if one.verb == "put"}
    assert sizes == {4 * KIB, 64 * KIB, 128 * KIB, MIB}


def test_a_cell_tells_rate_share_latency_and_cpu() -> None:
    plan = Plan(questions_named(("head",)), (), 3, 2.0)
    figures = Figures()
    for null, ours in zip((100.0, 200.0, 400.0), (40.0, 100.0, 130.0), strict=True):
        figures.add("null head, 1", "/s", null)
        figures.add("openlake head, 1", "/s", ours)
        figures.add("openlake head, 1: p50", "ms", 0.5)
        figures.add("openlake head, 1: p99", "ms", 1.5)
        figures.add("openlake head, 1: p99.9", "ms", 2.5)
        figures.add("openlake head, 1: server CPU", "s per 1,000", 0.25)
    storage = Storage("xfs", "rw", "/dev/nvme0n1", "Drive", "write back", 1 << 40)
    comparison = Comparison(plan, figures, this_machine(), storage)
    assert comparison.servers == ("null", "openlake")
    name, null_cell, our_cell = rows_of(comparison, plan.questions[0])[0]
    share = statistics.median([40.0, 100.0, 130.0]) / statistics.median([100.0, 200.0, 400.0])
    assert (name, null_cell) == ("head, 1", "200 /s (±75%)")
    assert our_cell == (f"100 /s (±45%); {share:.2f} of null; 0.5/1.5/2.5 ms; 0.25 s per 1,000 CPU")
    unmeasured = rows_of(comparison, plan.questions[0])[1]
    assert unmeasured[1:] == ("—", "—")
    text = markdown(comparison)
    assert "| durability of openlake | always on" in text
    assert "![head](head.png)" in text


@pytest.mark.slow
def test_two_servers_are_asked_the_same(tmp_path: Path) -> None:
    with LocalServer(tmp_path / "peer", cores=1) as peer:
        named = f"peer=http://{peer.access_key}:{peer.secret_key}@127.0.0.1:{peer.port}#{peer.pid}"
        arguments = ["--repetitions", "1", "--seconds", "0.1", "--compare", named]
        for question in ("delete", "list", "ranges"):
            arguments += ["--question", question]
        arguments += ["--data", str(tmp_path / "data"), "--results", str(tmp_path / "results")]
        done = CliRunner().invoke(main, ["bench", "objects", *arguments])
        assert done.exit_code == 0, done.output
    [report] = (tmp_path / "results" / "objects").iterdir()
    assert sorted(path.name for path in report.iterdir()) == [
        "delete.png", "list.png", "ranges.png", "report.json", "report.md",
    ]  # fmt: skip
    figures = json.loads((report / "report.json").read_text())["figures"]
    values = {figure["name"]: figure["values"] for figure in figures}
    for server in ("null", "openlake", "peer"):
        for scenario in ("delete, 64", "list, 4", "range 1 MiB of 128 MiB, 16"):
            assert values[f"{server} {scenario}"][0] > 0
    assert "peer delete, 64: server CPU" in values
    assert not (tmp_path / "data-bench").exists()


def test_the_drive_alone(tmp_path: Path) -> None:
    arguments = ["--data", str(tmp_path / "data"), "--repetitions", "1", "--seconds", "0.1"]
    done = CliRunner().invoke(main, ["bench", "drive", *arguments])
    assert done.exit_code == 0, done.output
    for figure in ("drive write", "drive read", "drive 4 KiB random read", "synced write"):
        assert figure in done.output
    assert list(tmp_path.iterdir()) == []
