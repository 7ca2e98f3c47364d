"""The headers of a request that stay with the object it makes: content headers and user metadata,
verbatim.
"""

from collections.abc import Mapping

from openlake._core import ObjectAttributes
from openlake.s3model import S3Error

METADATA = "x-amz-meta-"
METADATA_BYTES_MAX = 2048


def object_attributes(headers: Mapping[str, str]) -> ObjectAttributes:
    return ObjectAttributes(
        content_type=headers.get("content-type"),
        content_encoding=without_aws_chunked(headers.get("content-encoding")),
        content_language=headers.get("content-language"),
        content_disposition=headers.get("content-disposition"),
        cache_control=headers.get("cache-control"),
        expires=headers.get("expires"),
        user_metadata=user_metadata(headers),
    )


def user_metadata(headers: Mapping[str, str]) -> list[tuple[str, str]]:
    metadata = [
        (name.removeprefix(METADATA), value)
        for name, value in headers.items()
        if name.startswith(METADATA)
    ]
    size_bytes = sum(len(name.encode()) + len(value.encode()) for name, value in metadata)
    if size_bytes > METADATA_BYTES_MAX:
        raise S3Error(
            "MetadataTooLarge", Size=str(size_bytes), MaxSizeAllowed=str(METADATA_BYTES_MAX)
        )
    return metadata


def without_aws_chunked(encoding: str | None) -> str | None:
    """That one coding is of the transfer, not of the object."""
    if encoding is None:
        return None
    codings = [coding.strip() for coding in encoding.split(",")]
    return ",".join(coding for coding in codings if coding.lower() != "aws-chunked") or None
