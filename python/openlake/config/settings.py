"""Every setting of the server with its type, limits and meaning; frozen once loaded.

A section of the configuration file is a dataclass here; the fields are its keys.
"""

import ipaddress
from dataclasses import dataclass, field
from pathlib import Path

PORT_MAX = 65535


@dataclass(frozen=True, slots=True)
class Address:
    host: str
    port: int

    @classmethod
    def parse(cls, text: str) -> "Address":
        """From HOST:PORT; an IPv6 host stands in brackets. ValueError says what is wrong."""
        host, colon, port = text.rpartition(":")
        if not colon or not port.isascii() or not port.isdigit() or int(port) > PORT_MAX:
            raise ValueError(f"{text!r} is not HOST:PORT with a port from 0 to 65535")
        bare = host.removeprefix("[").removesuffix("]")
        if bare == "localhost":
            bare = "127.0.0.1"
        try:
            ipaddress.ip_address(bare)
        except ValueError as error:
            raise ValueError(f"{text!r}: {host!r} is not an IP address or localhost") from error
        return cls(bare, int(port))

    @property
    def is_loopback(self) -> bool:
        return ipaddress.ip_address(self.host).is_loopback

    def __str__(self) -> str:
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{host}:{self.port}"


@dataclass(frozen=True, slots=True)
class Limits:
    """The least and greatest value that a number may have."""

    least: float
    most: float


@dataclass(frozen=True, slots=True)
class ServerSettings:
    # Where S3 is served, and where readiness, health and metrics are.
    listen: str = "127.0.0.1:9000"
    admin: str = "127.0.0.1:9001"
    region: str = "us-east-1"
    # Shards, one pinned thread each; None: as many as there are cores.
    cores: int | None = field(default=None, metadata={"limits": Limits(1, 1024)})
    # Control requests that may wait for the control plane; more are told to slow down.
    control_requests_max: int = field(default=1024, metadata={"limits": Limits(1, 65536)})
    # Time for a request head, for an idle connection, and in which 64 KiB of a body or an answer,
    # or what is left of it, must move.
    head_timeout_s: float = field(default=30.0, metadata={"limits": Limits(0.1, 3600)})
    idle_timeout_s: float = field(default=300.0, metadata={"limits": Limits(0.1, 86400)})
    body_timeout_s: float = field(default=60.0, metadata={"limits": Limits(0.1, 3600)})
    # How long SIGTERM waits for requests under way.
    drain_timeout_s: float = field(default=20.0, metadata={"limits": Limits(0, 3600)})


@dataclass(frozen=True, slots=True)
class StoreSettings:
    # Objects up to this size live in the journal.
    inline_kib_max: int = field(default=64, metadata={"limits": Limits(0, 512)})
    journal_segment_mib: int = field(default=64, metadata={"limits": Limits(1, 4096)})
    # Deleted blob files kept for re-use.
    recycle_mib_max: int = field(default=4096, metadata={"limits": Limits(0, 1 << 24)})
    # None: tuned to the memory of the machine.
    cache_mib: int | None = field(default=None, metadata={"limits": Limits(0, 1 << 24)})
    buffers_mib: int | None = field(default=None, metadata={"limits": Limits(64, 1 << 24)})
    # Memory for buffers and cache that is touched before the server is ready.
    prefault_mib: int = field(default=0, metadata={"limits": Limits(0, 1 << 24)})


@dataclass(frozen=True, slots=True)
class RootKeys:
    """The root user's keys, where the environment gives them."""

    access_key: str
    secret_key: str = field(repr=False)


@dataclass(frozen=True, slots=True)
class Settings:
    data: Path
    server: ServerSettings = field(default_factory=ServerSettings)
    store: StoreSettings = field(default_factory=StoreSettings)
    root_keys: RootKeys | None = None

    @property
    def listen(self) -> Address:
        return Address.parse(self.server.listen)

    @property
    def admin(self) -> Address:
        return Address.parse(self.server.admin)
