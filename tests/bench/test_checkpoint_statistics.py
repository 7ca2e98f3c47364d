"""The report's figures against arithmetic done by hand."""

import pytest

from openlake.bench.checkpoint.phase_result import PhaseResult
from openlake.bench.checkpoint.report.statistics import summarise
from openlake.bench.checkpoint.shape import GIB


def result(step: int, durations_s: list[float]) -> PhaseResult:
    return PhaseResult(
        phase="write",
        step=step,
        size_bytes=12 * GIB,
        durations_s=durations_s,
        model_durations_s=[0.5, 0.5],
        client_cpu_s=[3.0, 3.0],
        client_rss_bytes_max=[100, 200 + step],
        server_cpu_s=6.0,
        server_rss_bytes_max=1000 * step,
        compared_bytes=0,
        wrong=[],
    )


RESULTS = [result(1, [2.0, 3.0]), result(2, [4.0, 6.0])]


def test_means_are_arithmetic_over_the_checkpoints() -> None:
    summary = summarise(RESULTS)
    assert summary.rank_zero.rate_gib_s == pytest.approx((6 + 3) / 2)
    assert summary.rank_zero.duration_s == pytest.approx(3)
    assert summary.slowest_rank.rate_gib_s == pytest.approx((4 + 2) / 2)
    assert summary.slowest_rank.duration_s == pytest.approx(4.5)


def test_deviations_are_of_the_population() -> None:
    summary = summarise(RESULTS)
    assert summary.rank_zero.rate_gib_s_deviation == pytest.approx(1.5)
    assert summary.slowest_rank.duration_s_deviation == pytest.approx(1.5)


def test_total_and_last_half_are_bytes_over_time() -> None:
    summary = summarise(RESULTS)
    assert summary.total_rate_gib_s == pytest.approx(24 / 9)
    assert summary.last_half_rate_gib_s == pytest.approx(12 / 6)


def test_cpu_is_a_gib_and_memory_the_peak() -> None:
    summary = summarise(RESULTS)
    assert summary.client_cpu_s_per_gib == pytest.approx(12 / 24)
    assert summary.server_cpu_s_per_gib == pytest.approx(12 / 24)
    assert summary.client_rss_bytes_max == 202
    assert summary.server_rss_bytes_max == 2000


@pytest.mark.parametrize(("second_s", "differ"), [(2.0, False), (4.0, True)])
def test_a_mean_that_tells_another_story_is_marked(second_s: float, differ: bool) -> None:  # noqa: FBT001
    results = [result(1, [2.0, 2.0]), result(2, [second_s, second_s])]
    assert summarise(results).means_differ is differ
