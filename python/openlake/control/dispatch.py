"""From a verified request to its answer: which operation it is, whether the caller may, what it
asks, the verb, the document. Every failure becomes an error document here.
"""

import time
from dataclasses import dataclass

import structlog

from openlake._core import EngineError, Request
from openlake.control.admin import ControlMetrics
from openlake.control.call import Call
from openlake.control.engine import Engine
from openlake.control.engine_errors import s3_error
from openlake.control.iam import User
from openlake.control.iam.access import check_bucket
from openlake.control.refused import REFUSED
from openlake.control.registry import CONTROL, FOR_EVERY_USER, HOT
from openlake.control.request_headers import header_table, refuse_unknown, require_body_digest
from openlake.control.state import State
from openlake.s3model import (
    Match,
    Operation,
    Renderer,
    RequestParser,
    Router,
    S3Error,
    load,
    render_error,
)
from openlake.s3model.request_query import (
    allowed_methods,
    misread_parameters,
    unknown_parameters,
)

Answer = tuple[int, dict[str, str], bytes]
log = structlog.get_logger()
NO_OPERATION = "none"
METHOD_NOT_ALLOWED = 405


@dataclass(slots=True)
class Progress:
    """How far a request has come, for its error document and its metrics."""

    operation: str = NO_OPERATION


class Dispatcher:
    def __init__(self, engine: Engine, state: State, region: str, metrics: ControlMetrics) -> None:
        self._engine = engine
        self._state = state
        self._region = region
        self._metrics = metrics
        self._model = model = load()
        self._router = Router(model)
        self._parser = RequestParser(model)
        self._renderer = Renderer(model)

    async def answer(self, request: Request) -> Answer:
        progress, began = Progress(), time.monotonic()
        try:
            answer = await self._answer(request, progress)
        except S3Error as error:
            answer = self._refusal(request, progress, error)
        except EngineError as error:
            refusal = s3_error(error) or self._failure(request, progress, error)
            answer = self._refusal(request, progress, refusal)
        except Exception as error:  # noqa: BLE001 one request's failure is not the server's
            refusal = self._failure(request, progress, error)
            answer = self._refusal(request, progress, refusal)
        self._metrics.answered(progress.operation, answer[0], time.monotonic() - began)
        return answer

    async def _answer(self, request: Request, progress: Progress) -> Answer:
        headers = header_table(request)
        match = self._router.match(request.method, request.host, request.target, headers)
        operation = match.operation
        progress.operation = operation.name
        refuse_other_places(match)
        caller = self._caller(request)
        self._check_access(match, caller, headers)
        refuse_unknown(operation, headers)
        require_body_digest(operation, headers)
        body = request.body
        asked = self._parser.parse(match, headers, body)
        call = Call(
            caller=caller,
            engine=self._engine,
            state=self._state,
            region=self._region,
            endpoint=f"http://{request.host}",
            headers=headers,
            body_bytes=len(body),
        )
        given = await CONTROL[operation.name](call, asked)
        return self._renderer.render(operation, given)

    def _caller(self, request: Request) -> User:
        caller = self._state.users.by_id(request.user_id)
        if caller is None:
            raise S3Error("AccessDenied")
        return caller

    def _check_access(self, match: Match, caller: User, headers: dict[str, str]) -> None:
        if match.operation.name in FOR_EVERY_USER or match.bucket is None:
            return
        expected = headers.get("x-amz-expected-bucket-owner")
        check_bucket(self._state, caller, match.bucket, expected)

    def _refusal(self, request: Request, progress: Progress, error: S3Error) -> Answer:
        headers = {"content-type": "application/xml"}
        if progress.operation == "HeadBucket":
            # Also with a refusal (HD2): clients learn from it where to go.
            headers["x-amz-bucket-region"] = self._region
        if error.status == METHOD_NOT_ALLOWED:
            headers["allow"] = allowed_methods(self._model, request.target, REFUSED)
        path = request.target.partition("?")[0]
        body = render_error(error, resource=path, request_id=request.request_id)
        return error.status, headers, body

    @staticmethod
    def _failure(request: Request, progress: Progress, error: Exception) -> S3Error:
        """What went wrong inside is for the log, not for the client."""
        log.error(
            "control request failed",
            exc_info=error,
            request_id=request.request_id,
            operation=progress.operation,
        )
        return S3Error("InternalError")


def refuse_other_places(match: Match) -> None:
    operation: Operation = match.operation
    if operation.name not in CONTROL and operation.name not in HOT:
        raise S3Error("NotImplemented", f"{operation.name} is not implemented")
    unknown = unknown_parameters(match)
    if operation.name in HOT:
        # The data plane takes this verb, but not with all of these parameters.
        unknown = unknown or misread_parameters(match) or sorted(match.query)
    if unknown:
        message = f"{operation.name} does not know these query parameters: {', '.join(unknown)}"
        raise S3Error("NotImplemented", message)
