"""Which query parameters a verb knows. One that it does not know is refused by its name, with a
value or without.
"""

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
