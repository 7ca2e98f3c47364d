"""Settings as the data plane reads them: the one object that crosses to Rust."""

from dataclasses import dataclass

from openlake.config import Settings

KIB, MIB = 1 << 10, 1 << 20
# More wait than this only when Python cannot keep up; the clients are told to slow down.
CONTROL_REQUESTS_MAX = 4096


@dataclass(frozen=True, slots=True)
class CoreConfig:
    data_dir: str
    listen: str
    # 0: all.
    cores: int
    region: str
    inline_bytes_max: int
    journal_segment_bytes: int
    cache_bytes: int
    recycle_bytes_max: int
    buffer_bytes: int
    head_timeout_s: float
    idle_timeout_s: float
    body_timeout_s: float
    connections_max: int
    control_requests_max: int = CONTROL_REQUESTS_MAX


def core_config(settings: Settings) -> CoreConfig:
    """From settings that were tuned: nothing is left open."""
    server, store = settings.server, settings.store
    if store.cache_mib is None or store.buffers_mib is None:
        raise ValueError("cache_mib and buffers_mib are open: call openlake.config.tuned first")
    return CoreConfig(
        data_dir=str(settings.data),
        listen=str(settings.listen),
        cores=server.cores or 0,
        region=server.region,
        inline_bytes_max=store.inline_kib_max * KIB,
        journal_segment_bytes=store.journal_segment_mib * MIB,
        cache_bytes=store.cache_mib * MIB,
        recycle_bytes_max=store.recycle_mib_max * MIB,
        buffer_bytes=store.buffers_mib * MIB,
        head_timeout_s=server.head_timeout_s,
        idle_timeout_s=server.idle_timeout_s,
        body_timeout_s=server.body_timeout_s,
        connections_max=server.connections_max,
    )
