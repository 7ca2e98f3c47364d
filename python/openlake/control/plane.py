"""The control plane's side of the ring: drained in batches when its descriptor says so, completions
handed to who waits for them, each request answered by a task of its own.
"""

import asyncio

from openlake._core import Completion, Request, Server
from openlake.control.dispatch import Dispatcher
from openlake.control.engine import Engine


class Plane:
    """Runs on the event loop from `open` to `close`; at most `requests_max` requests, each with its
    body, are under way.
    """

    def __init__(self, server: Server, engine: Engine, requests_max: int) -> None:
        self._server = server
        self._engine = engine
        self._requests_max = requests_max
        self._dispatcher: Dispatcher | None = None
        self._tasks: set[asyncio.Task[None]] = set()

    def open(self) -> None:
        """From here on engine calls complete; requests are refused until `serve`."""
        asyncio.get_running_loop().add_reader(self._server.fileno(), self._drain)

    def serve(self, dispatcher: Dispatcher) -> None:
        self._dispatcher = dispatcher

    async def close(self) -> None:
        asyncio.get_running_loop().remove_reader(self._server.fileno())
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    def _drain(self) -> None:
        for item in self._server.drain():
            if isinstance(item, Completion):
                self._engine.complete(item)
            elif self._dispatcher is not None and len(self._tasks) < self._requests_max:
                task = asyncio.ensure_future(self._answer(self._dispatcher, item))
                self._tasks.add(task)
                task.add_done_callback(self._tasks.discard)
            # Any other is dropped unanswered, for which the client is told to slow down: there are
            # too many, or the server has not started yet.

    @staticmethod
    async def _answer(dispatcher: Dispatcher, request: Request) -> None:
        status, headers, body = await dispatcher.answer(request)
        request.answer(status, list(headers.items()), body)
