"""What a caller may choose, as frozen dataclasses; `_core` reads their attributes."""

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from openlake import _core

MIB = 1 << 20
PartETag = Literal["crc64nvme", "md5"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ClientConfig:
    """Where the server is, who asks, and how long to try."""

    endpoint: str
    """`http://host:port`."""
    access_key: str = field(repr=False)
    secret_key: str = field(repr=False)
    session_token: str | None = field(default=None, repr=False)
    region: str = "us-east-1"
    connect_timeout_s: float = 5.0
    deadline_s: float = 120.0
    """For a call with all its attempts; for transfers, for each part."""
    attempts_max: int = 5
    idle_connections_max: int = 64
    part_etag: PartETag = "crc64nvme"
    """Of what OpenLake makes the ETags of parts. Their CRC64NVME is sent and verified either way;
    with it as the ETag the server need not compute MD5, the slowest step of a large write. The
    object's ETag is the MD5 of its parts' ETags, as always. Other servers ignore this."""


# Each setting of `ClientConfig` that may come from the environment: the first variable set wins.
VARIABLES = {
    "endpoint": ("OPENLAKE_ENDPOINT", "AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL"),
    "access_key": ("OPENLAKE_ACCESS_KEY", "AWS_ACCESS_KEY_ID"),
    "secret_key": ("OPENLAKE_SECRET_KEY", "AWS_SECRET_ACCESS_KEY"),
    "region": ("OPENLAKE_REGION", "AWS_REGION", "AWS_DEFAULT_REGION"),
}


def config_of(
    endpoint: str | None,
    access_key: str | None,
    secret_key: str | None,
    environment: Mapping[str, str] = os.environ,
) -> ClientConfig:
    """Arguments before environment; a missing setting is named with how to give it."""
    region = _from_environment("region", environment) or "us-east-1"
    token = None
    if access_key is None and secret_key is None and "OPENLAKE_ACCESS_KEY" not in environment:
        # A token belongs to the keys beside it, and to no others.
        token = environment.get("AWS_SESSION_TOKEN")
    return ClientConfig(
        endpoint=_needed("endpoint", endpoint, environment),
        access_key=_needed("access_key", access_key, environment),
        secret_key=_needed("secret_key", secret_key, environment),
        session_token=token,
        region=region,
    )


def _from_environment(name: str, environment: Mapping[str, str]) -> str | None:
    return next((environment[v] for v in VARIABLES[name] if environment.get(v)), None)


def _needed(name: str, given: str | None, environment: Mapping[str, str]) -> str:
    value = given or _from_environment(name, environment)
    if value is None:
        variables = " or ".join(VARIABLES[name])
        raise ValueError(f"no {name}: give it as an argument, or set {variables}")
    return value


@dataclass(frozen=True, slots=True, kw_only=True)
class PutOptions:
    """What goes along with an object's bytes, and on which condition."""

    content_type: str | None = None
    user_metadata: Mapping[str, str] = field(default_factory=dict)
    """Names without `x-amz-meta-`; stored in lower case."""
    if_none_match: bool = False
    """Only if no object has this key."""
    if_match: str | None = None
    """Only if the present object has this ETag."""

    @property
    def metadata(self) -> list[tuple[str, str]]:
        return list(self.user_metadata.items())


@dataclass(frozen=True, slots=True, kw_only=True)
class Transfer:
    """How a large object is cut, and how many pieces are under way at once."""

    part_bytes: int = 32 * MIB
    parallel: int = 4
    progress: _core.Progress | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ListOptions:
    """Which keys to list."""

    prefix: str = ""
    delimiter: str | None = None
    start_after: str | None = None
    continuation_token: str | None = None
    max_keys: int | None = None
