"""Values of the model as XML text; one compiled writer a shape and tag."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from openlake.s3model.model import XSI, Model, Shape
from openlake.s3model.text import escape, text_of, url_encode

Emit = Callable[[str], None]
Writer = Callable[[Any, Emit], None]

# With EncodingType=url these string shapes are percent-encoded wherever they occur in a listing.
URL_ENCODED = frozenset(
    {
        "ObjectKey",
        "Prefix",
        "Delimiter",
        "Marker",
        "NextMarker",
        "KeyMarker",
        "NextKeyMarker",
        "StartAfter",
    }
)


class XmlWriters:
    """Writers of one encoding: `url` for listings with EncodingType=url."""

    def __init__(self, model: Model, *, url: bool) -> None:
        """Nothing is compiled before it is asked for."""
        self._model = model
        self._url = url
        self._writers: dict[tuple[str, str], Writer] = {}

    def writer(self, shape: Shape, tag: str) -> Writer:
        """How a value becomes an element; an empty tag writes the children only."""
        key = (shape.name, tag)
        if key not in self._writers:
            # Ties recursive shapes: looked up again when it runs.
            self._writers[key] = lambda value, emit: self._writers[key](value, emit)  # noqa: PLW0108
            self._writers[key] = self._build(shape, tag)
        return self._writers[key]

    def _build(self, shape: Shape, tag: str) -> Writer:
        if shape.type == "structure":
            return self._structure(shape, tag)
        if shape.type == "list":
            return _list_writer(tag, self.writer(shape.item, shape.item_wire))
        if shape.type == "map":
            parts = (shape.raw[part]["shape"] for part in ("key", "value"))
            key, value = (
                self.writer(self._model.shape(name), part)
                for name, part in zip(parts, ("key", "value"), strict=True)
            )
            return _map_writer(tag, key, value)
        return _scalar_writer(tag, self._text(shape))

    def _text(self, shape: Shape) -> Callable[[Any], str]:
        if shape.type != "string":
            return text_of(shape, "iso8601")
        if self._url and shape.name in URL_ENCODED:
            return url_encode
        return str if shape.enum else escape

    def _structure(self, shape: Shape, tag: str) -> Writer:
        fields: list[tuple[str, Writer, bool]] = []
        attributes: list[tuple[str, str]] = []
        for member in shape.members.values():
            if member.location:
                continue
            if member.attribute:
                attributes.append((member.name, member.wire))
                continue
            target = self._model.shape(member.shape_name)
            source = target.item if member.flattened else target
            fields.append((member.name, self.writer(source, member.wire), member.flattened))
        write_children = _children_writer(fields)
        if not tag:
            return write_children
        start = f'{tag} xmlns:xsi="{XSI}"' if shape.xsi else tag
        return _element_writer(start, tag, attributes, write_children)


def _children_writer(fields: list[tuple[str, Writer, bool]]) -> Writer:
    def write(value: Mapping[str, Any], emit: Emit) -> None:
        for name, write_field, flattened in fields:
            inner = value.get(name)
            if inner is None:
                continue
            for item in inner if flattened else (inner,):
                write_field(item, emit)

    return write


def _element_writer(
    start: str, tag: str, attributes: list[tuple[str, str]], write_children: Writer
) -> Writer:
    def write(value: Mapping[str, Any], emit: Emit) -> None:
        pairs = [f' {wire}="{escape(value[name])}"' for name, wire in attributes if name in value]
        emit(f"<{start}{''.join(pairs)}>")
        write_children(value, emit)
        emit(f"</{tag}>")

    return write


def _list_writer(tag: str, item: Writer) -> Writer:
    def write(values: Any, emit: Emit) -> None:
        emit(f"<{tag}>")
        for value in values:
            item(value, emit)
        emit(f"</{tag}>")

    return write


def _map_writer(tag: str, key: Writer, value: Writer) -> Writer:
    def write(pairs: Mapping[str, Any], emit: Emit) -> None:
        emit(f"<{tag}>")
        for name, text in pairs.items():
            emit("<entry>")
            key(name, emit)
            value(text, emit)
            emit("</entry>")
        emit(f"</{tag}>")

    return write


def _scalar_writer(tag: str, to_text: Callable[[Any], str]) -> Writer:
    def write(value: Any, emit: Emit) -> None:
        emit(f"<{tag}>{to_text(value)}</{tag}>")

    return write
