"""CopyObject: the engine makes the copy, its bytes never leave the server."""

from openlake._core import EngineObject
from openlake.control.call import Call
from openlake.control.engine import CopyRequest
from openlake.control.iam.access import check_bucket
from openlake.control.s3.checksums import set_value
from openlake.control.s3.conditions import SourceConditions, write_condition
from openlake.control.s3.copy_source import CopySource, copy_source
from openlake.control.s3.moment import moment
from openlake.control.s3.object_attributes import object_attributes
from openlake.s3model import S3Error
from openlake.s3model.types import CopyObjectOutput, CopyObjectRequest, CopyObjectResult

SOURCE_BYTES_MAX = 5 << 30
REPLACE = "REPLACE"


async def copy_object(call: Call, request: CopyObjectRequest) -> CopyObjectOutput:
    if call.body_bytes:
        raise S3Error("InvalidRequest", "CopyObject has no request body")
    source = copy_source(request["CopySource"])
    owner = request.get("ExpectedSourceBucketOwner")
    check_bucket(call.state, call.caller, source.bucket, owner)
    refuse_no_change(request, source)
    conditions = source_conditions(request)
    info = await call.engine.head_object(source.bucket, source.key.encode())
    conditions.check(info)
    check_source(request, info)
    copied = await call.engine.copy_object(engine_request(call, request, source, info, conditions))
    return {"CopyObjectResult": result(copied)}


def refuse_no_change(request: CopyObjectRequest, source: CopySource) -> None:
    is_self = (source.bucket, source.key) == (request["Bucket"], request["Key"])
    if is_self and request.get("MetadataDirective") != REPLACE:
        raise S3Error(
            "InvalidRequest",
            "This copy request is illegal because it is trying to copy an object to itself without "
            "changing the object's metadata, storage class, website redirect location or "
            "encryption attributes.",
        )


def source_conditions(request: CopyObjectRequest) -> SourceConditions:
    return SourceConditions(
        if_match=request.get("CopySourceIfMatch"),
        if_none_match=request.get("CopySourceIfNoneMatch"),
        if_modified_since=request.get("CopySourceIfModifiedSince"),
        if_unmodified_since=request.get("CopySourceIfUnmodifiedSince"),
    )


def check_source(request: CopyObjectRequest, info: EngineObject) -> None:
    if info.size_bytes > SOURCE_BYTES_MAX:
        raise S3Error(
            "InvalidRequest",
            "The specified copy source is larger than the maximum allowable size for a copy "
            f"source: {SOURCE_BYTES_MAX}",
        )
    algorithm = request.get("ChecksumAlgorithm")
    if algorithm is not None and (info.checksum is None or info.checksum[0] != algorithm):
        raise S3Error(
            "NotImplemented",
            "A copy keeps the checksum of its source; x-amz-checksum-algorithm asks for another",
            Header="x-amz-checksum-algorithm",
        )


def engine_request(
    call: Call,
    request: CopyObjectRequest,
    source: CopySource,
    info: EngineObject,
    conditions: SourceConditions,
) -> CopyRequest:
    replaces = request.get("MetadataDirective") == REPLACE
    condition = write_condition(request.get("IfMatch"), request.get("IfNoneMatch"))
    return CopyRequest(
        source_bucket=source.bucket,
        source_key=source.key.encode(),
        # What the conditions were judged by has to be what is copied.
        source_etag=info.etag if conditions.are_any() else None,
        bucket=request["Bucket"],
        key=request["Key"].encode(),
        attributes=object_attributes(call.headers) if replaces else None,
        if_match=condition.if_match,
        if_none_match=condition.if_none_match,
    )


def result(copied: EngineObject) -> CopyObjectResult:
    answer: CopyObjectResult = {
        "ETag": f'"{copied.etag}"',
        "LastModified": moment(copied.last_modified_ms),
    }
    set_value(answer, copied.checksum, copied.parts_count)
    if copied.checksum is not None:
        answer["ChecksumType"] = copied.checksum[1]
    return answer
