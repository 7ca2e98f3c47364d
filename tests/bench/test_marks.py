"""Marks are ratios within a repetition, and know which side is the good one."""

import pytest

from openlake.bench.figure import Figures
from openlake.bench.marks import Mark, marks_of

FIGURES = {
    "drive write": [1.0, 2.0, 1.0],
    "drive read": [1.0, 1.0, 1.0],
    "drive 4 KiB synced write": [1000.0, 2000.0, 4000.0],
    "null parts 2x2": [4.0, 1.0, 4.0],
    "null parts 8x2": [4.0, 4.0, 4.0],
    "null read 32 MiB": [4.0, 4.0, 4.0],
    "null get 4 KiB, 64": [100.0, 100.0, 100.0],
    "openlake parts 2x2": [0.5, 0.9, 0.8],
    "openlake parts 2x2, MD5": [0.5, 0.4, 0.3],
    "openlake parts 8x2": [0.5, 0.5, 0.5],
    "openlake parts 8x2, MD5": [0.5, 0.5, 0.5],
    "openlake read 32 MiB": [3.0, 3.0, 3.0],
    "openlake cold read 32 MiB": [0.9, 0.9, 0.9],
    "openlake put 4 KiB, 64": [7000.0, 14000.0, 4000.0],
    "openlake get 4 KiB, 64": [60.0, 60.0, 60.0],
    "openlake get 4 KiB, 64: server CPU": [0.010, 0.020, 0.012],
    "openlake put 4 KiB, 64: server CPU": [0.031, 0.031, 0.031],
}


@pytest.fixture
def marks() -> list[Mark]:
    figures = Figures()
    for name, values in FIGURES.items():
        for value in values:
            figures.add(name, "", value)
    return marks_of(figures)


def named(marks: list[Mark], start: str) -> Mark:
    return next(mark for mark in marks if mark.name.startswith(start))


def test_parts_are_held_against_the_lower_bound_of_their_own_repetition(marks: list[Mark]) -> None:
    mark = named(marks, "durable 32 MiB parts 2x2")
    # 0.5 of a drive of 1, 0.9 of a loopback of 1, 0.8 of a drive of 1.
    assert mark.value == pytest.approx(0.8)
    assert [mark.least, mark.most] == pytest.approx([0.5, 0.9])
    assert mark.reached


def test_parts_with_md5_etags_have_marks_of_their_own(marks: list[Mark]) -> None:
    name = "durable 32 MiB parts 2x2, {} as ETag, of the lower of drive, loopback"
    md5, crc = named(marks, name.format("MD5")), named(marks, name.format("CRC64NVME"))
    assert (md5.value, crc.value) == pytest.approx((0.4, 0.8))
    assert (md5.wanted, md5.reached, crc.reached) == (crc.wanted, False, True)


def test_small_writes_are_held_against_synced_writes(marks: list[Mark]) -> None:
    mark = named(marks, "durable 4 KiB PUT")
    assert mark.value == pytest.approx(7.0)
    assert mark.reached


def test_cpu_is_in_microseconds_a_request_and_less_is_better(marks: list[Mark]) -> None:
    get, put = named(marks, "server CPU a cached"), named(marks, "server CPU a durable")
    assert get.value == pytest.approx(12.0)
    assert get.reached
    assert put.value == pytest.approx(31.0)
    assert not put.reached


def test_what_is_missed_is_said(marks: list[Mark]) -> None:
    missed = {mark.name.split(", of")[0].removesuffix(", µs") for mark in marks if not mark.reached}
    assert missed == {
        "durable 32 MiB parts 2x2, MD5 as ETag",
        "durable 32 MiB parts 8x2, CRC64NVME as ETag",
        "durable 32 MiB parts 8x2, MD5 as ETag",
        "cached 4 KiB GET at 64",
        "server CPU a durable 4 KiB PUT",
    }
