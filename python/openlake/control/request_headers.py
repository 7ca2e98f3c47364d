"""Which headers a control verb knows: `x-amz-*`, `x-openlake-*`, conditions. One that it does not
know asks for something that is not there and is refused by its name; none is ever ignored.
"""

from collections.abc import Mapping

from openlake._core import Request
from openlake.s3model import Operation, S3Error

ALWAYS = frozenset(
    {
        "x-amz-content-sha256",
        "x-amz-date",
        "x-amz-request-payer",
        "x-amz-user-agent",
        "x-amz-sdk-checksum-algorithm",
    }
)
# The data plane compares them with the body of every verb.
CHECKSUM_VALUES = frozenset(
    f"x-amz-checksum-{name}" for name in ("crc32", "crc32c", "crc64nvme", "sha1", "sha256")
)
# Known to the verbs whose model has them; those judge the values.
WHERE_MODELLED = frozenset(
    {
        "x-amz-checksum-algorithm",
        "x-amz-checksum-mode",
        "x-amz-checksum-type",
        "x-amz-expected-bucket-owner",
        "if-match",
        "if-none-match",
        "if-modified-since",
        "if-unmodified-since",
    }
)
OURS = ("x-amz-", "x-openlake-")
# Headers with these beginnings mean something to a verb; bytes that are no text are left out of any
# other, which none reads.
READ = (*OURS, "cache-control", "content-", "expires", "if-")
METADATA = "x-amz-meta-"
# Values that say what is so anyway: the owner alone has access, and there is one storage class.
OWNER_ONLY = frozenset({"private", "bucket-owner-full-control"})
OBJECT_VALUES = {"x-amz-acl": OWNER_ONLY, "x-amz-storage-class": frozenset({"STANDARD"})}
# Operation -> header -> the values it may have; None: any that the model allows.
KNOWN: dict[str, Mapping[str, frozenset[str] | None]] = {
    "CreateBucket": {
        "x-amz-acl": OWNER_ONLY,
        "x-amz-object-ownership": frozenset({"BucketOwnerEnforced"}),
        "x-amz-bucket-object-lock-enabled": frozenset({"false", "False"}),
    },
    "CreateMultipartUpload": OBJECT_VALUES,
    "CompleteMultipartUpload": {"x-amz-mp-object-size": None},
    "CopyObject": {
        **OBJECT_VALUES,
        "x-amz-copy-source": None,
        "x-amz-copy-source-if-match": None,
        "x-amz-copy-source-if-none-match": None,
        "x-amz-copy-source-if-modified-since": None,
        "x-amz-copy-source-if-unmodified-since": None,
        "x-amz-source-expected-bucket-owner": None,
        "x-amz-metadata-directive": None,
        "x-amz-tagging-directive": frozenset({"COPY"}),
    },
}
WITH_METADATA = frozenset({"CreateMultipartUpload", "CopyObject"})


def header_table(request: Request) -> dict[str, str]:
    """Lines of one name are one list (RFC 9110 section 5.3)."""
    table: dict[str, str] = {}
    for name, raw in request.headers:
        try:
            value = raw.decode()
        except UnicodeDecodeError:
            if not name.startswith(READ):
                continue
            message = "A header value is not valid UTF-8"
            raise S3Error("InvalidArgument", message, ArgumentName=name) from None
        table[name] = f"{table[name]},{value}" if name in table else value
    return table


def refuse_unknown(operation: Operation, headers: Mapping[str, str]) -> None:
    if operation.method == "PUT" and "content-range" in headers:
        message = "A part of an object cannot be replaced: PUT takes no Content-Range"
        raise S3Error("InvalidRequest", message)
    payer = headers.get("x-amz-request-payer", "requester")
    if payer != "requester":
        raise S3Error("InvalidArgument", ArgumentName="x-amz-request-payer", ArgumentValue=payer)
    for name, value in headers.items():
        if not is_known(operation, name, value):
            raise S3Error(
                "NotImplemented",
                f"A header you provided implies functionality that is not implemented: {name}",
                Header=name,
            )


def is_known(operation: Operation, name: str, value: str) -> bool:
    if name in WHERE_MODELLED:
        return name in operation.header_names
    if not name.startswith(OURS) or name in ALWAYS or name in CHECKSUM_VALUES:
        return True
    if name.startswith(METADATA):
        return operation.name in WITH_METADATA
    values = KNOWN.get(operation.name, {}).get(name, frozenset())
    return values is None or value in values


def require_body_digest(operation: Operation, headers: Mapping[str, str]) -> None:
    """The data plane has checked what is there; some operations must have something (CK14)."""
    if not operation.checksum_required or "content-md5" in headers:
        return
    if CHECKSUM_VALUES.isdisjoint(headers):
        raise S3Error(
            "InvalidRequest",
            "Missing required header for this request: Content-MD5 OR x-amz-checksum-*",
        )
