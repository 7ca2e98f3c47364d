"""The settings as `_core.Server.start` reads them: one flat object in the engine's units."""

from dataclasses import dataclass

from openlake.config.settings import Settings

KIB = 1 << 10
MIB = 1 << 20


@dataclass(frozen=True, slots=True, kw_only=True)
class CoreConfig:
    data_dir: str
    listen: str
    region: str
    cores: int
    inline_bytes_max: int
    journal_segment_bytes: int
    cache_bytes: int
    recycle_bytes_max: int
    buffer_bytes: int
    prefault_bytes: int
    head_timeout_s: float
    idle_timeout_s: float
    body_timeout_s: float
    control_requests_max: int


def core_config(settings: Settings) -> CoreConfig:
    """From settings whose open values are filled in: see `tuned`."""
    server, store = settings.server, settings.store
    if server.cores is None or store.cache_mib is None or store.buffers_mib is None:
        raise ValueError("the settings are not tuned to the hardware yet")
    return CoreConfig(
        data_dir=str(settings.data),
        listen=str(settings.listen),
        region=server.region,
        cores=server.cores,
        inline_bytes_max=store.inline_kib_max * KIB,
        journal_segment_bytes=store.journal_segment_mib * MIB,
        cache_bytes=store.cache_mib * MIB,
        recycle_bytes_max=store.recycle_mib_max * MIB,
        buffer_bytes=store.buffers_mib * MIB,
        prefault_bytes=store.prefault_mib * MIB,
        head_timeout_s=server.head_timeout_s,
        idle_timeout_s=server.idle_timeout_s,
        body_timeout_s=server.body_timeout_s,
        control_requests_max=server.control_requests_max,
    )
