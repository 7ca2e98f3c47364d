"""`x-amz-copy-source`: a bucket and a key in one percent-encoded header."""

from dataclasses import dataclass
from urllib.parse import unquote

from openlake.s3model import S3Error

VERSION = "?versionId="
KEY_BYTES_MAX = 1024


@dataclass(frozen=True, slots=True)
class CopySource:
    bucket: str
    key: str


def copy_source(text: str) -> CopySource:
    """Decoded once; the key is taken as it then is, and nothing in it is resolved."""
    path, question, version = text.partition(VERSION)
    # There are no versions: every object is the version `null`.
    if question and version != "null":
        raise S3Error("NotImplemented", "Versions are not implemented: versionId of the source")
    try:
        decoded = unquote(path, errors="strict").removeprefix("/")
    except UnicodeDecodeError:
        raise invalid(text) from None
    bucket, _, key = decoded.partition("/")
    if not bucket or not key:
        raise invalid(text)
    if len(key.encode()) > KEY_BYTES_MAX:
        raise S3Error("KeyTooLongError")
    return CopySource(bucket, key)


def invalid(text: str) -> S3Error:
    return S3Error(
        "InvalidArgument",
        "Copy Source must mention the source bucket and key: sourcebucket/sourcekey",
        ArgumentName="x-amz-copy-source",
        ArgumentValue=text,
    )
