"""The S3 service model as small frozen objects, read once from the vendored JSON.

The JSON is botocore's `s3/2006-03-01/service-2.json` without its documentation
(`scripts/refresh_s3_model.py` makes it); everything else in this package is derived from it.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache, cached_property
from importlib import resources
from typing import Any

NAMESPACE = "http://s3.amazonaws.com/doc/2006-03-01/"
XSI = "http://www.w3.org/2001/XMLSchema-instance"


@dataclass(frozen=True, slots=True)
class Member:
    """One field of a structure, with everything the wire needs to know about it."""

    name: str  # the name in the botocore-shaped dict
    wire: str  # element, header, query or label name
    location: str | None  # header | headers | querystring | uri | None (body)
    shape_name: str
    flattened: bool
    attribute: bool  # travels as an XML attribute (xsi:type)
    required: bool
    event_payload: bool


@dataclass(slots=True)
class Shape:
    name: str
    type: str
    raw: Mapping[str, Any]
    model: Model
    members: dict[str, Member] = field(default_factory=dict)

    @property
    def payload(self) -> str | None:
        return self.raw.get("payload")

    @property
    def enum(self) -> frozenset[str]:
        return frozenset(self.raw.get("enum", ()))

    @property
    def item(self) -> Shape:
        return self.model.shape(self.raw["member"]["shape"])

    @property
    def item_wire(self) -> str:
        ref = self.raw["member"]
        return ref.get("locationName") or self.item.raw.get("locationName") or "member"

    @property
    def xsi(self) -> bool:
        return bool(self.raw.get("xmlNamespace", {}).get("prefix") == "xsi")


@dataclass(frozen=True, slots=True)
class Operation:
    name: str
    method: str
    level: str  # service | bucket | object, or a literal path
    markers: Mapping[str, str]  # ?subresource -> required value ("" = any)
    status: int
    input: Shape | None
    output: Shape | None
    alias_of: str | None  # deprecated twin that shares every byte of the request line
    discriminators: frozenset[tuple[str, str]]  # ("query"|"header", name) it cannot do without
    query_names: frozenset[str]
    header_names: frozenset[str]  # lower case
    checksum_required: bool


class Model:
    def __init__(self, raw: Mapping[str, Any]) -> None:
        self.raw = raw
        self._shapes: dict[str, Shape] = {}
        self.operations = {
            name: self._operation(name, op) for name, op in raw["operations"].items()
        }

    def shape(self, name: str) -> Shape:
        if name not in self._shapes:
            raw = self.raw["shapes"][name]
            shape = self._shapes[name] = Shape(name, raw["type"], raw, self)
            required = set(raw.get("required", ()))
            for key, ref in raw.get("members", {}).items():
                shape.members[key] = self._member(key, ref, required=key in required)
        return self._shapes[name]

    def _member(self, name: str, ref: Mapping[str, Any], *, required: bool) -> Member:
        target = self.raw["shapes"][ref["shape"]]
        flattened = bool(
            target["type"] == "list" and (target.get("flattened") or ref.get("flattened"))
        )
        wire = ref.get("locationName") or target.get("locationName") or name
        return Member(
            name,
            wire,
            ref.get("location"),
            ref["shape"],
            flattened,
            bool(ref.get("xmlAttribute")),
            required,
            bool(ref.get("eventpayload")),
        )

    def _operation(self, name: str, op: Mapping[str, Any]) -> Operation:
        path, _, query = op["http"]["requestUri"].partition("?")
        level = {"/": "service", "/{Bucket}": "bucket", "/{Bucket}/{Key+}": "object"}.get(
            path, path
        )
        markers = {
            key: value
            for key, _, value in (part.partition("=") for part in query.split("&") if part)
        }
        source = self.shape(op["input"]["shape"]) if "input" in op else None
        members = list(source.members.values()) if source else []
        needs = {("query", m.wire) for m in members if m.location == "querystring" and m.required}
        needs |= {
            ("header", m.wire.lower()) for m in members if m.location == "header" and m.required
        }
        return Operation(
            name=name,
            method=op["http"]["method"],
            level=level,
            markers=markers,
            status=op["http"].get("responseCode", 200),
            input=source,
            output=self.shape(op["output"]["shape"]) if "output" in op else None,
            alias_of=self._twin(name, op) if op.get("deprecated") else None,
            discriminators=frozenset(needs),
            query_names=frozenset(m.wire for m in members if m.location == "querystring")
            | markers.keys(),
            header_names=frozenset(m.wire.lower() for m in members if m.location == "header"),
            checksum_required=op.get("httpChecksum", {}).get("requestChecksumRequired", False),
        )

    def _twin(self, name: str, op: Mapping[str, Any]) -> str | None:
        other: str
        for other, candidate in self.raw["operations"].items():
            same_line = candidate["http"].get("requestUri") == op["http"]["requestUri"]
            if other != name and same_line and candidate["http"]["method"] == op["http"]["method"]:
                return other
        return None

    @cached_property
    def marker_names(self) -> frozenset[str]:
        return frozenset(m for op in self.operations.values() for m in op.markers)


@cache
def load() -> Model:
    """Read the vendored model; every call returns the same one."""
    packed = resources.files("openlake.s3model").joinpath("s3.json.gz").read_bytes()
    return Model(json.loads(gzip.decompress(packed)))
