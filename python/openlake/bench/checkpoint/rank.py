"""One rank, in a process of its own: saves its model object then its optimizer object, loads both
in two halves, on its own clock, and compares every byte off the clock.
"""

import os
import resource
import signal
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from multiprocessing.connection import Connection
from typing import Protocol

from openlake.bench.checkpoint.clients import Progress, StoppedError, connect
from openlake.bench.checkpoint.content import PartSource, allocate, fill, first_difference
from openlake.bench.checkpoint.messages import (
    Compare,
    Compared,
    Failed,
    Go,
    Leave,
    Phase,
    Prepare,
    Ready,
    Timed,
)
from openlake.bench.checkpoint.plan import CheckpointObject, JobPlan
from openlake.bench.checkpoint.shape import READ_BYTES_MAX, halves, windows
from openlake.testing.bound_process import die_with_parent


class Counters(Protocol):
    """Shared memory: bytes moved by each rank in this phase, then one flag to stop."""

    def __getitem__(self, index: int) -> int: ...
    def __setitem__(self, index: int, value: int) -> None: ...
    def __len__(self) -> int: ...


class Clock:
    """Wall and CPU time of this process, with pauses."""

    def __init__(self) -> None:
        self.wall_s = 0.0
        self.cpu_s = 0.0
        self.resume()

    def resume(self) -> None:
        self._wall_start = time.monotonic()
        self._cpu_start = time.process_time()

    def pause(self) -> float:
        self.wall_s += time.monotonic() - self._wall_start
        self.cpu_s += time.process_time() - self._cpu_start
        return self.wall_s


class Rank:
    def __init__(self, plan: JobPlan, number: int, counters: Counters) -> None:
        self.plan = plan
        self.number = number
        self.counters = counters
        self.client = connect(plan)
        self.readers = ThreadPoolExecutor(2)
        self.counting = threading.Lock()
        self.objects: list[CheckpointObject] = []
        self.memory: dict[str, memoryview] = {}
        self.wrong: list[tuple[str, int]] = []
        self.compared_bytes = 0

    @property
    def progress(self) -> Progress:
        stop_flag = len(self.counters) - 1

        def moved(count: int) -> None:
            with self.counting:
                self.counters[self.number] += count
            if self.counters[stop_flag]:
                raise StoppedError("asked to stop")

        return moved

    def prepare(self, phase: Phase, step: int) -> None:
        self.counters[self.number] = 0
        self.objects = self.plan.objects(self.number, step)
        self.memory = {}
        self.wrong = []
        self.compared_bytes = 0
        if not self.plan.held:
            return
        for target in self.objects:
            # Fresh zeroed memory before a read: what was written from here cannot pass as read.
            self.memory[target.key] = allocate(target.size_bytes)
            if phase == "write":
                fill(target, self.memory[target.key], 0)

    def run(self, phase: Phase) -> Timed:
        act = self.save if phase == "write" else self.load
        clock = Clock()
        model, optimizer = self.objects
        act(model, clock)
        model_s = clock.pause()
        clock.resume()
        act(optimizer, clock)
        clock.pause()
        rss_bytes_max = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
        return Timed(clock.wall_s, model_s, clock.cpu_s, rss_bytes_max)

    def save(self, target: CheckpointObject, clock: Clock) -> None:
        del clock
        source = PartSource(target, self.plan.part_bytes, self.memory.get(target.key))
        self.client.save(source, self.progress)

    def load(self, target: CheckpointObject, clock: Clock) -> None:
        if self.plan.held:
            whole = self.memory[target.key]
            reads = [
                self.readers.submit(self.load_half, target, whole, half)
                for half in halves(target.size_bytes)
            ]
            for read in reads:
                read.result()
        else:
            self.load_in_steps(target, clock)

    def load_half(self, target: CheckpointObject, whole: memoryview, half: tuple[int, int]) -> None:
        for start, end in windows(*half):
            self.client.read(target.key, start, whole[start:end])
            self.progress(end - start)

    def load_in_steps(self, target: CheckpointObject, clock: Clock) -> None:
        """Both halves one window at a time; the clock stands while the two are compared."""
        rooms = (allocate(READ_BYTES_MAX), allocate(READ_BYTES_MAX))
        first, second = (windows(*half) for half in halves(target.size_bytes))
        second += [(0, 0)] * (len(first) - len(second))
        for pair in zip(first, second, strict=True):
            reads = [
                (start, room[: end - start])
                for (start, end), room in zip(pair, rooms, strict=True)
                if end > start
            ]
            running = [
                self.readers.submit(self.client.read, target.key, start, into)
                for start, into in reads
            ]
            for read in running:
                read.result()
            clock.pause()
            for start, into in reads:
                self.compare(target, into, start)
                self.progress(len(into))
            clock.resume()

    def compare(self, target: CheckpointObject, found: memoryview, offset: int) -> None:
        self.compared_bytes += len(found)
        wrong_at = first_difference(target, found, offset)
        if wrong_at is not None and target.key not in {key for key, _ in self.wrong}:
            self.wrong.append((target.key, wrong_at))

    def compare_held(self, phase: Phase) -> Compared:
        if phase == "read" and self.plan.held:
            for target in self.objects:
                self.compare(target, self.memory[target.key], 0)
        self.memory = {}
        return Compared(self.compared_bytes, self.wrong)

    def close(self) -> None:
        self.readers.shutdown()
        self.client.close()


def serve_orders(connection: Connection, rank: Rank) -> None:
    phase: Phase = "write"
    while True:
        order = connection.recv()
        if isinstance(order, Prepare):
            phase = order.phase
            rank.prepare(order.phase, order.step)
            connection.send(Ready())
        elif isinstance(order, Go):
            connection.send(rank.run(phase))
        elif isinstance(order, Compare):
            connection.send(rank.compare_held(phase))
        elif isinstance(order, Leave):
            return


def rank_main(plan: JobPlan, number: int, connection: Connection, counters: Counters) -> None:
    """The process. Ctrl-C is the conductor's; its death ends this one."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    die_with_parent()
    try:
        rank = Rank(plan, number, counters)
        try:
            serve_orders(connection, rank)
        finally:
            rank.close()
    except EOFError:
        return
    except StoppedError as stopped:
        connection.send(Failed(str(stopped)))
    except Exception as error:  # noqa: BLE001 whatever it was, the conductor must hear of it
        where = f"rank {number} (process {os.getpid()})"
        connection.send(Failed(f"{where}: {type(error).__name__}: {error}"))
