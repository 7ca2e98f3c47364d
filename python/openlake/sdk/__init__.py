"""The Python SDK: `Client` and `AsyncClient` over the native client of `_core`."""

from openlake._core import (
    Bucket,
    GotObject,
    ListedObject,
    ListPage,
    ObjectHead,
    Progress,
    PutOutcome,
    UploadedPart,
)
from openlake.sdk.async_client import AsyncClient
from openlake.sdk.client import Client
from openlake.sdk.settings import ClientConfig, ListOptions, PutOptions, Transfer

__all__ = [
    "AsyncClient",
    "Bucket",
    "Client",
    "ClientConfig",
    "GotObject",
    "ListOptions",
    "ListPage",
    "ListedObject",
    "ObjectHead",
    "Progress",
    "PutOptions",
    "PutOutcome",
    "Transfer",
    "UploadedPart",
]
