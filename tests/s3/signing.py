"""Requests signed by botocore, and chunks signed after it: independent of the server's code."""

from __future__ import annotations

import hashlib
import hmac
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING
from unittest.mock import patch
from urllib.parse import quote

from botocore.auth import S3SigV4Auth, S3SigV4QueryAuth
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials

from tests.s3.raw_http import Answer, exchange, head_bytes

if TYPE_CHECKING:
    from collections.abc import Iterator

    from openlake.testing import LocalServer

REGION = "us-east-1"
EMPTY_SHA256 = hashlib.sha256(b"").hexdigest()


@dataclass
class Request:
    """A request to be signed; `key` is a raw key, quoted here as S3 wants it."""

    method: str
    bucket: str
    key: str
    headers: dict[str, str] = field(default_factory=dict)
    query: str = ""
    body: bytes = b""
    payload_hash: str | None = None

    @property
    def target(self) -> str:
        """Path and query on the request line."""
        return f"/{self.bucket}/{quote(self.key, safe='/~')}" + (self.query and f"?{self.query}")


@contextmanager
def signing_clock(offset: timedelta) -> Iterator[None]:
    """Let botocore sign as if its clock were off."""
    now = datetime.now(UTC).replace(tzinfo=None) + offset
    with patch("botocore.auth.get_current_datetime", lambda *_, **__: now):
        yield


def signed_headers(
    server: LocalServer, request: Request, credentials: Credentials | None = None
) -> dict[str, str]:
    """All headers of the request, with the Authorization of botocore."""
    payload_hash = request.payload_hash or hashlib.sha256(request.body).hexdigest()
    host = server.endpoint.removeprefix("http://")
    headers = {"Host": host, "X-Amz-Content-SHA256": payload_hash, **request.headers}
    aws = AWSRequest(request.method, server.endpoint + request.target, headers=headers)
    aws.context["signing"] = {}
    aws.context["payload_signing_enabled"] = False
    signer = S3SigV4Auth(credentials or own_credentials(server), "s3", REGION)
    with patch.object(signer, "payload", lambda _: payload_hash):
        signer.add_auth(aws)
    lengths = {} if "Transfer-Encoding" in headers else {"Content-Length": str(len(request.body))}
    return {**lengths, **dict(aws.headers.items())}


def presigned_target(
    server: LocalServer,
    request: Request,
    expires_s: int = 60,
    credentials: Credentials | None = None,
) -> str:
    """Path and query of a presigned URL."""
    aws = AWSRequest(request.method, server.endpoint + request.target, headers=request.headers)
    signer = S3SigV4QueryAuth(
        credentials or own_credentials(server), "s3", REGION, expires=expires_s
    )
    signer.add_auth(aws)
    return str(aws.url).removeprefix(server.endpoint)


def own_credentials(server: LocalServer) -> Credentials:
    """The root key of the server."""
    return Credentials(server.access_key, server.secret_key)


def send(server: LocalServer, request: Request, credentials: Credentials | None = None) -> Answer:
    """Sign in the header, send, and read the answer."""
    head = head_bytes(request.method, request.target, signed_headers(server, request, credentials))
    return exchange(server, [head, request.body], request.method)


@dataclass
class ChunkSigner:
    """The chain of signatures of "Transferring payload in multiple chunks"."""

    secret: str
    date: str
    previous: str

    @classmethod
    def after(cls, server: LocalServer, headers: dict[str, str]) -> ChunkSigner:
        """Continue the chain that the Authorization header begins."""
        signature = headers["Authorization"].rpartition("Signature=")[2]
        return cls(server.secret_key, headers["X-Amz-Date"], signature)

    def _sign(self, kind: str, *digests: str) -> str:
        scope = f"{self.date[:8]}/{REGION}/s3/aws4_request"
        text = "\n".join([f"AWS4-HMAC-SHA256-{kind}", self.date, scope, self.previous, *digests])
        key = f"AWS4{self.secret}".encode()
        for part in (self.date[:8], REGION, "s3", "aws4_request", text):
            key = hmac.digest(key, part.encode(), "sha256")
        self.previous = key.hex()
        return self.previous

    def chunk(self, payload: bytes) -> bytes:
        """A chunk with its framing; an empty one is the last, and has no line end after it."""
        signature = self._sign("PAYLOAD", EMPTY_SHA256, hashlib.sha256(payload).hexdigest())
        line = f"{len(payload):x};chunk-signature={signature}\r\n".encode()
        return line + (payload + b"\r\n" if payload else b"")

    def trailer(self, name: str, value: str) -> bytes:
        """The trailer block, signed."""
        digest = hashlib.sha256(f"{name}:{value}\n".encode()).hexdigest()
        signature = self._sign("TRAILER", digest)
        return f"{name}:{value}\r\nx-amz-trailer-signature:{signature}\r\n\r\n".encode()
