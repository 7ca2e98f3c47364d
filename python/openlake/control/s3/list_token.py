"""Continuation tokens: the position of the next page with a MAC over it and over what is listed, so
that only a token that this deployment issued for it is taken.
"""

import base64
import binascii
import hashlib
import hmac

from openlake.s3model import S3Error

MAC_BYTES = 16


def issue(key: bytes, scope: str, position: str) -> str:
    token = mac(key, scope, position) + position.encode()
    return base64.urlsafe_b64encode(token).decode().rstrip("=")


def read(key: bytes, scope: str, token: str) -> str:
    try:
        raw = base64.b64decode(token + "=" * (-len(token) % 4), altchars=b"-_", validate=True)
        position = raw[MAC_BYTES:].decode()
    except (binascii.Error, UnicodeError):
        raise incorrect() from None
    if not hmac.compare_digest(raw[:MAC_BYTES], mac(key, scope, position)):
        raise incorrect()
    return position


def mac(key: bytes, scope: str, position: str) -> bytes:
    message = f"{scope}\0{position}".encode()
    return hmac.digest(key, message, hashlib.sha256)[:MAC_BYTES]


def incorrect() -> S3Error:
    message = "The continuation token provided is incorrect"
    return S3Error("InvalidArgument", message, ArgumentName="continuation-token")
