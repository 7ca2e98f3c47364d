"""What botocore sends, routed and parsed, is what the caller of botocore passed."""

import contextlib
from email.utils import parsedate_to_datetime
from typing import Any
from urllib.parse import unquote, urlsplit

import pytest

from openlake.s3model import Match, RequestParser, Router, load
from tests.s3model.samples import Samples
from tests.s3model.stub_client import HOST, StubClient, stub_client

MODEL = load()
ROUTER = Router(MODEL, domains=(HOST,))
PARSER = RequestParser(MODEL)
RUNS = 4
# Reached by the host alone, which a server with one host cannot tell.
UNREACHABLE = {"ListDirectoryBuckets"}
OPERATIONS = sorted(
    name
    for name, operation in MODEL.operations.items()
    if operation.alias_of is None and name not in UNREACHABLE
)
# What botocore adds by itself, or turns into something else on the way.
ADDED = {
    "ContentMD5",
    "ChecksumAlgorithm",
    "EncodingType",
    "ContentLength",
    "ChecksumMode",
    "ClientToken",
    "ContentType",
    "ContentEncoding",
} | {name for name in MODEL.shape("PutObjectRequest").members if name.startswith("Checksum")}
ENCRYPTION_KEYS = {
    f"{prefix}SSECustomerKey{suffix}" for prefix in ("", "CopySource") for suffix in ("", "MD5")
}
NOT_SENT = {"ContentMD5", "ContentLength", "ContentEncoding"} | {
    name
    for name in ADDED
    if name.startswith("Checksum") and name not in ("ChecksumType", "ChecksumMode")
}


def sample(name: str, seed: str) -> dict[str, Any]:
    shape = MODEL.operations[name].input
    if shape is None:
        return {}
    params = Samples(MODEL, seed, is_answer=False).members(shape, 0.6)
    params = {key: value for key, value in params.items() if key not in NOT_SENT}
    if params.get("Key", "").startswith("/"):
        params["Key"] = "k" + params["Key"]
    return params


def seen_by_server(stub: StubClient) -> tuple[Match, dict[str, Any]]:
    request = stub.request
    assert request is not None
    url = urlsplit(request.url)
    pairs = request.headers.items()
    headers = {
        key.lower(): value.decode("latin-1") if isinstance(value, bytes) else value
        for key, value in pairs
    }
    body = request.body
    if hasattr(body, "read"):
        body = body.read()
    body = body.encode() if isinstance(body, str) else bytes(body or b"")
    target = url.path + (f"?{url.query}" if url.query else "")
    match = ROUTER.match(request.method, url.netloc, target, headers)
    return match, PARSER.parse(match, headers, body)


def comparable(params: dict[str, Any], sent: dict[str, Any]) -> dict[str, Any]:
    kept = {
        key: value
        for key, value in params.items()
        if key not in ENCRYPTION_KEYS and (key not in ADDED or key in sent)
    }
    if "CopySource" in kept:
        kept["CopySource"] = unquote(kept["CopySource"])
    return kept


@pytest.mark.parametrize("name", OPERATIONS)
def test_a_request_is_read_as_it_was_meant(name: str) -> None:
    operation = MODEL.operations[name]
    for run in range(RUNS):
        sent = sample(name, f"{name}{run}")
        stub = stub_client("path" if run % 2 else "virtual")
        stub.request, stub.reply = None, (200, {}, b"<x/>")
        call = dict(sent)
        if "Expires" in call:
            call["Expires"] = parsedate_to_datetime(call["Expires"])
        # The answer is no answer of this operation; only the request matters.
        with contextlib.suppress(Exception):
            stub.call(name, **call)
        match, got = seen_by_server(stub)
        assert match.operation.name == name
        payload = operation.input.payload if operation.input else None
        if payload and payload not in sent:
            got.pop(payload, None)
        assert comparable(got, sent) == comparable(sent, sent)
