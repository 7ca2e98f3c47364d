"""CompleteMultipartUpload: the parts that the client names become the object, or the upload stays
as it was.
"""

from itertools import pairwise
from urllib.parse import quote

from openlake.control.call import Call
from openlake.control.engine import CompleteRequest
from openlake.control.s3.checksums import (
    checked_kind,
    object_value,
    part_value,
    set_value,
)
from openlake.control.s3.conditions import bare_etag, write_condition
from openlake.control.s3.multipart import checked_upload_id
from openlake.s3model import S3Error
from openlake.s3model.types import (
    CompletedPart,
    CompleteMultipartUploadOutput,
    CompleteMultipartUploadRequest,
)

PART_NUMBER_MAX = 10_000
Part = tuple[int, str, tuple[str, str] | None]


async def complete_multipart_upload(
    call: Call, request: CompleteMultipartUploadRequest
) -> CompleteMultipartUploadOutput:
    bucket, key = request["Bucket"], request["Key"]
    condition = write_condition(request.get("IfMatch"), request.get("IfNoneMatch"))
    completed = await call.engine.complete_multipart_upload(
        CompleteRequest(
            bucket=bucket,
            key=key.encode(),
            upload_id=checked_upload_id(request["UploadId"]),
            parts=named_parts(request.get("MultipartUpload", {}).get("Parts", [])),
            if_match=condition.if_match,
            if_none_match=condition.if_none_match,
            checksum=object_value(request),
            checksum_kind=checked_kind(request.get("ChecksumType")),
            size_bytes=expected_size(request),
        )
    )
    answer: CompleteMultipartUploadOutput = {
        "Location": f"{call.endpoint}/{bucket}/{quote(key)}",
        "Bucket": bucket,
        "Key": key,
        "ETag": f'"{completed.etag}"',
    }
    set_value(answer, completed.checksum, completed.parts_count)
    if completed.checksum is not None:
        answer["ChecksumType"] = completed.checksum[1]
    return answer


def expected_size(request: CompleteMultipartUploadRequest) -> int | None:
    size_bytes = request.get("MpuObjectSize")
    if size_bytes is not None and size_bytes < 0:
        raise S3Error("InvalidRequest", "Value for x-amz-mp-object-size header is invalid.")
    return size_bytes


def named_parts(parts: list[CompletedPart]) -> list[Part]:
    """In the order that the client gives, which has to be that of their numbers."""
    if not parts or len(parts) > PART_NUMBER_MAX:
        raise S3Error("MalformedXML")
    named = [named_part(part) for part in parts]
    numbers = [number for number, _, _ in named]
    if any(later <= earlier for earlier, later in pairwise(numbers)):
        raise S3Error("InvalidPartOrder")
    return named


def named_part(part: CompletedPart) -> Part:
    if "PartNumber" not in part or "ETag" not in part:
        raise S3Error("MalformedXML")
    number = part["PartNumber"]
    if not 1 <= number <= PART_NUMBER_MAX:
        message = f"Part number must be an integer between 1 and {PART_NUMBER_MAX}, inclusive"
        raise S3Error("InvalidArgument", message, ArgumentName="partNumber")
    etag = bare_etag(part["ETag"])
    if etag is None:
        raise S3Error("InvalidPart", PartNumber=str(number), ETag=part["ETag"])
    return number, etag, part_value(part)
