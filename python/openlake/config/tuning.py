"""From hardware facts to the settings left open: pure, so that it can be tested for any machine."""

from dataclasses import replace

from openlake.config.hardware import Hardware
from openlake.config.settings import Settings

MIB = 1 << 20

# The shares of memory that a server takes where nothing is said: the rest is its clients'.
CACHE_SHARE = 4
BUFFERS_SHARE = 16
CACHE_MIB_LEAST = 64
BUFFERS_MIB_LEAST = 128
# Buffers are for bytes in flight: past this more of them only wait.
BUFFERS_MIB_MOST = 4096


def tuned(settings: Settings, hardware: Hardware) -> Settings:
    """Fill in what was left open; what was said stays."""
    memory_mib = hardware.memory_bytes // MIB
    server, store = settings.server, settings.store
    if server.cores is None:
        server = replace(server, cores=max(1, hardware.cores))
    if store.cache_mib is None:
        store = replace(store, cache_mib=max(CACHE_MIB_LEAST, memory_mib // CACHE_SHARE))
    if store.buffers_mib is None:
        share = min(memory_mib // BUFFERS_SHARE, BUFFERS_MIB_MOST)
        store = replace(store, buffers_mib=max(BUFFERS_MIB_LEAST, share))
    return replace(settings, server=server, store=store)
