"""One request of a control verb as the verb sees it: who asks, and what may be used to answer."""

from collections.abc import Mapping
from dataclasses import dataclass

from openlake.control.engine import Engine
from openlake.control.iam import User
from openlake.control.state import State


@dataclass(frozen=True, slots=True)
class Call:
    caller: User
    engine: Engine
    state: State
    region: str
    # Where the client reached the server: scheme and authority.
    endpoint: str
    # Lower-case names; lines of one name are joined by commas.
    headers: Mapping[str, str]
    body_bytes: int
