"""What of multipart uploads is there: the parts of one, and the open uploads of a bucket."""

from openlake._core import Part as EnginePart
from openlake._core import Upload
from openlake.control.call import Call
from openlake.control.engine import ListUploadsRequest
from openlake.control.s3.checksums import set_value
from openlake.control.s3.moment import moment
from openlake.control.s3.multipart import UPLOAD_ID, checked_upload_id
from openlake.s3model import S3Error
from openlake.s3model.types import (
    ListMultipartUploadsOutput,
    ListMultipartUploadsRequest,
    ListPartsOutput,
    ListPartsRequest,
    MultipartUpload,
    Owner,
    Part,
)

PAGE_MAX = 1000
PART_NUMBER_MAX = 10_000
NUMBER_MAX = (1 << 31) - 1


def page_size(name: str, wanted: int | None) -> int:
    return min(PAGE_MAX, checked_number(name, PAGE_MAX if wanted is None else wanted))


def checked_number(name: str, number: int) -> int:
    if not 0 <= number <= NUMBER_MAX:
        message = f"Argument {name} must be an integer between 0 and {NUMBER_MAX}"
        raise S3Error("InvalidArgument", message, ArgumentName=name, ArgumentValue=str(number))
    return number


def bucket_owner(call: Call, bucket: str) -> Owner:
    """Who owns the bucket owns what is in it."""
    known = call.state.buckets.get(bucket)
    owner_id = known.owner_id if known else call.caller.user_id
    owner = call.state.users.by_id(owner_id)
    return {"ID": owner_id, "DisplayName": owner.name if owner else owner_id}


async def list_parts(call: Call, request: ListPartsRequest) -> ListPartsOutput:
    bucket, key = request["Bucket"], request["Key"]
    upload_id = checked_upload_id(request["UploadId"])
    size = page_size("max-parts", request.get("MaxParts"))
    marker = checked_number("part-number-marker", int(request.get("PartNumberMarker", 0)))
    # The engine is asked for one part more than none, to learn of the upload.
    page = await call.engine.list_parts(
        bucket, key.encode(), upload_id, min(marker, PART_NUMBER_MAX), max(size, 1)
    )
    parts = page.parts[:size] if marker < PART_NUMBER_MAX else []
    owner = bucket_owner(call, bucket)
    answer: ListPartsOutput = {
        "Bucket": bucket,
        "Key": key,
        "UploadId": upload_id,
        "PartNumberMarker": marker,
        "NextPartNumberMarker": parts[-1].number if parts else 0,
        "MaxParts": size,
        "IsTruncated": page.is_truncated and bool(parts),
        "Parts": [listed_part(part) for part in parts],
        "Initiator": {"ID": owner["ID"], "DisplayName": owner["DisplayName"]},
        "Owner": owner,
        "StorageClass": "STANDARD",
    }
    if page.checksum is not None:
        answer["ChecksumAlgorithm"], answer["ChecksumType"] = page.checksum
    return answer


def listed_part(part: EnginePart) -> Part:
    listed: Part = {
        "PartNumber": part.number,
        "LastModified": moment(part.last_modified_ms),
        "ETag": f'"{part.etag}"',
        "Size": part.size_bytes,
    }
    set_value(listed, part.checksum)
    return listed


async def list_multipart_uploads(
    call: Call, request: ListMultipartUploadsRequest
) -> ListMultipartUploadsOutput:
    size = page_size("max-uploads", request.get("MaxUploads"))
    answer = echoed(request, size)
    if size == 0:
        return answer
    page = await call.engine.list_multipart_uploads(asked_uploads(request, size))
    owner = bucket_owner(call, request["Bucket"])
    answer["IsTruncated"] = page.is_truncated
    answer["Uploads"] = [listed_upload(upload, owner) for upload in page.uploads]
    answer["CommonPrefixes"] = [{"Prefix": prefix.decode()} for prefix in page.common_prefixes]
    if page.next_key_marker is not None:
        answer["NextKeyMarker"] = page.next_key_marker.decode()
        answer["NextUploadIdMarker"] = page.next_upload_id_marker or ""
    return answer


def echoed(request: ListMultipartUploadsRequest, size: int) -> ListMultipartUploadsOutput:
    """What S3 repeats of the request."""
    answer: ListMultipartUploadsOutput = {
        "Bucket": request["Bucket"],
        "KeyMarker": request.get("KeyMarker", ""),
        "UploadIdMarker": request.get("UploadIdMarker", ""),
        "Prefix": request.get("Prefix", ""),
        "MaxUploads": size,
        "IsTruncated": False,
    }
    if request.get("Delimiter"):
        answer["Delimiter"] = request["Delimiter"]
    if "EncodingType" in request:
        answer["EncodingType"] = request["EncodingType"]
    return answer


def asked_uploads(request: ListMultipartUploadsRequest, size: int) -> ListUploadsRequest:
    key_marker = request.get("KeyMarker") or None
    # Alone it says nothing: S3 ignores it.
    upload_id_marker = (request.get("UploadIdMarker") or None) if key_marker else None
    if upload_id_marker is not None and not UPLOAD_ID.fullmatch(upload_id_marker):
        raise S3Error(
            "InvalidArgument",
            "Invalid uploadId marker",
            ArgumentName="upload-id-marker",
            ArgumentValue=upload_id_marker,
        )
    delimiter = request.get("Delimiter") or None
    return ListUploadsRequest(
        bucket=request["Bucket"],
        prefix=request.get("Prefix", "").encode(),
        delimiter=delimiter.encode() if delimiter else None,
        key_marker=key_marker.encode() if key_marker else None,
        upload_id_marker=upload_id_marker,
        max_uploads=size,
    )


def listed_upload(upload: Upload, owner: Owner) -> MultipartUpload:
    listed: MultipartUpload = {
        "UploadId": upload.upload_id,
        "Key": upload.key.decode(),
        "Initiated": moment(upload.initiated_ms),
        "StorageClass": "STANDARD",
        "Owner": owner,
        "Initiator": {"ID": owner["ID"], "DisplayName": owner["DisplayName"]},
    }
    if upload.checksum is not None:
        listed["ChecksumAlgorithm"], listed["ChecksumType"] = upload.checksum
    return listed
