"""DeleteObjects: up to 1,000 keys, each its own success or error."""

import asyncio

from openlake._core import EngineError
from openlake.control.call import Call
from openlake.control.engine_errors import s3_error
from openlake.control.s3.conditions import write_condition
from openlake.s3model import S3Error
from openlake.s3model.types import (
    DeletedObject,
    DeleteObjectsOutput,
    DeleteObjectsRequest,
    Error,
    ObjectIdentifier,
)

KEYS_MAX = 1000
KEY_BYTES_MAX = 1024
# As many commits wait together: enough to share syncs, few enough to leave room for others.
TOGETHER_MAX = 64


async def delete_objects(call: Call, request: DeleteObjectsRequest) -> DeleteObjectsOutput:
    bucket, wanted = request["Bucket"], request["Delete"]["Objects"]
    if not 1 <= len(wanted) <= KEYS_MAX or any(not one["Key"] for one in wanted):
        raise S3Error("MalformedXML")
    refusals: list[S3Error | None] = []
    for start in range(0, len(wanted), TOGETHER_MAX):
        together = wanted[start : start + TOGETHER_MAX]
        refusals += await asyncio.gather(*(deleted(call, bucket, one) for one in together))
    results = list(zip(wanted, refusals, strict=True))
    answer: DeleteObjectsOutput = {
        "Errors": [refused(one, error) for one, error in results if error is not None]
    }
    if not request["Delete"].get("Quiet", False):
        answer["Deleted"] = [gone(one) for one, error in results if error is None]
    return answer


async def deleted(call: Call, bucket: str, wanted: ObjectIdentifier) -> S3Error | None:
    """None when the object is gone, or never was."""
    try:
        check_supported(wanted)
        if_match = write_condition(wanted.get("ETag"), None).if_match
        await call.engine.delete_object(bucket, wanted["Key"].encode(), if_match)
    except S3Error as error:
        return error
    except EngineError as error:
        return s3_error(error) or S3Error("InternalError")
    return None


def check_supported(wanted: ObjectIdentifier) -> None:
    """There are no versions: every object is the version `null`."""
    if wanted.get("VersionId", "null") != "null":
        raise S3Error("NotImplemented", "Versions are not implemented: VersionId")
    for member in ("LastModifiedTime", "Size"):
        if member in wanted:
            raise S3Error("NotImplemented", f"This condition is not implemented: {member}")
    if len(wanted["Key"].encode()) > KEY_BYTES_MAX:
        raise S3Error("KeyTooLongError")


def gone(wanted: ObjectIdentifier) -> DeletedObject:
    answer: DeletedObject = {"Key": wanted["Key"]}
    if "VersionId" in wanted:
        answer["VersionId"] = wanted["VersionId"]
    return answer


def refused(wanted: ObjectIdentifier, error: S3Error) -> Error:
    answer: Error = {"Key": wanted["Key"], "Code": error.code, "Message": error.message}
    if "VersionId" in wanted:
        answer["VersionId"] = wanted["VersionId"]
    return answer
