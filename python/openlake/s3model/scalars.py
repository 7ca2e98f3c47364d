"""Scalar values as clients write them; text that is none of the shape's is a `ValueError`."""

from __future__ import annotations

import base64
import re
from collections.abc import Callable
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any

from openlake.s3model.model import Shape

Scalar = Callable[[str], Any]

# Enums whose members a compatible server defines itself, or that clients send beyond the model.
OPEN_ENUMS = frozenset({"BucketLocationConstraint", "Event", "ReplicationStatus"})
# Enums that S3 reads in any case and answers in upper case.
ANY_CASE_ENUMS = frozenset({"ChecksumAlgorithm", "ChecksumType"})
# What reading a scalar may raise.
UNREADABLE = (ValueError, KeyError, OverflowError, TypeError)
_INTEGER = re.compile(r"[+-]?\d{1,19}\Z", re.ASCII)
_BOOLEANS = {"true": True, "false": False}


def _boolean(text: str) -> bool:
    return _BOOLEANS[text.strip().lower()]


def _integer(text: str) -> int:
    if not _INTEGER.match(text.strip()):
        raise ValueError(text)
    return int(text)


def _timestamp(text: str) -> datetime:
    text = text.strip()
    if text.isdigit():
        return datetime.fromtimestamp(int(text), UTC)
    moment = parsedate_to_datetime(text) if text[:1].isalpha() else datetime.fromisoformat(text)
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


def _blob(text: str) -> bytes:
    return base64.b64decode(text, validate=True)


def _enum(shape: Shape) -> Scalar:
    allowed = shape.enum
    any_case = shape.name in ANY_CASE_ENUMS

    def read(text: str) -> str:
        text = text.upper() if any_case else text
        if text not in allowed:
            raise ValueError(text)
        return text

    return read


_READERS: dict[str, Scalar] = {
    "boolean": _boolean,
    "integer": _integer,
    "long": _integer,
    "timestamp": _timestamp,
    "blob": _blob,
}


def scalar(shape: Shape) -> Scalar:
    """How text becomes a value of a scalar shape."""
    if shape.type == "string":
        return _enum(shape) if shape.enum and shape.name not in OPEN_ENUMS else str
    return _READERS[shape.type]
