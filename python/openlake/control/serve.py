"""A whole server, from settings to exit: keys, data plane, control plane, admin address, the local
socket; drained and closed in the reverse order at SIGTERM or SIGINT.
"""

import asyncio
import contextlib
import signal
from collections.abc import AsyncIterator, Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import structlog

from openlake._core import EngineError, Server, StartError
from openlake.config import Settings, core_config
from openlake.control.admin import AdminSite, ControlMetrics
from openlake.control.dispatch import Dispatcher
from openlake.control.engine import Engine
from openlake.control.errors import ServeError
from openlake.control.event_log import configure_event_log
from openlake.control.iam import InvalidUserError
from openlake.control.local_socket import LocalSocket
from openlake.control.plane import Plane
from openlake.control.root_keys import FoundKeys, root_keys
from openlake.control.state import State

log = structlog.get_logger()


@dataclass(frozen=True, slots=True)
class Started:
    """A running server, as far as a user is told."""

    endpoint: str
    admin: str
    data: str
    access_key: str
    # Where it was generated just now: it is not shown again.
    new_secret_key: str | None
    keys_file: str


def serve_until_stopped(settings: Settings, announce: Callable[[Started], None]) -> None:
    """Blocks until a signal asks to stop and the server has; raises ServeError."""
    configure_event_log()
    asyncio.run(serve(settings, announce))


async def serve(settings: Settings, announce: Callable[[Started], None]) -> None:
    with stop_requested() as stop:
        async with running(settings) as started:
            announce(started)
            log.info("started", s3=started.endpoint, admin=started.admin, data=started.data)
            await stop.wait()
            log.info("stopping", drain_timeout_s=settings.server.drain_timeout_s)


@contextlib.contextmanager
def stop_requested() -> Iterator[asyncio.Event]:
    """Set by the first SIGTERM or SIGINT; those that follow change nothing."""
    stop, loop = asyncio.Event(), asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stop.set)
    try:
        yield stop
    finally:
        for number in (signal.SIGTERM, signal.SIGINT):
            loop.remove_signal_handler(number)


@contextlib.asynccontextmanager
async def running(settings: Settings) -> AsyncIterator[Started]:
    """Ready when entered, drained and closed when left."""
    metrics = ControlMetrics()
    admin = AdminSite(settings.admin, metrics)
    async with contextlib.AsyncExitStack() as cleanup:
        # First, so that it says "not ready" during a long recovery.
        await admin.start()
        cleanup.push_async_callback(admin.stop)
        server = await started_server(settings)
        engine = Engine(server)
        plane = Plane(server, engine, settings.server.control_requests_max)
        plane.open()
        cleanup.push_async_callback(stopped, settings, server, plane)
        found = root_keys(settings.data, settings.root_keys)
        state = await loaded_state(engine, found)
        plane.serve(Dispatcher(engine, state, settings.server.region, metrics))
        local = LocalSocket(settings.data, state)
        await local.start()
        cleanup.push_async_callback(local.stop)
        admin.engine, admin.ready = engine, True
        try:
            yield started_facts(settings, server, admin, found)
        finally:
            admin.engine, admin.ready = None, False


async def started_server(settings: Settings) -> Server:
    """Recovery and binding block, so they run beside the loop."""
    check_parent(settings.data)
    try:
        return await asyncio.to_thread(Server.start, core_config(settings))
    except StartError as error:
        raise ServeError(str(error)) from error


def check_parent(data: Path) -> None:
    """The data directory is made, its parent is not: a typing error stays visible."""
    parent = data.absolute().parent
    if not parent.is_dir():
        raise ServeError(f"{data}: {parent} is no directory; create it, or correct --data")


async def stopped(settings: Settings, server: Server, plane: Plane) -> None:
    """Requests in flight still need the control plane, so it is closed last."""
    await asyncio.to_thread(server.shutdown, settings.server.drain_timeout_s)
    await plane.close()


async def loaded_state(engine: Engine, found: FoundKeys) -> State:
    state = State(engine, found.keys)
    try:
        await state.load()
    except (EngineError, InvalidUserError) as error:
        raise ServeError(f"users and buckets cannot be loaded: {error}") from error
    return state


def started_facts(
    settings: Settings, server: Server, admin: AdminSite, found: FoundKeys
) -> Started:
    return Started(
        endpoint=f"http://{server.address}",
        admin=admin.endpoint,
        data=str(settings.data),
        access_key=found.keys.access_key,
        new_secret_key=found.keys.secret_key if found.is_new else None,
        keys_file=str(found.file),
    )
