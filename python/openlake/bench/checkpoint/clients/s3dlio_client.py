"""s3dlio, the client of the published benchmark: its streaming multipart writer and ranged GET."""

import contextlib
import os

from openlake.bench.checkpoint.clients.interface import Progress
from openlake.bench.checkpoint.content import PartSource
from openlake.bench.checkpoint.plan import JobPlan


class S3dlioClient:
    def __init__(self, plan: JobPlan) -> None:
        # Read by the library once, at its first request; a rank is a process of its own.
        os.environ["AWS_ENDPOINT_URL"] = plan.endpoint.url
        os.environ["AWS_ACCESS_KEY_ID"] = plan.endpoint.access_key
        os.environ["AWS_SECRET_ACCESS_KEY"] = plan.endpoint.secret_key
        os.environ["AWS_REGION"] = plan.endpoint.region
        os.environ["AWS_EC2_METADATA_DISABLED"] = "true"
        import s3dlio

        self.library = s3dlio
        self.bucket = plan.bucket
        self.in_flight = plan.parts_in_flight

    def save(self, source: PartSource, progress: Progress) -> None:
        writer = self.library.MultipartUploadWriter(
            self.bucket,
            source.target.key,
            part_size=source.part_bytes,
            max_in_flight=self.in_flight,
            abort_on_drop=True,
        )
        try:
            for index in range(source.count):
                start, end = source.span(index)
                # `reserve` gives the library's own memory: made there, it is not copied again.
                room = memoryview(writer.reserve(end - start)).cast("B")
                if source.held is not None:
                    room[: end - start] = source.held[start:end]
                else:
                    source.part(index, room)
                room.release()
                writer.commit(end - start)
                progress(end - start)
            writer.close()
        except BaseException:
            with contextlib.suppress(Exception):
                writer.abort()
            raise

    def read(self, key: str, start: int, into: memoryview) -> None:
        found = self.library.get_range(f"s3://{self.bucket}/{key}", start, len(into))
        view = memoryview(found).cast("B")
        if len(view) != len(into):
            raise EOFError(f"{key}: asked for {len(into)} bytes at {start}, got {len(view)}")
        into[:] = view

    def close(self) -> None:
        pass
