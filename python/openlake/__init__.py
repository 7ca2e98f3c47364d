"""An S3 object store for AI: server, client and benchmarks over the Rust extension `_core`."""

from openlake.sdk import AsyncClient, Client

__all__ = ["AsyncClient", "Client", "__version__"]

__version__ = "0.1.0"
