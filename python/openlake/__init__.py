"""An S3 object store for AI: server, client and benchmarks over the Rust extension `_core`."""

__version__ = "0.1.0"
