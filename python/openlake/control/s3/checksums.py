"""Checksums as requests and answers carry them: which algorithm an upload has, values that clients
send, members of answers.
"""

import base64
import binascii
from collections.abc import Mapping
from typing import TypedDict, cast

from openlake.control.engine import Checksum, ChecksumPlan
from openlake.s3model import S3Error

# Algorithm -> bytes of a value.
VALUE_BYTES = {"CRC32": 4, "CRC32C": 4, "CRC64NVME": 8, "SHA1": 20, "SHA256": 32}
FULL_OBJECT, COMPOSITE = "FULL_OBJECT", "COMPOSITE"
# What has no linear combination of its parts' values, and what has nothing else.
ONLY_COMPOSITE = frozenset({"SHA1", "SHA256"})
ONLY_FULL_OBJECT = frozenset({"CRC64NVME"})


class ChecksumValues(TypedDict, total=False):
    """The members that parts and objects share."""

    ChecksumCRC32: str
    ChecksumCRC32C: str
    ChecksumCRC64NVME: str
    ChecksumSHA1: str
    ChecksumSHA256: str


def check_algorithm(algorithm: str) -> None:
    if algorithm not in VALUE_BYTES:
        raise S3Error(
            "InvalidRequest",
            "Checksum algorithm provided is unsupported. Please try again with any of the valid "
            f"types: [{', '.join(VALUE_BYTES)}]",
        )


def upload_plan(algorithm: str | None, kind: str | None) -> ChecksumPlan | None:
    """What a multipart object gets, from `x-amz-checksum-algorithm` and `-type`; None: that of its
    parts, which is CRC64NVME where clients send nothing.
    """
    if algorithm is None:
        if kind is not None:
            raise S3Error(
                "InvalidRequest", "x-amz-checksum-type needs x-amz-checksum-algorithm beside it"
            )
        return None
    check_algorithm(algorithm)
    if kind is None:
        kind = FULL_OBJECT if algorithm in ONLY_FULL_OBJECT else COMPOSITE
    impossible = ONLY_COMPOSITE if kind == FULL_OBJECT else ONLY_FULL_OBJECT
    if algorithm in impossible:
        raise S3Error(
            "InvalidRequest",
            f"The {kind} checksum type cannot be used with the {algorithm.lower()} checksum "
            "algorithm.",
        )
    return algorithm, kind


def checked_kind(kind: str | None) -> str | None:
    if kind not in (None, FULL_OBJECT, COMPOSITE):
        raise S3Error("InvalidRequest", "Value for x-amz-checksum-type header is invalid.")
    return kind


def sent_value(members: Mapping[str, object]) -> tuple[str, str] | None:
    """The one algorithm and value among the `Checksum…` members of a part or a request."""
    found = [
        (name.removeprefix("Checksum"), str(value))
        for name, value in members.items()
        if name.startswith("Checksum") and name != "ChecksumType"
    ]
    if len(found) > 1:
        raise S3Error("InvalidRequest", "Expecting a single x-amz-checksum- value.")
    for algorithm, _ in found:
        check_algorithm(algorithm)
    return found[0] if found else None


def part_value(members: Mapping[str, object]) -> tuple[str, str] | None:
    value = sent_value(members)
    if value is not None:
        check_value(*value)
    return value


def object_value(members: Mapping[str, object]) -> Checksum | None:
    """Of a whole object; the value of a COMPOSITE one may end with the number of its parts."""
    value = sent_value(members)
    if value is None:
        return None
    algorithm, text = value
    kind = members.get("ChecksumType")
    digest, dash, _ = text.partition("-")
    if kind is None:
        kind = COMPOSITE if dash or algorithm in ONLY_COMPOSITE else FULL_OBJECT
    if dash and kind == FULL_OBJECT:
        raise invalid_value(algorithm)
    check_value(algorithm, digest)
    return algorithm, str(kind), digest


def check_value(algorithm: str, text: str) -> None:
    try:
        value = base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        raise invalid_value(algorithm) from None
    if len(value) != VALUE_BYTES[algorithm]:
        raise invalid_value(algorithm)


def invalid_value(algorithm: str) -> S3Error:
    header = f"x-amz-checksum-{algorithm.lower()}"
    return S3Error("InvalidRequest", f"Value for {header} header is invalid.")


def set_value(answer: ChecksumValues, checksum: Checksum | None, parts_count: int = 0) -> None:
    """A COMPOSITE value of an object names the number of its parts."""
    if checksum is None:
        return
    algorithm, kind, text = checksum
    if kind == COMPOSITE and parts_count:
        text = f"{text}-{parts_count}"
    cast("dict[str, str]", answer)[f"Checksum{algorithm}"] = text
