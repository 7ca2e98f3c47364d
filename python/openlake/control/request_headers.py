"""Which `x-amz-*` headers a control verb knows. One that it does not know asks for something that
is not there and is refused by its name; none is ever ignored.
"""

from collections.abc import Mapping

from openlake._core import Request
from openlake.s3model import Operation, S3Error

ALWAYS = frozenset(
    {
        "x-amz-content-sha256",
        "x-amz-date",
        "x-amz-expected-bucket-owner",
        "x-amz-request-payer",
        "x-amz-user-agent",
        "x-amz-sdk-checksum-algorithm",
    }
)
CHECKSUM = "x-amz-checksum-"
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
            message = "A header value is not valid UTF-8"
            raise S3Error("InvalidArgument", message, ArgumentName=name) from None
        table[name] = f"{table[name]},{value}" if name in table else value
    return table


def refuse_unknown(operation: Operation, headers: Mapping[str, str]) -> None:
    known = KNOWN.get(operation.name, {})
    for name, value in headers.items():
        if not name.startswith("x-amz-") or name in ALWAYS or name.startswith(CHECKSUM):
            continue
        if name.startswith(METADATA) and operation.name in WITH_METADATA:
            continue
        values = known.get(name, frozenset())
        if values is not None and value not in values:
            raise S3Error(
                "NotImplemented",
                f"A header you provided implies functionality that is not implemented: {name}",
                Header=name,
            )


def require_body_digest(operation: Operation, headers: Mapping[str, str]) -> None:
    """The data plane has checked what is there; some operations must have something (CK14)."""
    if not operation.checksum_required or "content-md5" in headers:
        return
    others = {"x-amz-checksum-type", "x-amz-checksum-algorithm", "x-amz-checksum-mode"}
    if not any(name.startswith(CHECKSUM) and name not in others for name in headers):
        raise S3Error(
            "InvalidRequest",
            "Missing required header for this request: Content-MD5 OR x-amz-checksum-*",
        )
