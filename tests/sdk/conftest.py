"""An SDK client of the shared server, and a bucket of the test's own."""

from __future__ import annotations

from typing import TYPE_CHECKING
from uuid import uuid4

import pytest

from openlake import Client

if TYPE_CHECKING:
    from collections.abc import Iterator

    from openlake.testing import LocalServer


@pytest.fixture(scope="session")
def client(server: LocalServer) -> Client:
    return Client(server.endpoint, access_key=server.access_key, secret_key=server.secret_key)


@pytest.fixture
def own_bucket(client: Client) -> Iterator[str]:
    name = f"sdk-{uuid4().hex[:16]}"
    client.create_bucket(name)
    yield name
    for listed in client.list_keys(name):
        client.delete_object(name, listed.key)
    client.delete_bucket(name)
