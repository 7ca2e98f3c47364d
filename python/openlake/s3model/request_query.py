"""Which query parameters a verb knows. One that it does not know is refused by its name, with a
value or without; and which methods a request line might have had instead.
"""

from collections.abc import Set as AbstractSet
from urllib.parse import unquote

from openlake.s3model.model import Model
from openlake.s3model.router import HINT, IN_PLACE_OF_HEADER, Match


def unknown_parameters(match: Match) -> list[str]:
    return sorted(
        name
        for name in match.query.keys() - match.operation.query_names - {HINT}
        if not name.lower().startswith(IN_PLACE_OF_HEADER)
    )


def misread_parameters(match: Match) -> list[str]:
    """Those that belong to the operation, with a value that it does not have."""
    markers = match.operation.markers
    return sorted(name for name, value in markers.items() if value and match.query[name] != value)


def allowed_methods(model: Model, target: str, refused: AbstractSet[str]) -> str:
    """For the Allow header of a 405 (RFC 9110 section 15.5.6); `refused`: operations that are not
    there.
    """
    path, _, query = target.partition("?")
    names = {part.partition("=")[0] for part in query.split("&")}
    bucket, _, key = unquote(path, errors="replace")[1:].partition("/")
    level = "object" if key else "bucket" if bucket else "service"
    markers = model.marker_names & names
    methods = {
        operation.method
        for operation in model.operations.values()
        if operation.level == level
        and operation.markers.keys() == markers
        and operation.name not in refused
    }
    return ", ".join(sorted(methods))
