"""How near does the server come to the drive and to loopback? Durable parts and small objects, cold
and cached reads, each beside the raw drive and a server that does nothing, in the same run.

Expected bounds: parts the lower of drive write and loopback; cold reads the drive; cached reads and
small reads the null server; small durable writes many times the drive's synced writes, by sharing.
"""

import contextlib
from collections.abc import Callable, Iterator
from pathlib import Path

from openlake import Client, _core
from openlake.bench.drive import measure_drive
from openlake.bench.figure import Figures
from openlake.bench.scenario import (
    BUCKET,
    LARGE_READ,
    NULL_PARTS,
    PART_BYTES,
    PARTS,
    SMALL_READ,
    SMALL_WRITES,
    WARM_UP,
    Subject,
    fill_for,
    take,
)
from openlake.sdk.settings import ClientConfig
from openlake.testing import LocalServer

SMALL_OBJECT_BYTES = 4096
# Holds all objects that are read; WARM_UP is larger.
CACHE_MIB = 640
# More than there are: memory that is touched for the first time costs a virtual machine more than
# the write itself, and a server that has run for a while has touched all of its own.
EVERY_BUFFER_MIB = 1 << 20

Say = Callable[[str], None]


def measure(folder: Path, repetitions: int, seconds: float, say: Say) -> Figures:
    """Every figure, once a repetition, so that each repetition has its own raw figures."""
    figures = Figures()
    for repetition in range(1, repetitions + 1):
        say(f"repetition {repetition} of {repetitions}: the drive")
        measure_drive(folder, seconds, figures)
        say(f"repetition {repetition} of {repetitions}: the null server")
        measure_null_server(seconds, figures)
        say(f"repetition {repetition} of {repetitions}: openlake")
        measure_server(folder / "server", seconds, figures)
        say(f"repetition {repetition} of {repetitions}: openlake without a cache")
        measure_cold_reads(folder / "server", seconds, figures)
    return figures


@contextlib.contextmanager
def null_server(body_bytes: int) -> Iterator[Subject]:
    with _core.NullServer(threads=2, body_bytes=body_bytes) as server:
        client = ClientConfig(
            endpoint=server.endpoint,
            access_key="nobody",
            secret_key="not checked",  # noqa: S106 it opens nothing
        )
        yield Subject("null", client)


def measure_null_server(seconds: float, figures: Figures) -> None:
    with null_server(PART_BYTES) as subject:
        for scenario in (*NULL_PARTS, LARGE_READ):
            take(scenario, subject, seconds, figures)
    with null_server(SMALL_OBJECT_BYTES) as subject:
        for scenario in (*SMALL_WRITES, SMALL_READ):
            take(scenario, subject, seconds, figures)


@contextlib.contextmanager
def our_server(data: Path, label: str, **store: int) -> Iterator[Subject]:
    config = {"store": {"prefault_mib": EVERY_BUFFER_MIB, **store}}
    with LocalServer(data, cores=None, config=config) as server:
        client = ClientConfig(
            endpoint=server.endpoint, access_key=server.access_key, secret_key=server.secret_key
        )
        with bucket(Client(config=client)):
            yield Subject(label, client, server.pid)


@contextlib.contextmanager
def bucket(client: Client) -> Iterator[None]:
    """The bucket of the benchmark: there while it runs, emptied and gone after it.

    After a failure it stays: the server may be what failed, and the folder goes anyway.
    """
    client.create_bucket(BUCKET)
    yield
    for found in list(client.list_keys(BUCKET)):
        client.delete_object(BUCKET, found.key)
    client.delete_bucket(BUCKET)


def measure_server(data: Path, seconds: float, figures: Figures) -> None:
    """In the steady state: the cache is small, and filled before anything is measured."""
    with our_server(data, "openlake", cache_mib=CACHE_MIB) as subject:
        fill_for(WARM_UP, subject)
        for scenario in (*PARTS, *SMALL_WRITES):
            take(scenario, subject, seconds, figures)
        for scenario in (LARGE_READ, SMALL_READ):
            fill_for(scenario, subject)
            take(scenario, subject, seconds, figures)


def measure_cold_reads(data: Path, seconds: float, figures: Figures) -> None:
    """With no cache each read goes to the drive, past the kernel's cache too (O_DIRECT)."""
    with our_server(data, "openlake cold", cache_mib=0) as subject:
        fill_for(WARM_UP, subject)
        fill_for(LARGE_READ, subject)
        take(LARGE_READ, subject, seconds, figures)
