"""Moves an object's parts with a fixed number in flight, each worker with memory of its own."""

import itertools
from collections.abc import Callable
from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, wait

from openlake.bench.checkpoint.content import PartSource

# Sends part `index` and returns its ETag.
SendPart = Callable[[int, memoryview], str]


def send_parts(source: PartSource, in_flight: int, send: SendPart) -> list[str]:
    """The ETags in part order. The first error stops the others and is raised."""
    etags = [""] * source.count
    indices = itertools.count()  # next() on it is atomic
    failed: list[BaseException] = []

    def work() -> None:
        scratch = source.scratch()
        for index in indices:
            if index >= source.count or failed:
                return
            try:
                etags[index] = send(index, source.part(index, scratch))
            except BaseException as error:
                failed.append(error)
                raise

    workers = min(in_flight, source.count)
    with ThreadPoolExecutor(workers) as pool:
        running = [pool.submit(work) for _ in range(workers)]
        wait(running, return_when=FIRST_EXCEPTION)
    if failed:
        raise failed[0]
    return etags
