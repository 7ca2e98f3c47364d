"""Moves an object's parts with a fixed number in flight, each worker with memory of its own."""

import itertools
from collections.abc import Callable
from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, wait
from typing import TypeVar

from openlake.bench.checkpoint.content import PartSource

# What a client knows a part by once it is sent, such as its ETag.
Sent = TypeVar("Sent")


def send_parts(
    source: PartSource, in_flight: int, send: Callable[[int, memoryview], Sent]
) -> list[Sent]:
    """What `send` returned for each part, in part order. The first error stops the others."""
    sent: dict[int, Sent] = {}
    indices = itertools.count()  # next() on it is atomic
    failed: list[BaseException] = []

    def work() -> None:
        scratch = source.scratch()
        for index in indices:
            if index >= source.count or failed:
                return
            try:
                sent[index] = send(index, source.part(index, scratch))
            except BaseException as error:
                failed.append(error)
                raise

    workers = min(in_flight, source.count)
    with ThreadPoolExecutor(workers) as pool:
        running = [pool.submit(work) for _ in range(workers)]
        wait(running, return_when=FIRST_EXCEPTION)
    if failed:
        raise failed[0]
    return [sent[index] for index in range(source.count)]
