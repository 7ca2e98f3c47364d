"""Looks at a machine and says what would keep a server from running well, with the remedy."""

from openlake.doctor.examination import examine
from openlake.doctor.finding import Finding, State

__all__ = ["Finding", "State", "examine"]
