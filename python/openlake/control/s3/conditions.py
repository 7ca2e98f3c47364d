"""Conditions: those of a write, which the engine checks together with its commit, and those on the
source of a copy.
"""

import re
from dataclasses import dataclass
from datetime import datetime

from openlake._core import EngineObject
from openlake.control.s3.moment import moment
from openlake.s3model import S3Error

ETAG = re.compile(r'(?:W/)?"?([0-9a-fA-F]{32}(?:-[0-9]{1,5})?)"?')
# An ETag that no object has, for a condition that names none of ours.
NEVER = "0" * 32 + "-65535"


def bare_etag(text: str) -> str | None:
    """Without quotes and `W/`, in lower case; None for what no object of ours can have."""
    found = ETAG.fullmatch(text.strip())
    return found[1].lower() if found else None


@dataclass(frozen=True, slots=True)
class WriteCondition:
    # An ETag or `*`.
    if_match: str | None
    # `If-None-Match: *`
    if_none_match: bool


def write_condition(if_match: str | None, if_none_match: str | None) -> WriteCondition:
    if if_none_match is not None and (if_none_match.strip() != "*" or if_match is not None):
        raise S3Error("NotImplemented", Header="If-None-Match")
    if if_match is None:
        return WriteCondition(None, if_none_match is not None)
    if "," in if_match:
        raise S3Error("NotImplemented", Header="If-Match")
    wanted = "*" if if_match.strip() == "*" else bare_etag(if_match) or NEVER
    return WriteCondition(wanted, if_none_match=False)


@dataclass(frozen=True, slots=True)
class SourceConditions:
    """`x-amz-copy-source-if-…`; an ETag condition goes before the date condition of its pair."""

    if_match: str | None
    if_none_match: str | None
    if_modified_since: datetime | None
    if_unmodified_since: datetime | None

    def are_any(self) -> bool:
        return self != SourceConditions(None, None, None, None)

    def check(self, source: EngineObject) -> None:
        failed = self._failed(source)
        if failed is not None:
            raise S3Error("PreconditionFailed", Condition=f"x-amz-copy-source-{failed}")

    def _failed(self, source: EngineObject) -> str | None:
        modified = moment(source.last_modified_ms).replace(microsecond=0)
        if self.if_match is not None:
            if not names(self.if_match, source.etag):
                return "if-match"
        elif self.if_unmodified_since is not None and modified > self.if_unmodified_since:
            return "if-unmodified-since"
        if self.if_none_match is not None:
            return "if-none-match" if names(self.if_none_match, source.etag) else None
        since = self.if_modified_since
        return "if-modified-since" if since is not None and modified <= since else None


def names(condition: str, etag: str) -> bool:
    return condition.strip() == "*" or etag in [bare_etag(one) for one in condition.split(",")]
