"""boto3 as a user has it by default (checksums included), parts from threads."""

import contextlib
import io
from typing import cast

import boto3
from botocore.config import Config
from botocore.exceptions import BotoCoreError, ClientError

from openlake.bench.checkpoint.clients.interface import Progress
from openlake.bench.checkpoint.clients.part_workers import send_parts
from openlake.bench.checkpoint.content import PartSource
from openlake.bench.checkpoint.plan import JobPlan


class Boto3Client:
    def __init__(self, plan: JobPlan) -> None:
        self.bucket = plan.bucket
        self.in_flight = plan.parts_in_flight
        self.client = boto3.client(
            "s3",
            endpoint_url=plan.endpoint.url,
            aws_access_key_id=plan.endpoint.access_key,
            aws_secret_access_key=plan.endpoint.secret_key,
            region_name=plan.endpoint.region,
            config=Config(max_pool_connections=self.in_flight + 2, s3={"addressing_style": "path"}),
        )

    def save(self, source: PartSource, progress: Progress) -> None:
        key = source.target.key
        created = self.client.create_multipart_upload(Bucket=self.bucket, Key=key)
        upload_id = created["UploadId"]

        def send(index: int, part: memoryview) -> str:
            progress(0)
            answer = self.client.upload_part(
                Bucket=self.bucket,
                Key=key,
                UploadId=upload_id,
                PartNumber=index + 1,
                Body=io.BytesIO(part),
            )
            progress(len(part))
            return answer["ETag"]

        try:
            etags = send_parts(source, self.in_flight, send)
            self.client.complete_multipart_upload(
                Bucket=self.bucket,
                Key=key,
                UploadId=upload_id,
                MultipartUpload={
                    "Parts": [
                        {"PartNumber": number, "ETag": etag}
                        for number, etag in enumerate(etags, start=1)
                    ]
                },
            )
        except BaseException:
            with contextlib.suppress(ClientError, BotoCoreError):
                self.client.abort_multipart_upload(Bucket=self.bucket, Key=key, UploadId=upload_id)
            raise

    def read(self, key: str, start: int, into: memoryview) -> None:
        last = start + len(into) - 1
        answer = self.client.get_object(Bucket=self.bucket, Key=key, Range=f"bytes={start}-{last}")
        with contextlib.closing(answer["Body"]) as body:
            stream = cast("io.RawIOBase", body)
            filled = 0
            while filled < len(into):
                count = stream.readinto(into[filled:])
                if not count:
                    raise EOFError(f"{key}: the answer ended {len(into) - filled} bytes early")
                filled += count

    def close(self) -> None:
        self.client.close()
