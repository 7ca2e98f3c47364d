"""The admin address: readiness, health and metrics, and no data of users."""

from __future__ import annotations

import urllib.error
import urllib.request
from typing import TYPE_CHECKING, Any

import pytest
from prometheus_client.parser import text_string_to_metric_families

if TYPE_CHECKING:
    from openlake.testing import LocalServer


def page(server: LocalServer, path: str) -> tuple[int, str]:
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


@pytest.mark.parametrize("path", ["/", "/metrics/../etc", "/config"])
def test_there_is_nothing_else(server: LocalServer, path: str) -> None:
    assert page(server, path)[0] == 404
