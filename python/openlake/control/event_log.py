"""One event a line on standard error: text for a person at a terminal, JSON for everything else.
Events hold no secret, no signature and no object bytes.
"""

import sys

import structlog
from structlog.processors import ExceptionRenderer
from structlog.tracebacks import ExceptionDictTransformer


def configure_event_log() -> None:
    processors: list[structlog.typing.Processor] = [
        structlog.processors.add_log_level,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
    ]
    if sys.stderr.isatty():
        plain = structlog.dev.plain_traceback
        processors.append(structlog.dev.ConsoleRenderer(exception_formatter=plain))
    else:
        # A traceback is a field of its event, so that the event stays one line; without the values
        # of variables, some of which are secret.
        processors.append(ExceptionRenderer(ExceptionDictTransformer(show_locals=False)))
        processors.append(structlog.processors.JSONRenderer())
    structlog.configure(
        processors=processors, logger_factory=structlog.PrintLoggerFactory(sys.stderr)
    )
