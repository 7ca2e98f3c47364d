"""What the engine's errors are called in S3: the one place where they are mapped."""

from openlake._core import EngineError
from openlake.s3model import S3Error

CODES = {
    "NoSuchBucket": "NoSuchBucket",
    "BucketExists": "BucketAlreadyExists",
    "BucketNotEmpty": "BucketNotEmpty",
    "NoSuchKey": "NoSuchKey",
    "NoSuchPart": "InvalidPartNumber",
    "NoSuchUpload": "NoSuchUpload",
    "InvalidPart": "InvalidPart",
    "InvalidPartOrder": "InvalidPartOrder",
    "PartTooSmall": "EntityTooSmall",
    "NoParts": "MalformedXML",
    "SizeMismatch": "InvalidRequest",
    "ChecksumMismatch": "BadDigest",
    "ChecksumAlgorithmMismatch": "InvalidRequest",
    "ChecksumKindMismatch": "InvalidRequest",
    "PreconditionFailed": "PreconditionFailed",
    "OutOfSpace": "InsufficientStorage",
    "TooBusy": "SlowDown",
    "ShuttingDown": "ServiceUnavailable",
}
# Their messages say what the client did; those of the others are the code's own.
TOLD = frozenset(
    {
        "SizeMismatch",
        "ChecksumAlgorithmMismatch",
        "ChecksumKindMismatch",
        "PartTooSmall",
        "InvalidPart",
    }
)
# Details as the elements in which AWS gives them.
ELEMENTS = {"part_number": "PartNumber", "size_bytes": "ProposedSize"}


def s3_error(error: EngineError) -> S3Error | None:
    """None for a failure inside, which is for the log and an InternalError for the client."""
    code = CODES.get(error.kind)
    if code is None:
        return None
    message = str(error.args[1]) if error.kind in TOLD else None
    fields = {ELEMENTS[name]: text for name, text in error.details.items() if name in ELEMENTS}
    return S3Error(code, message, **fields)
