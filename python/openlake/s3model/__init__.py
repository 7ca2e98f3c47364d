"""S3's wire protocol read as a server from botocore's service model: route, parse, render."""

from openlake.s3model.errors import S3Error, render_error
from openlake.s3model.model import Model, Operation, load
from openlake.s3model.parse import RequestParser
from openlake.s3model.render import Renderer
from openlake.s3model.router import Match, Router

__all__ = [
    "Match",
    "Model",
    "Operation",
    "Renderer",
    "RequestParser",
    "Router",
    "S3Error",
    "load",
    "render_error",
]
