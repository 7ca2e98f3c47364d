"""Which S3 operation is this? Decided from the model alone.

Anything not understood is refused, never guessed.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import unquote, unquote_plus

from openlake.s3model.errors import S3Error
from openlake.s3model.model import Model, Operation

# The SDKs' hint of the operation: every operation accepts it.
HINT = "x-id"
# Of the signature of a URL, or headers that went into the query: whoever verifies the signature
# takes them for headers.
IN_PLACE_OF_HEADER = "x-amz-"
# Told apart by endpoint host only; an explicit x-id is the only way to reach the second.
BY_HINT_ONLY = frozenset({"ListDirectoryBuckets"})


@dataclass(frozen=True, slots=True)
class Match:
    operation: Operation
    bucket: str | None
    key: str | None
    query: dict[str, str]


@dataclass(frozen=True, slots=True)
class _Candidate:
    operation: Operation
    tells: frozenset[tuple[str, str]]  # what sets it apart from the others in its group


class Router:
    def __init__(self, model: Model, domains: tuple[str, ...] = ()) -> None:
        self._markers = model.marker_names
        self._suffixes = tuple("." + d.lower() for d in domains)
        self._groups: dict[tuple[str, str, frozenset[str]], tuple[_Candidate, ...]] = {}
        self._literals = {op.level for op in model.operations.values() if op.level.startswith("/")}
        groups: dict[tuple[str, str, frozenset[str]], list[Operation]] = {}
        for op in model.operations.values():
            if op.alias_of is None and op.name not in BY_HINT_ONLY:
                groups.setdefault((op.method, op.level, frozenset(op.markers)), []).append(op)
        for key, ops in groups.items():
            common = frozenset.intersection(*(op.discriminators for op in ops))
            ranked = sorted(
                (_Candidate(op, op.discriminators - common) for op in ops),
                key=lambda c: -len(c.tells),
            )
            if len({c.tells for c in ranked}) != len(ranked):
                raise ValueError(
                    f"the model no longer tells apart {[c.operation.name for c in ranked]}"
                )
            self._groups[key] = tuple(ranked)
        self._by_hint = {name: model.operations[name] for name in BY_HINT_ONLY}

    def match(self, method: str, host: str, target: str, headers: Mapping[str, str]) -> Match:
        """`target` is the raw request target; header names are lower case."""
        path, _, raw_query = target.partition("?")
        query = _query(raw_query)
        level, bucket, key = self._address(host, path)
        operation = self._operation(method, level, query, headers)
        self._refuse_unknown(operation, query)
        return Match(operation, bucket, key, query)

    def _address(self, host: str, path: str) -> tuple[str, str | None, str | None]:
        name = host.lower().rpartition(":")[0] or host.lower()
        for suffix in self._suffixes:
            if name.endswith(suffix):
                bucket, key = name[: -len(suffix)], _decoded(path)[1:]
                break
        else:
            if path in self._literals:
                return path, None, None
            # `%2F` is `/`, between bucket and key too: decoded first, then taken apart.
            bucket, _, key = _decoded(path)[1:].partition("/")
        if not bucket:
            if key.strip("/"):
                raise S3Error("InvalidBucketName")
            return "service", None, None
        return ("object", bucket, key) if key else ("bucket", bucket, None)

    def _operation(
        self, method: str, level: str, query: Mapping[str, str], headers: Mapping[str, str]
    ) -> Operation:
        hinted = self._by_hint.get(query.get(HINT, ""))
        if hinted and hinted.method == method and hinted.level == level:
            return hinted
        markers = self._markers.intersection(query)
        group = self._groups.get((method, level, markers))
        if group is None:
            known = any(lvl == level and marks == markers for _, lvl, marks in self._groups)
            raise S3Error("MethodNotAllowed" if known else "NotImplemented")
        for candidate in group:
            if all(
                name in (query if place == "query" else headers) for place, name in candidate.tells
            ):
                operation = candidate.operation
                if any(value and query[name] != value for name, value in operation.markers.items()):
                    raise S3Error("InvalidArgument")
                return operation
        raise S3Error("NotImplemented")

    def _refuse_unknown(self, operation: Operation, query: Mapping[str, str]) -> None:
        for name, value in query.items():
            if name in operation.query_names or name == HINT:
                continue
            if name.lower().startswith(IN_PLACE_OF_HEADER):
                continue
            if value and operation.method in ("GET", "HEAD"):
                continue  # like AWS: a stray ?name=value on a read is ignored
            raise S3Error("NotImplemented", f"The query parameter {name!r} is not understood here")


def _decoded(path: str) -> str:
    try:
        return unquote(path, errors="strict")
    except UnicodeDecodeError:
        raise S3Error("InvalidURI") from None


def _query(raw: str) -> dict[str, str]:
    out: dict[str, str] = {}
    if raw:
        for part in raw.split("&"):
            if part:
                name, _, value = part.partition("=")
                name = unquote_plus(name) if "%" in name or "+" in name else name
                if name in out:
                    raise S3Error("InvalidArgument", f"The query parameter {name!r} is given twice")
                out[name] = unquote_plus(value) if "%" in value or "+" in value else value
    return out
