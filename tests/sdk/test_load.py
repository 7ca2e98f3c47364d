"""The load generator and the null server from Python."""

import pytest

from openlake._core import NullServer
from openlake.errors import InvalidInputError
from openlake.sdk import ClientConfig
from openlake.sdk.load import Load, run_load


def test_a_run_against_the_null_server_counts_what_it_did() -> None:
    with NullServer(threads=1, body_bytes=1000) as server:
        config = ClientConfig(endpoint=server.endpoint, access_key="a", secret_key="b")
        load = Load(
            client=config, verb="get", bucket="bkt", connections=4, requests_max=100, duration_s=60
        )
        report = run_load(load)
    assert (report["succeeded"], report["errors"], report["bytes"]) == (100, {}, 100_000)
    assert sum(count for _, count in report["latency_ms_histogram"]) == 100
    assert report["latency_ms_p50"] <= report["latency_ms_p99"] <= report["latency_ms_max"]


def test_a_verb_that_is_none_is_refused() -> None:
    config = ClientConfig(endpoint="http://127.0.0.1:1", access_key="a", secret_key="b")
    with pytest.raises(InvalidInputError, match="multipart-put"):
        run_load(Load(client=config, verb="post", bucket="bkt"))


def test_a_null_server_closes_twice() -> None:
    server = NullServer()
    server.close()
    server.close()
