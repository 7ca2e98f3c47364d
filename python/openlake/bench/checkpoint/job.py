"""The whole job: makes room, writes every checkpoint, reads every one back, writes the report."""

import contextlib
import datetime as dt
import secrets
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console

from openlake.bench.checkpoint.conductor import Conductor
from openlake.bench.checkpoint.display import Display
from openlake.bench.checkpoint.messages import Phase
from openlake.bench.checkpoint.phase_result import PhaseResult
from openlake.bench.checkpoint.plan import ClientName, Endpoint, JobPlan
from openlake.bench.checkpoint.report.document import write_report
from openlake.bench.checkpoint.report.outcome import Outcome
from openlake.bench.checkpoint.room import make_room
from openlake.bench.checkpoint.shape import ModelShape
from openlake.bench.machine import memory_bytes, this_machine
from openlake.bench.storage import storage_of
from openlake.config.tuning import CACHE_SHARE, MIB
from openlake.testing import LocalServer

PHASES: tuple[Phase, ...] = ("write", "read")
# The share of free memory that the ranks' objects may take: the server's caches need the rest.
HELD_SHARE = 0.3


@dataclass(frozen=True, slots=True)
class JobOptions:
    """What the user chose. An endpoint, or a data directory for a server of our own."""

    scale: str
    shape: ModelShape
    checkpoints: int
    client: ClientName
    profile: str
    results: Path
    endpoint: Endpoint | None = None
    data: Path | None = None
    idle_s: float = 5.0


@dataclass(frozen=True, slots=True)
class Target:
    """Where the job runs against, and the server if it is the job's own."""

    endpoint: Endpoint
    server: LocalServer | None = None


@contextlib.contextmanager
def target_of(options: JobOptions) -> Iterator[Target]:
    if options.endpoint is not None:
        yield Target(options.endpoint)
        return
    if options.data is None:
        raise ValueError("neither an endpoint nor a data directory was chosen")
    # A server that has run for a while owns its memory; a new one would get it page by page from
    # the hypervisor, on the clock.
    needed_mib = options.checkpoints * options.shape.checkpoint_bytes() // MIB
    cache_mib = memory_bytes("MemTotal") // MIB // CACHE_SHARE
    config = {"store": {"prefault_mib": min(needed_mib, cache_mib)}}
    with LocalServer(options.data, cores=None, config=config) as server:
        endpoint = Endpoint(server.endpoint, server.access_key, server.secret_key)
        yield Target(endpoint, server)


def plan_of(options: JobOptions, endpoint: Endpoint) -> JobPlan:
    fits = options.shape.checkpoint_bytes() < HELD_SHARE * memory_bytes("MemAvailable")
    return JobPlan(
        endpoint=endpoint,
        scale=options.scale,
        shape=options.shape,
        client=options.client,
        profile=options.profile,
        checkpoints=options.checkpoints,
        run_seed=secrets.randbits(63),
        idle_s=options.idle_s,
        held=fits,
    )


def run_job(options: JobOptions, console: Console) -> tuple[Outcome, Path]:
    """The outcome, and the folder that its report is in."""
    with target_of(options) as target:
        plan = plan_of(options, target.endpoint)
        make_room(plan, target.server)
        server_pid = None if target.server is None else target.server.pid
        results = run_phases(plan, server_pid, console)
        storage = None if target.server is None else storage_of(target.server.data_dir)
    outcome = Outcome(plan, this_machine(), results, storage)
    now = dt.datetime.now(dt.UTC).strftime("%Y-%m-%dT%H-%M-%SZ")
    folder = options.results / "checkpoint" / now
    write_report(outcome, folder)
    return outcome, folder


def run_phases(plan: JobPlan, server_pid: int | None, console: Console) -> list[PhaseResult]:
    results: list[PhaseResult] = []
    with (
        Display(plan, console) as display,
        Conductor(plan, display.watch, server_pid) as conductor,
    ):
        for phase in PHASES:
            for step in range(1, plan.checkpoints + 1):
                result = conductor.run_phase(phase, step)
                display.done(result)
                results.append(result)
    return results
