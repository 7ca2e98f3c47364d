"""The admin address over HTTP. It holds no data of users and takes no orders.

`/healthz`: the process runs. `/readyz`: S3 is served; 503 while recovering, while draining, and
after a write to the drive failed, when nothing can be stored until the next start.
"""

import socket

from aiohttp import web
from prometheus_client import CONTENT_TYPE_LATEST

from openlake._core import EngineError
from openlake.config import Address
from openlake.control.admin.metrics import ControlMetrics, metrics_page
from openlake.control.engine import Engine
from openlake.control.errors import ServeError

UNAVAILABLE = 503
# Shards that store nothing more, because a write failed.
POISONED = "journals_poisoned"
# How long an answer under way may take once the server stops.
STOP_TIMEOUT_S = 2.0


class AdminSite:
    """Listens from `start` to `stop`; `ready` and `engine` are set by who runs the server."""

    def __init__(self, address: Address, metrics: ControlMetrics) -> None:
        self._address = address
        self._metrics = metrics
        self._runner: web.AppRunner | None = None
        self.ready = False
        self.engine: Engine | None = None
        # Where it listens: the port is known once it does.
        self.endpoint = ""

    async def start(self) -> None:
        app = web.Application()
        app.router.add_get("/healthz", self._health)
        app.router.add_get("/readyz", self._readiness)
        app.router.add_get("/metrics", self._page)
        self._runner = web.AppRunner(app, access_log=None, shutdown_timeout=STOP_TIMEOUT_S)
        await self._runner.setup()
        listener = self._listener()
        await web.SockSite(self._runner, listener).start()
        port = listener.getsockname()[1]
        self.endpoint = f"http://{Address(self._address.host, port)}"

    def _listener(self) -> socket.socket:
        host, port = self._address.host, self._address.port
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        try:
            return socket.create_server((host, port), family=family)
        except OSError as error:
            raise ServeError(
                f"the admin address {self._address} cannot be used: {error.strerror}; "
                "choose another with --admin"
            ) from error

    async def stop(self) -> None:
        if self._runner is not None:
            await self._runner.cleanup()

    async def _health(self, _request: web.Request) -> web.Response:
        return web.Response(text="ok\n")

    async def _readiness(self, _request: web.Request) -> web.Response:
        if not self.ready or self.engine is None:
            return web.Response(status=UNAVAILABLE, text="not ready\n")
        try:
            reading = await self.engine.metrics()
        except EngineError as error:
            return web.Response(status=UNAVAILABLE, text=f"{error}\n")
        if reading[POISONED]:
            text = "a write to the drive failed: nothing is stored until the server starts again\n"
            return web.Response(status=UNAVAILABLE, text=text)
        return web.Response(text="ready\n")

    async def _page(self, _request: web.Request) -> web.Response:
        if self.engine is None:
            return web.Response(status=UNAVAILABLE, text="not ready\n")
        try:
            reading = await self.engine.metrics()
        except EngineError as error:
            return web.Response(status=UNAVAILABLE, text=f"{error}\n")
        page = metrics_page(self._metrics, reading)
        return web.Response(body=page, headers={"Content-Type": CONTENT_TYPE_LATEST})
