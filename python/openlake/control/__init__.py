"""The control plane: every S3 verb that needs a decision, users, the admin address, and the life of
a server. Object bytes never pass through it.
"""

from openlake.control.errors import LocalSocketError, ServeError
from openlake.control.local_socket import add_user
from openlake.control.serve import Started, running, serve_until_stopped

__all__ = [
    "LocalSocketError",
    "ServeError",
    "Started",
    "add_user",
    "running",
    "serve_until_stopped",
]
