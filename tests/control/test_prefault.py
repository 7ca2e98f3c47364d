"""`[store] prefault_mib`: memory that is the server's before it says that it is ready."""

from __future__ import annotations

from pathlib import Path

import pytest

from openlake.testing import LocalServer, ServerDidNotStartError

CACHE_MIB = 512
BUFFERS_MIB = 128
PREFAULT_MIB = 384
KIB_A_MIB = 1024


def resident_mib(data: Path, prefault_mib: int | None) -> float:
    """VmRSS (proc(5)) of a server that is ready and has not served anything."""
    store = {"cache_mib": CACHE_MIB, "buffers_mib": BUFFERS_MIB}
    if prefault_mib is not None:
        store["prefault_mib"] = prefault_mib
    with LocalServer(data, cores=1, config={"store": store}) as server:
        status = Path(f"/proc/{server.pid}/status").read_text()
    [kib] = [line.split()[1] for line in status.splitlines() if line.startswith("VmRSS:")]
    return int(kib) / KIB_A_MIB


def test_it_is_resident_at_readiness_and_is_not_without(tmp_path: Path) -> None:
    untouched = resident_mib(tmp_path / "without", None)
    assert untouched < PREFAULT_MIB
    touched = resident_mib(tmp_path / "with", PREFAULT_MIB)
    assert touched >= PREFAULT_MIB
    # Neither the whole of cache and buffers, nor what would be touched anyway.
    assert touched < CACHE_MIB + BUFFERS_MIB
    assert touched - untouched >= 0.9 * PREFAULT_MIB


def test_more_than_there_is_touches_all_there_is(tmp_path: Path) -> None:
    resident = resident_mib(tmp_path / "data", 1 << 20)
    assert CACHE_MIB <= resident < 2 * (CACHE_MIB + BUFFERS_MIB)


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        (-1, "-1 is out of range; it may be from 0 to"),
        (1 << 25, f"{1 << 25} is out of range"),
        (1.5, "1.5 is not a whole number"),
        ("all", "'all' is not a whole number"),
    ],
)
def test_a_wrong_amount_is_refused_by_file_and_key(
    tmp_path: Path, value: object, reason: str
) -> None:
    server = LocalServer(tmp_path / "data", cores=1, config={"store": {"prefault_mib": value}})
    with pytest.raises(ServerDidNotStartError, match="ended with code 1") as caught:
        server.start()
    said = str(caught.value)
    assert "config.toml: [store] prefault_mib: " in said
    assert reason in said
    assert "Traceback" not in said
    assert not (tmp_path / "data").exists()


def test_a_wrong_variable_is_refused_by_name(tmp_path: Path) -> None:
    lots = {"OPENLAKE_STORE_PREFAULT_MIB": "lots"}
    with pytest.raises(ServerDidNotStartError, match="'lots' is not a whole number") as caught:
        LocalServer(tmp_path / "data", cores=1, env=lots).start()
    assert "OPENLAKE_STORE_PREFAULT_MIB: " in str(caught.value)
