"""What a test of software that talks to OpenLake needs: a server of its own."""

from openlake.testing.local_server import LocalServer, ServerDidNotStartError, free_port

__all__ = ["LocalServer", "ServerDidNotStartError", "free_port"]
