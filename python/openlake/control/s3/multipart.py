"""Multipart uploads begun and given up."""

import re

from openlake.control.call import Call
from openlake.control.s3.checksums import upload_plan
from openlake.control.s3.object_attributes import object_attributes
from openlake.s3model import S3Error
from openlake.s3model.types import (
    AbortMultipartUploadOutput,
    AbortMultipartUploadRequest,
    CreateMultipartUploadOutput,
    CreateMultipartUploadRequest,
)

UPLOAD_ID = re.compile(r"[0-9a-f]{32}")


def checked_upload_id(text: str) -> str:
    """An id that cannot be ours names no upload."""
    if not UPLOAD_ID.fullmatch(text):
        raise S3Error("NoSuchUpload", UploadId=text)
    return text


async def create_multipart_upload(
    call: Call, request: CreateMultipartUploadRequest
) -> CreateMultipartUploadOutput:
    bucket, key = request["Bucket"], request["Key"]
    plan = upload_plan(request.get("ChecksumAlgorithm"), request.get("ChecksumType"))
    attributes = object_attributes(call.headers)
    upload_id = await call.engine.create_multipart_upload(bucket, key.encode(), attributes, plan)
    answer: CreateMultipartUploadOutput = {"Bucket": bucket, "Key": key, "UploadId": upload_id}
    if plan is not None:
        answer["ChecksumAlgorithm"], answer["ChecksumType"] = plan
    return answer


async def abort_multipart_upload(
    call: Call, request: AbortMultipartUploadRequest
) -> AbortMultipartUploadOutput:
    upload_id = checked_upload_id(request["UploadId"])
    await call.engine.abort_multipart_upload(request["Bucket"], request["Key"].encode(), upload_id)
    return {}
