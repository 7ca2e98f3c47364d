"""The seeded pattern, against its formula written again in Python integers."""

from hypothesis import given
from hypothesis import strategies as st

from openlake import _core

BLOCK_BYTES = 4096


def mix64(x: int) -> int:
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9 % 2**64
    x = (x ^ (x >> 27)) * 0x94D049BB133111EB % 2**64
    return x ^ (x >> 31)


def byte(seed: int, offset: int) -> int:
    key = mix64(mix64(seed ^ 0x9E3779B97F4A7C15) ^ (offset // BLOCK_BYTES))
    first, second = key % 2**32, key >> 32
    x = ((offset % BLOCK_BYTES // 4) * 0x9E3779B9 % 2**32) ^ first
    x = (x ^ (x >> 16)) * 0x21F0AAAD % 2**32 ^ second
    x = (x ^ (x >> 15)) * 0x735A2D97 % 2**32
    return (x ^ (x >> 15)) >> (8 * (offset % 4)) & 0xFF


@given(seed=st.integers(0, 2**64 - 1), offset=st.integers(0, 2**40), length=st.integers(1, 300))
def test_the_bytes_are_those_of_the_formula(seed: int, offset: int, length: int) -> None:
    buffer = bytearray(length)
    _core.pattern_fill(buffer, seed, offset)
    assert buffer == bytes(byte(seed, offset + i) for i in range(length))
    assert _core.pattern_first_difference(buffer, seed, offset) is None
    buffer[length // 2] ^= 1
    assert _core.pattern_first_difference(buffer, seed, offset) == length // 2
