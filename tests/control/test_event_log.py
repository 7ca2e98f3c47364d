"""The log: one event a line, and nothing secret in it (SEC33)."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import structlog

from openlake.control.event_log import configure_event_log

if TYPE_CHECKING:
    import pytest


def fail() -> None:
    secret_key = "nobody-may-see-this"
    raise ValueError("it broke" if secret_key else "never")


def test_sec33_a_traceback_is_one_line_without_values(
    capsys: pytest.CaptureFixture[str],
) -> None:
    configure_event_log()
    try:
        fail()
    except ValueError as error:
        structlog.get_logger().error("failed", exc_info=error, operation="CopyObject")
    finally:
        structlog.reset_defaults()
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == 1
    event = json.loads(lines[0])
    assert (event["event"], event["level"], event["operation"]) == ("failed", "error", "CopyObject")
    assert "it broke" in lines[0]
    assert "nobody-may-see-this" not in lines[0]
