"""The dict that a botocore caller is to see, as status, headers and body.

SelectObjectContent, whose answer is an event stream, has no renderer: it is refused before.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from openlake.s3model.model import NAMESPACE, Model, Operation, Shape
from openlake.s3model.roots import ROOTS
from openlake.s3model.text import escape, text_of
from openlake.s3model.xml_writer import Writer, XmlWriters

Result = Mapping[str, Any]
Headers = dict[str, str]
Response = tuple[int, Headers, bytes]
_BodyWriter = Callable[[Result, Headers], bytes]


class Renderer:
    """Plans are compiled once per operation."""

    def __init__(self, model: Model) -> None:
        """Compile the plan of every operation but those that answer with an event stream."""
        self._model = model
        self._plain = XmlWriters(model, url=False)
        self._encoded = XmlWriters(model, url=True)
        operations = [op for op in model.operations.values() if not _has_events(model, op)]
        self._plans = {op.name: self._plan(op) for op in operations}

    def render(
        self, operation: Operation, result: Result | None = None, status: int | None = None
    ) -> Response:
        """Status (the model's unless given), lower-case headers, and body."""
        headers: Headers = {}
        body = self._plans[operation.name](result or {}, headers)
        return status or operation.status, headers, body

    def _plan(self, op: Operation) -> _BodyWriter:
        out = op.output
        if out is None:
            return _no_body
        write_headers = self._headers(out)
        write_body = self._body(op, out)

        def run(result: Result, headers: Headers) -> bytes:
            write_headers(result, headers)
            return write_body(result, headers)

        return run

    def _headers(self, out: Shape) -> Callable[[Result, Headers], None]:
        steps = [
            (
                m.name,
                m.wire,
                m.location == "headers",
                text_of(self._model.shape(m.shape_name), "rfc822"),
            )
            for m in out.members.values()
            if m.location
        ]

        def run(result: Result, headers: Headers) -> None:
            for name, wire, is_map, to_text in steps:
                value = result.get(name)
                if value is None:
                    continue
                pairs = value.items() if is_map else (("", to_text(value)),)
                for suffix, text in pairs:
                    _set_header(headers, wire + suffix, text)

        return run

    def _body(self, op: Operation, out: Shape) -> _BodyWriter:
        if op.name == "GetBucketLocation":
            return _location  # the one unwrapped output: text directly under the root
        if out.payload:
            member = out.members[out.payload]
            target = self._model.shape(member.shape_name)
            if target.type != "structure":
                return _raw(member.name)
            return self._document(member.wire, target, payload=member.name)
        if all(m.location for m in out.members.values()):
            return _no_body
        return self._document(ROOTS.get(op.name, out.name), out, payload=None)

    def _document(self, root: str, source: Shape, payload: str | None) -> _BodyWriter:
        plain: Writer = self._plain.writer(source, "")
        encoded: Writer = self._encoded.writer(source, "")

        def run(result: Result, headers: Headers) -> bytes:
            value = result.get(payload) if payload else result
            if value is None:
                return b""
            parts: list[str] = []
            writer = encoded if result.get("EncodingType") == "url" else plain
            writer(value, parts.append)
            return document(headers, root, "".join(parts))

        return run


def document(headers: Headers, root: str, inner: str) -> bytes:
    """A whole XML document in S3's namespace; sets its content type."""
    headers["content-type"] = "application/xml"
    start = f'<?xml version="1.0" encoding="UTF-8"?>\n<{root} xmlns="{NAMESPACE}">'
    return f"{start}{inner}</{root}>".encode()


def _set_header(headers: Headers, name: str, text: str) -> None:
    if "\r" in text or "\n" in text:
        raise ValueError(f"line break in header {name}")
    headers[name.lower()] = text


def _has_events(model: Model, op: Operation) -> bool:
    if op.output is None or not op.output.payload:
        return False
    member = op.output.members[op.output.payload]
    return bool(model.shape(member.shape_name).raw.get("eventstream"))


def _no_body(_result: Result, _headers: Headers) -> bytes:
    return b""


def _location(result: Result, headers: Headers) -> bytes:
    return document(headers, "LocationConstraint", escape(result.get("LocationConstraint") or ""))


def _raw(name: str) -> _BodyWriter:
    def run(result: Result, _headers: Headers) -> bytes:
        value = result.get(name, b"")
        return value.encode() if isinstance(value, str) else bytes(value)

    return run
