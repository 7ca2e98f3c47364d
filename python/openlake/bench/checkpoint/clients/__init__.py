"""The S3 clients that the job can run with, behind one small interface."""

from openlake.bench.checkpoint.clients.choice import connect
from openlake.bench.checkpoint.clients.interface import ObjectClient, Progress, StoppedError

__all__ = ["ObjectClient", "Progress", "StoppedError", "connect"]
