"""The job end to end against a real server: every client, wrong bytes, and Ctrl-C."""

import json
import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner
from rich.console import Console

from openlake.bench.checkpoint import job
from openlake.bench.checkpoint.conductor import Conductor
from openlake.bench.checkpoint.job import JobOptions, run_job
from openlake.bench.checkpoint.messages import Phase
from openlake.bench.checkpoint.phase_result import PhaseResult
from openlake.bench.checkpoint.plan import CLIENTS, ClientName, Endpoint, JobPlan
from openlake.bench.checkpoint.room import (
    NotEnoughRoomError,
    free_files_bytes,
    make_room,
    needed_bytes,
    require_room,
)
from openlake.bench.checkpoint.shape import SCALES, ModelShape, Scale
from openlake.cli import main
from openlake.testing import LocalServer
from tests.bench.processes import children_of, wait_for
from tests.conftest import client_of

if TYPE_CHECKING:
    from mypy_boto3_s3 import S3Client

# Optimizer objects of two parts, model objects of one: 1.3 GiB is too much for a test.
TINY = ModelShape(layers=1, vocabulary=512, hidden=1024, ffn=7168, heads=8, kv_heads=2)
BUCKET = "checkpoint-bench"


def endpoint_of(server: LocalServer) -> Endpoint:
    return Endpoint(server.endpoint, server.access_key, server.secret_key)


def options_for(server: LocalServer, results: Path, client: ClientName) -> JobOptions:
    return JobOptions(
        scale="tiny",
        shape=TINY,
        checkpoints=2,
        client=client,
        profile="mlperf-default",
        results=results,
        endpoint=endpoint_of(server),
        idle_s=0.0,
    )


def open_uploads(s3: "S3Client") -> int:
    return len(s3.list_multipart_uploads(Bucket=BUCKET).get("Uploads", []))


@pytest.mark.slow
@pytest.mark.parametrize("client", CLIENTS)
def test_every_client_saves_and_loads_right_bytes(
    server: LocalServer, s3: "S3Client", tmp_path: Path, client: ClientName
) -> None:
    outcome, folder = run_job(options_for(server, tmp_path, client), Console(quiet=True))
    assert outcome.wrong == []
    assert outcome.read.compared_bytes == 2 * TINY.checkpoint_bytes()
    assert {path.name for path in folder.iterdir()} == {
        "rates.png",
        "report.html",
        "report.json",
        "report.md",
    }
    report = json.loads((folder / "report.json").read_text())
    assert len(report["checkpoints"]) == 4
    assert report["part_etags"].startswith("CRC64NVME" if client == "openlake" else "MD5")
    assert server.secret_key not in (folder / "report.json").read_text()
    keys = {found["Key"]: found["Size"] for found in s3.list_objects_v2(Bucket=BUCKET)["Contents"]}
    assert len(keys) == 2 * 8 * 2
    last = "llama-checkpoint/global_epoch1_step2/zero_pp_rank_7_mp_rank_0_optim_states.pt"
    assert keys[last] == TINY.object_bytes("optim")
    etag = s3.head_object(Bucket=BUCKET, Key=last)["ETag"]
    assert etag.endswith('-2"'), "an optimizer object is two parts"
    assert open_uploads(s3) == 0


@pytest.mark.slow
def test_objects_larger_than_memory_are_made_and_compared_in_pieces(
    server: LocalServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(job, "HELD_SHARE", 0.0)
    outcome, _ = run_job(options_for(server, tmp_path, "openlake"), Console(quiet=True))
    assert not outcome.plan.held
    assert outcome.wrong == []
    assert outcome.read.compared_bytes == 2 * TINY.checkpoint_bytes()


def plan_for(server: LocalServer) -> JobPlan:
    return JobPlan(
        endpoint=endpoint_of(server),
        scale="tiny",
        shape=TINY,
        client="openlake",
        profile="mlperf-default",
        checkpoints=1,
        run_seed=7,
        ranks=2,
        idle_s=0.0,
    )


def flip(s3: "S3Client", key: str, offset: int) -> None:
    body = bytearray(s3.get_object(Bucket=BUCKET, Key=key)["Body"].read())
    body[offset] ^= 1
    s3.put_object(Bucket=BUCKET, Key=key, Body=bytes(body))


@pytest.mark.slow
def test_a_wrong_byte_is_found_by_object_and_offset(server: LocalServer, s3: "S3Client") -> None:
    plan = plan_for(server)
    make_room(plan, None)
    key, offset = plan.objects(1, 1)[1].key, 20_000_001
    with Conductor(plan, lambda _: None, server.pid) as conductor:
        written = conductor.run_phase("write", 1)
        flip(s3, key, offset)
        read = conductor.run_phase("read", 1)
    assert written.wrong == []
    assert read.wrong == [(key, offset)]
    assert read.server_cpu_s is not None


@pytest.mark.slow
def test_wrong_bytes_end_the_command_with_3(
    server: LocalServer, s3: "S3Client", tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    key, offset = "llama-checkpoint/global_epoch1_step1/zero_pp_rank_3_mp_rank_0_model_states.pt", 7
    run_phase = Conductor.run_phase

    def spoilt(conductor: Conductor, phase: Phase, step: int) -> PhaseResult:
        if phase == "read":
            flip(s3, key, offset)
        return run_phase(conductor, phase, step)

    monkeypatch.setattr(Conductor, "run_phase", spoilt)
    monkeypatch.setitem(SCALES, "small", Scale("small", TINY))
    keys = {"AWS_ACCESS_KEY_ID": server.access_key, "AWS_SECRET_ACCESS_KEY": server.secret_key}
    where = ["--endpoint", server.endpoint, "--results", str(tmp_path)]
    command = ["bench", "checkpoint", "--checkpoints", "1", "--idle-s", "0", *where]
    ended = CliRunner().invoke(main, command, env=keys)
    assert ended.exit_code == 3
    printed = "".join(ended.output.split())
    assert key in printed
    assert f"byte{offset}" in printed


@pytest.mark.slow
def test_on_one_data_directory_it_runs_again_in_the_same_space(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Files are written again by the shard that had them: with one, by the one that needs them.
    monkeypatch.setenv("OPENLAKE_SERVER_CORES", "1")
    data = tmp_path / "data"
    options = JobOptions(
        scale="tiny",
        shape=TINY,
        checkpoints=1,
        client="openlake",
        profile="mlperf-default",
        results=tmp_path,
        data=data,
        idle_s=0.0,
    )
    taken = []
    for _ in range(2):
        outcome, _ = run_job(options, Console(quiet=True))
        assert outcome.wrong == []
        assert outcome.read.compared_bytes == TINY.checkpoint_bytes()
        taken.append(sum(file.stat().st_blocks * 512 for file in data.glob("blobs/*/*.blob")))
    # Checksums and whole pages; then the same files again, or one more for a part that came early.
    assert taken[0] < 1.01 * TINY.checkpoint_bytes()
    assert taken[1] < 1.10 * TINY.checkpoint_bytes()


@pytest.mark.slow
def test_interrupted_it_leaves_no_upload_and_no_process(
    server: LocalServer, s3: "S3Client", tmp_path: Path
) -> None:
    keys = {"AWS_ACCESS_KEY_ID": server.access_key, "AWS_SECRET_ACCESS_KEY": server.secret_key}
    make_room(plan_for(server), None)
    command = [sys.executable, "-m", "openlake", "bench", "checkpoint", "--idle-s", "0"]
    process = subprocess.Popen(
        [*command, "--endpoint", server.endpoint, "--results", str(tmp_path)],
        env={**os.environ, **keys},
        stdout=subprocess.PIPE,
        start_new_session=True,
    )
    wait_for("upload", lambda: open_uploads(s3) > 0, process)
    ranks = children_of(process.pid)
    assert len(ranks) >= 8
    process.send_signal(signal.SIGINT)
    printed, _ = process.communicate(timeout=60)
    assert process.returncode == 130
    assert b"no process is left" in printed
    assert open_uploads(s3) == 0
    wait_for("end of ranks", lambda: not any(Path(f"/proc/{pid}").exists() for pid in ranks))
    assert list(tmp_path.iterdir()) == []
    make_room(plan_for(server), None)


def test_too_little_room_says_what_is_needed(tmp_path: Path) -> None:
    plan = JobPlan(
        endpoint=Endpoint("http://127.0.0.1:1", "a", "b"),
        scale="full",
        shape=SCALES["full"].shape,
        client="openlake",
        profile="mlperf-default",
        checkpoints=10,
        run_seed=1,
    )
    # Ten times 104.70 GiB, two per cent and 1 GiB.
    with pytest.raises(NotEnoughRoomError, match=r"need 1069\.0 GiB .* 5\.0 GiB are free"):
        require_room(plan, tmp_path, 5 << 30)


def test_files_that_the_server_writes_again_are_room(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with LocalServer(tmp_path / "data") as server:
        plan = plan_for(server)
        make_room(plan, server)
        assert free_files_bytes(server) == 0
        tight = SimpleNamespace(free=needed_bytes(plan) - (1 << 20))
        monkeypatch.setattr(shutil, "disk_usage", lambda _: tight)
        with pytest.raises(NotEnoughRoomError):
            make_room(plan, server)
        s3 = client_of(server)
        s3.put_object(Bucket=BUCKET, Key="gone", Body=bytes(1 << 20))
        s3.delete_object(Bucket=BUCKET, Key="gone")
        wait_for("a free file", lambda: free_files_bytes(server) >= 1 << 20)
        make_room(plan, server)


def test_uploads_of_a_killed_run_are_room_and_go(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with LocalServer(tmp_path / "data") as server:
        plan = plan_for(server)
        make_room(plan, server)
        s3 = client_of(server)
        key = plan.objects(0, 1)[0].key
        upload = s3.create_multipart_upload(Bucket=BUCKET, Key=key)["UploadId"]
        s3.upload_part(Bucket=BUCKET, Key=key, UploadId=upload, PartNumber=1, Body=bytes(1 << 20))
        tight = SimpleNamespace(free=needed_bytes(plan) - (1 << 20))
        monkeypatch.setattr(shutil, "disk_usage", lambda _: tight)
        make_room(plan, server)
        assert open_uploads(s3) == 0
