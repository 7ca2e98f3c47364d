"""XML bodies as values of the model: no entities, nothing unknown, nothing twice."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any
from xml.etree import ElementTree as ET

from openlake.s3model.errors import S3Error
from openlake.s3model.model import Model, Shape
from openlake.s3model.scalars import UNREADABLE, scalar

Reader = Callable[[ET.Element], Any]


class _NoDoctype(ET.TreeBuilder):
    """A tree builder that refuses any DTD, so no entity can ever be declared."""

    def doctype(self, _name: str, _pubid: str | None, _system: str | None) -> None:
        """Refuse."""
        raise S3Error("MalformedXML")


def parse_xml(body: bytes) -> ET.Element:
    """Parse a document, or raise MalformedXML."""
    parser = ET.XMLParser(target=_NoDoctype())  # noqa: S314 (no DTD passes)
    try:
        parser.feed(body)
        return parser.close()
    except (ET.ParseError, ValueError, LookupError):
        raise S3Error("MalformedXML") from None


def local_name(tag: str) -> str:
    """Drop the namespace."""
    return tag.rpartition("}")[2]


class XmlReaders:
    """One compiled reader a shape; a request then only runs closures."""

    def __init__(self, model: Model) -> None:
        self._model = model
        self._readers: dict[str, Reader] = {}

    def reader(self, shape: Shape) -> Reader:
        """How an element becomes a value of the shape."""
        if shape.name not in self._readers:
            # Ties recursive shapes: looked up again when it runs, so it is no needless lambda.
            self._readers[shape.name] = lambda e: self._readers[shape.name](e)  # noqa: PLW0108
            self._readers[shape.name] = self._build(shape)
        return self._readers[shape.name]

    def _build(self, shape: Shape) -> Reader:
        if shape.type == "structure":
            return self._structure(shape)
        if shape.type == "list":
            item, wire = self.reader(shape.item), shape.item_wire

            def read_list(e: ET.Element) -> list[Any]:
                if any(local_name(child.tag) != wire for child in e):
                    raise S3Error("MalformedXML")
                return [item(child) for child in e]

            return read_list
        convert = scalar(shape)

        def read_scalar(e: ET.Element) -> Any:
            try:
                return convert(e.text or "")
            except UNREADABLE:
                raise S3Error("MalformedXML") from None

        return read_scalar

    def _structure(self, shape: Shape) -> Reader:
        children: dict[str, _Child] = {}
        attributes: dict[str, str] = {}
        for member in shape.members.values():
            if member.location:
                continue
            target = self._model.shape(member.shape_name)
            if member.attribute:
                attributes[member.wire.rpartition(":")[2]] = member.name
            else:
                reader = self.reader(target.item if member.flattened else target)
                children[member.wire] = _Child(member.name, reader, member.flattened)
        required = [m.name for m in shape.members.values() if m.required and not m.location]

        def read(e: ET.Element) -> dict[str, Any]:
            out: dict[str, Any] = {
                attributes[local_name(key)]: value
                for key, value in e.attrib.items()
                if local_name(key) in attributes
            }
            for child in e:
                _read_child(child, children, out)
            if any(name not in out for name in required):
                raise S3Error("MalformedXML")
            return out

        return read


@dataclass(frozen=True, slots=True)
class _Child:
    name: str
    read: Reader
    flattened: bool


def _read_child(element: ET.Element, children: dict[str, _Child], out: dict[str, Any]) -> None:
    """Never ignores what the client asked for: an unknown or repeated element is an error."""
    child = children.get(element.tag) or children.get(local_name(element.tag))
    if child is None or (child.name in out and not child.flattened):
        raise S3Error("MalformedXML")
    value = child.read(element)
    if child.flattened:
        out.setdefault(child.name, []).append(value)
    else:
        out[child.name] = value
