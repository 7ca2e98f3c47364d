"""Makes room before a run: deletes what an earlier run left, and checks that the rest suffices."""

import shutil
import urllib.request
from pathlib import Path
from typing import TYPE_CHECKING

import boto3
from botocore.config import Config
from botocore.exceptions import ClientError

from openlake.bench.checkpoint.plan import FOLDER, Endpoint, JobPlan
from openlake.bench.checkpoint.shape import GIB
from openlake.testing import LocalServer

if TYPE_CHECKING:
    from mypy_boto3_s3 import S3Client

# Journals, checksums, and files that are preallocated before they are full.
OVERHEAD_BYTES = 1 * GIB
OVERHEAD_SHARE = 50


class NotEnoughRoomError(Exception):
    """Says what the run needs and what there is."""


def client_of(endpoint: Endpoint) -> "S3Client":
    return boto3.client(
        "s3",
        endpoint_url=endpoint.url,
        aws_access_key_id=endpoint.access_key,
        aws_secret_access_key=endpoint.secret_key,
        region_name=endpoint.region,
        config=Config(s3={"addressing_style": "path"}),
    )


def needed_bytes(plan: JobPlan) -> int:
    stored = plan.checkpoints * plan.checkpoint_bytes
    return stored + stored // OVERHEAD_SHARE + OVERHEAD_BYTES


def make_room(plan: JobPlan, server: LocalServer | None) -> None:
    """The bucket exists and is empty afterwards; the space of the job's own server suffices."""
    client = client_of(plan.endpoint)
    try:
        client.create_bucket(Bucket=plan.bucket)
    except ClientError as error:
        if error.response["Error"]["Code"] != "BucketAlreadyOwnedByYou":
            raise
    left = leftovers(client, plan.bucket)
    uploads = open_uploads(client, plan.bucket)
    if server is not None:
        # What is deleted can be written again; the file system does not show it as free.
        deleted = sum(left.values()) + sum(
            parts_bytes(client, plan.bucket, key, upload) for key, upload in uploads
        )
        free = shutil.disk_usage(server.data_dir).free + free_files_bytes(server)
        require_room(plan, server.data_dir, free + deleted)
    for key in left:
        client.delete_object(Bucket=plan.bucket, Key=key)
    for key, upload in uploads:
        client.abort_multipart_upload(Bucket=plan.bucket, Key=key, UploadId=upload)


def require_room(plan: JobPlan, data_dir: Path, available_bytes: int) -> None:
    needed = needed_bytes(plan)
    if available_bytes < needed:
        raise NotEnoughRoomError(
            f"{plan.checkpoints} checkpoints at scale {plan.scale} need {needed / GIB:.1f} GiB in "
            f"{data_dir}, where {available_bytes / GIB:.1f} GiB are free: free some, or choose a "
            "smaller SCALE or CHECKPOINTS, or another DATA directory"
        )


def free_files_bytes(server: LocalServer) -> int:
    """Files without a blob, which the server keeps and writes again."""
    with urllib.request.urlopen(f"{server.admin}/metrics", timeout=10) as page:  # noqa: S310
        figures = dict(line.rsplit(" ", 1) for line in page.read().decode().splitlines())
    return int(float(figures["openlake_blob_files_free_bytes"]))


def leftovers(client: "S3Client", bucket: str) -> dict[str, int]:
    """Key → size of the objects of earlier runs."""
    pages = client.get_paginator("list_objects_v2").paginate(Bucket=bucket, Prefix=f"{FOLDER}/")
    return {found["Key"]: found["Size"] for page in pages for found in page.get("Contents", ())}


def open_uploads(client: "S3Client", bucket: str) -> list[tuple[str, str]]:
    """Key and id of the uploads that an earlier run was killed in."""
    pages = client.get_paginator("list_multipart_uploads").paginate(
        Bucket=bucket, Prefix=f"{FOLDER}/"
    )
    return [
        (found["Key"], found["UploadId"]) for page in pages for found in page.get("Uploads", ())
    ]


def parts_bytes(client: "S3Client", bucket: str, key: str, upload: str) -> int:
    pages = client.get_paginator("list_parts").paginate(Bucket=bucket, Key=key, UploadId=upload)
    return sum(part["Size"] for page in pages for part in page.get("Parts", ()))
