"""Settings arrive at the engine in its units."""

from pathlib import Path

import pytest

from openlake.config import Hardware, Settings, core_config, tuned
from openlake.config.settings import ServerSettings, StoreSettings

GIB = 1 << 30


def test_units_become_bytes() -> None:
    settings = Settings(
        Path("/srv/data"),
        server=ServerSettings(listen="localhost:9000", cores=3),
        store=StoreSettings(
            inline_kib_max=64,
            journal_segment_mib=8,
            recycle_mib_max=2,
            cache_mib=5,
            buffers_mib=70,
            prefault_mib=3,
        ),
    )
    core = core_config(settings)
    assert core.listen == "127.0.0.1:9000"
    assert core.cores == 3
    assert core.inline_bytes_max == 65536
    assert core.journal_segment_bytes == 8388608
    assert core.recycle_bytes_max == 2097152
    assert core.cache_bytes == 5242880
    assert core.buffer_bytes == 73400320
    assert core.prefault_bytes == 3145728


def test_open_settings_must_be_tuned_first() -> None:
    settings = Settings(Path("data"))
    with pytest.raises(ValueError, match="not tuned"):
        core_config(settings)
    assert core_config(tuned(settings, Hardware(cores=2, memory_bytes=8 * GIB))).cores == 2
