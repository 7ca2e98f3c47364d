"""The engine's times, milliseconds since 1970, as the service model has them."""

from datetime import UTC, datetime


def moment(milliseconds: int) -> datetime:
    seconds, rest = divmod(milliseconds, 1000)
    return datetime.fromtimestamp(seconds, UTC).replace(microsecond=rest * 1000)
