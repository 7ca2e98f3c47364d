"""Text as S3 writes it: escapes of XML, percent-encoding of listings, times and scalars."""

from __future__ import annotations

import base64
import re
from collections.abc import Callable
from datetime import UTC, datetime
from email.utils import format_datetime
from typing import Any
from urllib.parse import quote_plus

from openlake.s3model.model import Shape

_SPECIAL = re.compile(r"[&<>\"\x00-\x1f]")
_ENTITY = {"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;"}
_URL_SAFE = re.compile(r"[A-Za-z0-9_.~/*-]*").fullmatch


def url_encode(text: str) -> str:
    """Encode as `encoding-type=url` asks."""
    return text if _URL_SAFE(text) else quote_plus(text, safe="/*")


def escape(text: str) -> str:
    """Escape for XML; control characters become numeric references, as AWS sends them."""
    if _SPECIAL.search(text) is None:
        return text
    return _SPECIAL.sub(lambda m: _ENTITY.get(m[0]) or f"&#x{ord(m[0]):x};", text)


def _iso8601(value: datetime) -> str:
    utc = value if value.tzinfo is UTC else value.astimezone(UTC)
    return utc.isoformat(timespec="milliseconds")[:23] + "Z"


def _rfc822(value: datetime) -> str:
    return format_datetime(value.astimezone(UTC), usegmt=True)


def _unix(value: datetime) -> str:
    return str(int(value.timestamp()))


_TIMES = {"iso8601": _iso8601, "rfc822": _rfc822, "unixTimestamp": _unix}


def _boolean(value: object) -> str:
    return "true" if value else "false"


def _blob(value: bytes) -> str:
    return base64.b64encode(value).decode()


def text_of(shape: Shape, default_time: str) -> Callable[[Any], str]:
    """How values of a scalar shape become text."""
    match shape.type:
        case "boolean":
            return _boolean
        case "blob":
            return _blob
        case "timestamp":
            return _TIMES[shape.raw.get("timestampFormat", default_time)]
        case _:
            return str
