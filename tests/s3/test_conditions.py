"""Conditional requests: RFC 9110 precedence on reads, atomic with the commit on writes."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

import pytest

from tests.conftest import client_of
from tests.s3.raw_http import Answer, exchange, head_bytes
from tests.s3.signing import Request, send

if TYPE_CHECKING:
    from mypy_boto3_s3.client import S3Client

    from openlake.testing import LocalServer

OTHER = '"00000000000000000000000000000000"'
LONG_AGO = "Sun, 06 Nov 1994 08:49:37 GMT"
FAR_OFF = "Fri, 01 Jan 2100 00:00:00 GMT"


@pytest.fixture
def etag(s3: S3Client, bucket: str) -> str:
    """The ETag, in quotes, of an object `k` with the body `body`."""
    return s3.put_object(Bucket=bucket, Key="k", Body=b"body")["ETag"]


def put_if(server: LocalServer, bucket: str, **headers: str) -> Answer:
    """PUT `k` with another body under conditions."""
    conditions = {name.replace("_", "-"): text for name, text in headers.items()}
    return send(server, Request("PUT", bucket, "k", conditions, body=b"new"))


def test_reads(server: LocalServer, bucket: str, etag: str) -> None:
    """CD4, CD9, CD10, CD12, RG9."""
    bare = etag.strip('"')
    for headers, status in [
        ({"If-Match": etag}, 200),
        ({"If-Match": bare}, 200),
        ({"If-Match": f"W/{etag}"}, 200),
        ({"If-Match": f"{OTHER}, {etag}"}, 200),
        ({"If-Match": "*"}, 200),
        ({"If-Match": OTHER}, 412),
        ({"If-None-Match": etag}, 304),
        ({"If-None-Match": bare}, 304),
        ({"If-None-Match": "*"}, 304),
        ({"If-None-Match": OTHER}, 200),
        ({"If-Modified-Since": FAR_OFF}, 304),
        ({"If-Modified-Since": LONG_AGO}, 200),
        ({"If-Unmodified-Since": LONG_AGO}, 412),
        ({"If-Unmodified-Since": "Sunday, 06-Nov-94 08:49:37 GMT"}, 412),
        ({"If-Unmodified-Since": "Sun Nov  6 08:49:37 1994"}, 412),
        ({"If-Unmodified-Since": "the day before"}, 200),
        ({"If-Match": etag, "If-Unmodified-Since": LONG_AGO}, 200),
        ({"If-None-Match": etag, "If-Modified-Since": LONG_AGO}, 304),
        ({"If-None-Match": OTHER, "If-Modified-Since": FAR_OFF}, 200),
        ({"If-Match": OTHER, "Range": "bytes=99-"}, 412),
    ]:
        for method in ("GET", "HEAD"):
            answer = send(server, Request(method, bucket, "k", headers))
            assert answer.status == status, (method, headers)
            if status == 304:
                assert answer.body == b""
                assert answer.headers["etag"] == etag
                assert "last-modified" in answer.headers
            if status == 412 and method == "GET":
                assert answer.code == "PreconditionFailed"


def test_writes(server: LocalServer, s3: S3Client, bucket: str, etag: str) -> None:
    """CD1, CD2: refused without a trace, or done."""
    for headers, status, code in [
        ({"If-None-Match": "*"}, 412, "PreconditionFailed"),
        ({"If-None-Match": etag}, 501, "NotImplemented"),
        ({"If-Match": OTHER}, 412, "PreconditionFailed"),
        ({"If-Match": "no etag of ours"}, 412, "PreconditionFailed"),
        ({"If-Unmodified-Since": FAR_OFF}, 501, "NotImplemented"),
    ]:
        answer = put_if(server, bucket, **headers)
        assert (answer.status, answer.code) == (status, code), headers
        assert s3.head_object(Bucket=bucket, Key="k")["ETag"] == etag
    assert put_if(server, bucket, If_Match=etag).status == 200
    assert put_if(server, bucket, If_Match="*").status == 200
    assert send(server, Request("PUT", bucket, "l", {"If-None-Match": "*"})).status == 200
    answer = send(server, Request("PUT", bucket, "m", {"If-Match": etag}))
    assert (answer.status, answer.code) == (404, "NoSuchKey")


def test_deletes(server: LocalServer, s3: S3Client, bucket: str, etag: str) -> None:
    """CD13."""
    answer = send(server, Request("DELETE", bucket, "k", {"If-Match": OTHER}))
    assert (answer.status, answer.code) == (412, "PreconditionFailed")
    assert s3.head_object(Bucket=bucket, Key="k")["ETag"] == etag
    assert send(server, Request("DELETE", bucket, "k", {"If-Match": etag})).status == 204


def test_one_of_many_creators_wins(server: LocalServer, bucket: str) -> None:
    """CD5: 16 at once over all shards; the content is the winner's."""
    answers: dict[int, int] = {}
    begin = threading.Barrier(16)

    def create(number: int) -> None:
        request = Request("PUT", bucket, "race", {"If-None-Match": "*"}, body=b"%d" % number)
        begin.wait()
        answers[number] = send(server, request).status

    creators = [threading.Thread(target=create, args=(number,)) for number in range(16)]
    for creator in creators:
        creator.start()
    for creator in creators:
        creator.join()
    winners = [number for number, status in answers.items() if status == 200]
    assert len(winners) == 1
    assert {status for status in answers.values() if status != 200} <= {409, 412}
    got = client_of(server).get_object(Bucket=bucket, Key="race")
    assert got["Body"].read() == b"%d" % winners[0]


def test_conditions_reveal_nothing(server: LocalServer, bucket: str, etag: str) -> None:
    """SEC25: without a signature every condition is the same 403."""
    host = server.endpoint.removeprefix("http://")
    for conditions in ({"If-Match": etag}, {"If-None-Match": etag}, {"If-Match": OTHER}):
        head = head_bytes("GET", f"/{bucket}/k", {"Host": host, **conditions})
        answer = exchange(server, [head])
        assert (answer.status, answer.code) == (403, "AccessDenied")
