"""The servers of a comparison: those that run already, beside one of ours and the null server."""

import os
from dataclasses import dataclass
from urllib.parse import urlsplit

from openlake.bench.scenario import Subject
from openlake.sdk.settings import ClientConfig


class EndpointError(ValueError):
    """What was given names no endpoint; the message says how to."""


@dataclass(frozen=True, slots=True)
class Named:
    """An endpoint that is compared, and its process where CPU is to be counted."""

    name: str
    client: ClientConfig
    pid: int | None

    def subject(self) -> Subject:
        return Subject(self.name, self.client, self.pid)


def endpoint_named(text: str) -> Named:
    """`NAME=http://[ACCESS:SECRET@]HOST:PORT[#PID]`; keys from AWS_… variables where none are."""
    name, _, url = text.partition("=")
    parts = urlsplit(url)
    if not name or parts.scheme != "http" or not parts.hostname or parts.path not in ("", "/"):
        raise EndpointError(f"{text!r}: write NAME=http://ACCESS:SECRET@HOST:PORT#PID")
    access = parts.username or os.environ.get("AWS_ACCESS_KEY_ID")
    secret = parts.password or os.environ.get("AWS_SECRET_ACCESS_KEY")
    if not access or not secret:
        raise EndpointError(f"{name}: no keys; put them into the URL or into AWS_… variables")
    if parts.fragment and not parts.fragment.isdigit():
        raise EndpointError(f"{name}: {parts.fragment!r} is not the number of a process")
    host = parts.netloc.rpartition("@")[2]
    # Other servers know only MD5 for a part, and ours is asked for the same.
    client = ClientConfig(
        endpoint=f"http://{host}", access_key=access, secret_key=secret, part_etag="md5"
    )
    return Named(name, client, int(parts.fragment) if parts.fragment else None)
