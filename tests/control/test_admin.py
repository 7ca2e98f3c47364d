"""The admin address: readiness, health and metrics, and no data of users."""

from __future__ import annotations

import asyncio
import urllib.error
import urllib.request
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, cast

import pytest
from prometheus_client.parser import text_string_to_metric_families

from openlake.config import Address
from openlake.control.admin import AdminSite, ControlMetrics

if TYPE_CHECKING:
    from openlake.control.engine import Engine
    from openlake.testing import LocalServer


def page(server: LocalServer | SimpleNamespace, path: str) -> tuple[int, str]:
    try:
        with urllib.request.urlopen(f"{server.admin}{path}", timeout=30) as answer:  # noqa: S310
            return answer.status, answer.read().decode()
    except urllib.error.HTTPError as error:
        with error:
            return error.code, error.read().decode()


@pytest.mark.parametrize("path", ["/healthz", "/readyz"])
def test_a_running_server_is_healthy_and_ready(server: LocalServer, path: str) -> None:
    assert page(server, path)[0] == 200


def samples(server: LocalServer) -> dict[str, float]:
    status, text = page(server, "/metrics")
    assert status == 200
    return {
        f"{sample.name}{sorted(sample.labels.items())}": sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
    }


def test_metrics_count_what_was_done(server: LocalServer, s3: Any, bucket: str) -> None:
    name = "openlake_control_requests_total[('operation', 'HeadBucket'), ('status', '200')]"
    before = samples(server)
    for _ in range(3):
        s3.head_bucket(Bucket=bucket)
    s3.put_object(Bucket=bucket, Key="k", Body=b"1")
    after = samples(server)
    assert after[name] - before.get(name, 0) == 3
    assert after["openlake_objects[]"] - before["openlake_objects[]"] == 1
    grown = after["openlake_journal_commits_total[]"] - before["openlake_journal_commits_total[]"]
    assert grown >= 1


def test_sec29_nothing_of_users_is_shown(server: LocalServer, s3: Any, bucket: str) -> None:
    s3.put_object(Bucket=bucket, Key="a-key-nobody-sees", Body=b"1")
    text = page(server, "/metrics")[1]
    for secret in (bucket, "a-key-nobody-sees", server.access_key, server.secret_key):
        assert secret not in text


class PoisonedEngine:
    async def metrics(self) -> dict[str, int]:
        return {"journals_poisoned": 1}


def test_a_server_that_cannot_store_is_not_ready() -> None:
    async def readiness() -> tuple[int, str]:
        site = AdminSite(Address("127.0.0.1", 0), ControlMetrics())
        await site.start()
        site.ready = True
        site.engine = cast("Engine", PoisonedEngine())
        try:
            return await asyncio.to_thread(page, SimpleNamespace(admin=site.endpoint), "/readyz")
        finally:
            await site.stop()

    status, text = asyncio.run(readiness())
    assert status == 503
    assert "drive" in text


@pytest.mark.parametrize("path", ["/", "/metrics/../etc", "/config"])
def test_there_is_nothing_else(server: LocalServer, path: str) -> None:
    assert page(server, path)[0] == 404
