"""HTTP request to the dict that a botocore caller would have passed, checked against the model."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from openlake.s3model.errors import S3Error
from openlake.s3model.model import Member, Model, Operation
from openlake.s3model.router import Match
from openlake.s3model.scalars import UNREADABLE, Scalar, scalar
from openlake.s3model.xml_reader import Reader, XmlReaders, local_name, parse_xml

Params = dict[str, Any]


@dataclass(frozen=True, slots=True)
class _Source:
    match: Match
    headers: Mapping[str, str]
    body: bytes


_Step = Callable[[Params, _Source], None]


class RequestParser:
    """Plans are compiled once per operation."""

    def __init__(self, model: Model) -> None:
        """Compile the plans of every operation that takes input."""
        self._model = model
        self._xml = XmlReaders(model)
        self._plans = {op.name: self._plan(op) for op in model.operations.values()}

    def parse(self, match: Match, headers: Mapping[str, str], body: bytes) -> Params:
        """Read a request whose header names are lower case; raises S3Error."""
        params: Params = {}
        source = _Source(match, headers, body)
        for step in self._plans[match.operation.name]:
            step(params, source)
        return params

    def _plan(self, op: Operation) -> list[_Step]:
        if op.input is None:
            return []
        steps = [self._outside(m) for m in op.input.members.values() if m.location]
        if op.input.payload:
            steps.append(self._payload(op.input.members[op.input.payload]))
        elif any(not m.location for m in op.input.members.values()):
            steps.append(_whole_body(self._xml.reader(op.input)))
        return steps

    def _outside(self, member: Member) -> _Step:
        if member.location == "uri":
            return _from_uri(member.name)
        if member.location == "headers":
            return _from_header_prefix(member)
        shape = self._model.shape(member.shape_name)
        if shape.type == "list":
            return _from_line(member, _comma_list(scalar(shape.item)))
        return _from_line(member, scalar(shape))

    def _payload(self, member: Member) -> _Step:
        shape = self._model.shape(member.shape_name)
        if shape.type == "structure":
            return _from_xml(member, self._xml.reader(shape))
        name, is_text = member.name, shape.type == "string"

        def raw(params: Params, source: _Source) -> None:
            if source.body or not is_text:
                params[name] = source.body.decode() if is_text else source.body

        return raw


def _from_uri(name: str) -> _Step:
    def step(params: Params, source: _Source) -> None:
        params[name] = source.match.bucket if name == "Bucket" else source.match.key

    return step


def _from_header_prefix(member: Member) -> _Step:
    prefix = member.wire.lower()

    def step(params: Params, source: _Source) -> None:
        names = [name for name in source.headers if name.startswith(prefix)]
        if names:
            params[member.name] = {name[len(prefix) :]: source.headers[name] for name in names}

    return step


def _from_line(member: Member, convert: Scalar) -> _Step:
    name, wire, lower = member.name, member.wire, member.wire.lower()
    in_query = member.location == "querystring"
    missing = f"Missing required {'parameter' if in_query else 'header'} {wire}"

    def step(params: Params, source: _Source) -> None:
        text = source.match.query.get(wire) if in_query else source.headers.get(lower)
        if text is None:
            if member.required:
                raise S3Error("InvalidRequest", missing)
            return
        try:
            params[name] = convert(text)
        except UNREADABLE:
            raise S3Error("InvalidArgument", ArgumentName=wire, ArgumentValue=text) from None

    return step


def _comma_list(convert: Scalar) -> Scalar:
    return lambda text: [convert(part.strip()) for part in text.split(",")]


def _from_xml(member: Member, read: Reader) -> _Step:
    def step(params: Params, source: _Source) -> None:
        if not source.body:
            if member.required:
                raise S3Error("MissingRequestBodyError")
            return
        tree = parse_xml(source.body)
        if local_name(tree.tag) != member.wire:
            raise S3Error("MalformedXML")
        params[member.name] = read(tree)

    return step


def _whole_body(read: Reader) -> _Step:
    def step(params: Params, source: _Source) -> None:
        params.update(read(parse_xml(source.body)))

    return step
