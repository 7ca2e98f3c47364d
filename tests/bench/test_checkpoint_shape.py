"""The workload's sizes against the published figures."""

import pytest

from openlake.bench.checkpoint.shape import (
    GIB,
    MIB,
    RANKS,
    SCALES,
    ModelShape,
    halves,
    part_count,
    windows,
)

FULL = SCALES["full"].shape


def test_the_full_model_has_the_published_object_sizes() -> None:
    assert FULL.parameters == 8_030_261_248
    assert FULL.object_bytes("model") == 2_007_565_312
    assert FULL.object_bytes("optim") == 12_045_637_632


def test_a_full_checkpoint_has_the_published_size_and_parts() -> None:
    assert FULL.checkpoint_bytes() == 112_425_623_552
    assert FULL.checkpoint_bytes() / GIB == pytest.approx(104.70452, abs=5e-6)
    model, optimizer = (part_count(FULL.object_bytes(kind)) for kind in ("model", "optim"))
    assert (model, optimizer) == (60, 359)
    assert RANKS * (model + optimizer) == 3352


@pytest.mark.parametrize(
    ("layers", "vocabulary", "gib"),
    [(4, 16032, 13.09), (1, 16032, 4.56), (1, 4008, 3.27)],
)
def test_scaled_models_have_the_stated_sizes(layers: int, vocabulary: int, gib: float) -> None:
    size = ModelShape(layers=layers, vocabulary=vocabulary).checkpoint_bytes()
    assert size / GIB == pytest.approx(gib, abs=0.005)


def test_the_scales_are_the_stated_ones() -> None:
    small, eighth = SCALES["small"].shape, SCALES["eighth"].shape
    assert (small.layers, small.vocabulary) == (1, 4008)
    assert (eighth.layers, eighth.vocabulary) == (4, 16032)


def test_halves_meet_and_cover_the_object() -> None:
    assert halves(10) == ((0, 5), (5, 10))
    assert halves(11) == ((0, 6), (6, 11))


def test_reads_are_of_at_most_128_mib_and_cover_the_half() -> None:
    spans = windows(5, 300 * MIB)
    assert spans == [(5, 128 * MIB + 5), (128 * MIB + 5, 256 * MIB + 5), (256 * MIB + 5, 300 * MIB)]
