"""Tuning is arithmetic on hardware facts; what was said stays."""

from pathlib import Path

import pytest

from openlake.config import Hardware, Settings, tuned
from openlake.config.settings import ServerSettings, StoreSettings

GIB = 1 << 30


def test_open_settings_follow_the_hardware() -> None:
    settings = tuned(Settings(Path("data")), Hardware(cores=12, memory_bytes=64 * GIB))
    assert settings.server.cores == 12
    assert settings.store.cache_mib == 16 * 1024
    assert settings.store.buffers_mib == 4 * 1024


def test_what_was_said_stays() -> None:
    said = Settings(
        Path("data"),
        server=ServerSettings(cores=3),
        store=StoreSettings(cache_mib=7, buffers_mib=65),
    )
    assert tuned(said, Hardware(cores=12, memory_bytes=64 * GIB)) == said


@pytest.mark.parametrize("memory_bytes", [GIB // 4, 24 * GIB, 4096 * GIB])
def test_no_machine_gives_its_memory_away(memory_bytes: int) -> None:
    store = tuned(Settings(Path("data")), Hardware(cores=1, memory_bytes=memory_bytes)).store
    assert store.cache_mib is not None
    assert store.buffers_mib is not None
    assert (store.cache_mib + store.buffers_mib) << 20 <= max(memory_bytes // 2, 192 << 20)
