"""The command `openlake`: parses and prints, decides nothing."""

from openlake.cli.main import main

__all__ = ["main"]
