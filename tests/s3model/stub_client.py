"""A botocore client whose transport keeps the request and gives the answer that a test prepared."""

import io
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any

import botocore.session
from botocore.awsrequest import AWSResponse
from botocore.config import Config

HOST = "s3.example.test"


class RawBody(io.BytesIO):
    """As urllib3's."""

    def stream(self, amount: int = 1024, **_: Any) -> Iterator[bytes]:
        while chunk := self.read(amount):
            yield chunk


@dataclass
class StubClient:
    client: Any
    # An AWSPreparedRequest, whose types say less than there is.
    request: Any = None
    reply: tuple[int, dict[str, str], bytes] = (200, {}, b"<x/>")

    def send(self, request: Any, **_: Any) -> Any:
        self.request = request
        status, headers, body = self.reply
        plain: Any = headers
        return AWSResponse(request.url, status, plain, RawBody(body))

    def call(self, operation: str, **params: Any) -> Any:
        methods = {name: method for method, name in self.client.meta.method_to_api_mapping.items()}
        return getattr(self.client, methods[operation])(**params)


@cache
def stub_client(addressing_style: str) -> StubClient:
    s3: Any = {"addressing_style": addressing_style}
    config = Config(
        s3=s3,
        retries={"max_attempts": 0},
        inject_host_prefix=False,
        request_checksum_calculation="when_required",
        response_checksum_validation="when_required",
    )
    client = botocore.session.Session().create_client(
        "s3",
        region_name="us-east-1",
        endpoint_url=f"https://{HOST}",
        aws_access_key_id="AK",
        aws_secret_access_key="SK",
        config=config,
    )
    stub = StubClient(client)
    events: Any = client.meta.events
    events.register("before-send.s3", stub.send)
    return stub
