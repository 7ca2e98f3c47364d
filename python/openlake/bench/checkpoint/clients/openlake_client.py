"""Our own client: native below, the interpreter released, each part checked by its CRC64NVME."""

import contextlib

from openlake import Client, _core
from openlake.bench.checkpoint.clients.interface import Progress
from openlake.bench.checkpoint.clients.part_workers import send_parts
from openlake.bench.checkpoint.content import PartSource
from openlake.bench.checkpoint.plan import JobPlan
from openlake.errors import OpenLakeError


class OpenLakeClient:
    def __init__(self, plan: JobPlan) -> None:
        self.bucket = plan.bucket
        self.in_flight = plan.parts_in_flight
        endpoint = plan.endpoint
        self.client = Client(
            endpoint.url, access_key=endpoint.access_key, secret_key=endpoint.secret_key
        )

    def save(self, source: PartSource, progress: Progress) -> None:
        key = source.target.key
        upload_id = self.client.create_multipart_upload(self.bucket, key)

        def send(index: int, part: memoryview) -> _core.UploadedPart:
            progress(0)
            sent = self.client.upload_part(self.bucket, key, upload_id, index + 1, part)
            progress(len(part))
            return sent

        try:
            parts = send_parts(source, self.in_flight, send)
            self.client.complete_multipart_upload(self.bucket, key, upload_id, parts)
        except BaseException:
            with contextlib.suppress(OpenLakeError):
                self.client.abort_multipart_upload(self.bucket, key, upload_id)
            raise

    def read(self, key: str, start: int, into: memoryview) -> None:
        span = (start, start + len(into))
        count = self.client.get_object_into(self.bucket, key, into, span)
        if count != len(into):
            raise EOFError(f"{key}: asked for {len(into)} bytes at {start}, got {count}")

    def close(self) -> None:
        pass
