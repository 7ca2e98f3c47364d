"""What the renderer writes is what a caller of botocore sees."""

from typing import Any
from urllib.parse import unquote_plus

import pytest

from openlake.s3model import Operation, Renderer, load
from tests.s3model.samples import Samples
from tests.s3model.stub_client import stub_client

MODEL = load()
RENDERER = Renderer(MODEL)
RUNS = 4
# botocore knows one answer for both, and reads it by the newer shape.
TWINS = {"GetBucketNotification"}
# Its answer is an event stream, which is not rendered: it is refused.
EVENTS = {"SelectObjectContent"}
OPERATIONS = sorted(MODEL.operations.keys() - TWINS - EVENTS)
# Listings that botocore leaves encoded: its callers decode them.
STILL_ENCODED = {
    "ListObjects": {"Prefix"},
    "ListMultipartUploads": {"KeyMarker", "NextKeyMarker", "Prefix", "Delimiter", "Key"},
}


def sample(operation: Operation, seed: str) -> dict[str, Any]:
    if operation.output is None:
        return {}
    wanted = Samples(MODEL, seed, is_answer=True).members(operation.output, 0.7)
    payload = operation.output.payload
    if "ContentLength" in wanted:
        wanted["ContentLength"] = len(wanted.get(payload) or b"") if payload else 0
    if "EncodingType" in operation.output.members:
        wanted["EncodingType"] = "url"
    return wanted


def decoded(value: Any, names: set[str], name: str = "") -> Any:
    if isinstance(value, dict):
        return {key: decoded(inner, names, key) for key, inner in value.items()}
    if isinstance(value, list):
        return [decoded(inner, names) for inner in value]
    return unquote_plus(value) if name in names else value


def comparable(operation: Operation, answer: dict[str, Any]) -> dict[str, Any]:
    kept = {key: value for key, value in answer.items() if key != "ResponseMetadata"}
    payload = operation.output.payload if operation.output else None
    if hasattr(kept.get(str(payload)), "read"):
        kept[str(payload)] = kept[str(payload)].read()
    # Nothing and an empty thing look the same on the wire.
    for name in ("Metadata", payload, "LocationConstraint"):
        if name in kept and not kept[name]:
            del kept[name]
    if "ExpiresString" in kept:
        kept["Expires"] = kept.pop("ExpiresString")
    return kept


@pytest.mark.parametrize("name", OPERATIONS)
def test_an_answer_is_read_as_it_was_meant(name: str) -> None:
    operation = MODEL.operations[name]
    stub = stub_client("path")
    for run in range(RUNS):
        wanted = sample(operation, f"{name}{run}")
        stub.reply = RENDERER.render(operation, wanted)
        params: dict[str, Any] = {}
        if operation.input is not None:
            params = Samples(MODEL, f"{name}{run}", is_answer=False).members(operation.input, 0)
        got = stub.call(name, **params)
        assert got["ResponseMetadata"]["HTTPStatusCode"] == operation.status
        got = decoded(got, STILL_ENCODED.get(name, set()))
        assert comparable(operation, got) == comparable(operation, wanted)


def test_a_line_break_never_gets_into_a_header() -> None:
    operation = MODEL.operations["HeadBucket"]
    with pytest.raises(ValueError, match="line break"):
        RENDERER.render(operation, {"BucketRegion": "a\r\nset-cookie: b"})
