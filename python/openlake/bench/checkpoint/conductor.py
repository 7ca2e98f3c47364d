"""Runs the ranks: starts their processes, sends every phase off at once, gathers the timings, and
leaves no process and no open upload behind, however it ends.
"""

import multiprocessing
import time
from collections.abc import Callable
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait
from multiprocessing.context import SpawnProcess
from typing import Self, TypeVar

from openlake.bench.checkpoint.messages import (
    Compare,
    Compared,
    Failed,
    Go,
    Leave,
    Order,
    Phase,
    Prepare,
    Ready,
    Report,
    Timed,
)
from openlake.bench.checkpoint.phase_result import PhaseResult
from openlake.bench.checkpoint.plan import JobPlan
from openlake.bench.checkpoint.rank import Counters, rank_main
from openlake.bench.process_usage import ProcessUsage, usage_of

POLL_S = 0.1
LEAVE_TIMEOUT_S = 20.0

Answer = TypeVar("Answer", Ready, Timed, Compared)


class JobError(Exception):
    """The job cannot go on; the message says what happened in which rank."""


@dataclass(frozen=True, slots=True)
class Moment:
    """What a display may show: which phase stands where, and the bytes each rank has moved."""

    phase: Phase
    step: int
    activity: str
    moved_bytes: list[int]
    elapsed_s: float


Watch = Callable[[Moment], None]


class Conductor:
    """A context manager: the ranks live inside it."""

    def __init__(self, plan: JobPlan, watch: Watch, server_pid: int | None) -> None:
        self.plan = plan
        self.watch = watch
        self.server_pid = server_pid
        context = multiprocessing.get_context("spawn")
        self.counters: Counters = context.RawArray("Q", plan.ranks + 1)
        self.pipes: list[Connection] = []
        self.processes: list[SpawnProcess] = []
        self.moment = ("write", 1, "starting", 0.0)
        for number in range(plan.ranks):
            ours, theirs = context.Pipe()
            process = context.Process(
                target=rank_main,
                args=(plan, number, theirs, self.counters),
                name=f"rank-{number}",
                daemon=True,
            )
            self.pipes.append(ours)
            self.processes.append(process)
            process.start()
            theirs.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.leave()

    def leave(self) -> None:
        """Every rank takes back what is half done and ends; one that does not is ended."""
        self.counters[self.plan.ranks] = 1
        for pipe in self.pipes:
            try:
                pipe.send(Leave())
            except OSError:  # it has gone already
                continue
        deadline = time.monotonic() + LEAVE_TIMEOUT_S
        for process in self.processes:
            process.join(max(0.0, deadline - time.monotonic()))
        for process in self.processes:
            if process.is_alive():
                process.kill()
                process.join()

    def run_phase(self, phase: Phase, step: int) -> PhaseResult:
        self._say(phase, step, "preparing")
        self._tell(Prepare(phase, step))
        self._gather(Ready)
        self._idle()
        before = self._server_usage()
        self._say(phase, step, "running")
        self._tell(Go())
        timed = self._gather(Timed)
        after = self._server_usage()
        self._say(phase, step, "comparing")
        self._tell(Compare())
        compared = self._gather(Compared)
        return PhaseResult(
            phase=phase,
            step=step,
            size_bytes=self.plan.checkpoint_bytes,
            durations_s=[one.duration_s for one in timed],
            model_durations_s=[one.model_s for one in timed],
            client_cpu_s=[one.cpu_s for one in timed],
            client_rss_bytes_max=[one.rss_bytes_max for one in timed],
            server_cpu_s=after.cpu_s - before.cpu_s if before and after else None,
            server_rss_bytes_max=after.rss_bytes_max if after else None,
            compared_bytes=sum(one.bytes_compared for one in compared),
            wrong=[place for one in compared for place in one.wrong],
        )

    def _say(self, phase: Phase, step: int, activity: str) -> None:
        self.moment = (phase, step, activity, time.monotonic())
        self._show()

    def _show(self) -> None:
        phase, step, activity, since = self.moment
        moved = [self.counters[number] for number in range(self.plan.ranks)]
        self.watch(
            Moment(
                "write" if phase == "write" else "read",
                step,
                activity,
                moved,
                time.monotonic() - since,
            )
        )

    def _tell(self, order: Order) -> None:
        for number, pipe in enumerate(self.pipes):
            try:
                pipe.send(order)
            except OSError as error:
                raise self._died(number) from error

    def _gather(self, kind: type[Answer]) -> list[Answer]:
        """One answer of each rank, in rank order, showing the progress meanwhile."""
        answers: dict[int, Answer] = {}
        while len(answers) < self.plan.ranks:
            waiting = [pipe for number, pipe in enumerate(self.pipes) if number not in answers]
            for ready in wait(waiting, timeout=POLL_S):
                number = self.pipes.index(ready)  # type: ignore[arg-type]
                answers[number] = self._receive(number, kind)
            self._show()
        return [answers[number] for number in range(self.plan.ranks)]

    def _receive(self, number: int, kind: type[Answer]) -> Answer:
        try:
            report: Report = self.pipes[number].recv()
        except (EOFError, OSError) as error:
            raise self._died(number) from error
        if isinstance(report, Failed):
            raise JobError(report.reason)
        if not isinstance(report, kind):
            raise JobError(f"rank {number} sent {report} where {kind.__name__} was due")
        return report

    def _died(self, number: int) -> JobError:
        self.processes[number].join(1.0)
        code = self.processes[number].exitcode
        return JobError(f"rank {number} ended by itself with code {code}")

    def _idle(self) -> None:
        """The pause of the published workload before each checkpoint."""
        phase, step, _, _ = self.moment
        self.moment = (phase, step, "idle", time.monotonic())
        deadline = time.monotonic() + self.plan.idle_s
        while time.monotonic() < deadline:
            self._show()
            time.sleep(min(POLL_S, max(0.0, deadline - time.monotonic())))

    def _server_usage(self) -> ProcessUsage | None:
        if self.server_pid is None:
            return None
        try:
            return usage_of(self.server_pid)
        except ProcessLookupError as error:
            raise JobError(f"the server is gone: {error}") from error
