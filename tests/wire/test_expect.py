"""`Expect: 100-continue`, and the connection after an early answer."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.s3.raw_http import connect, head_bytes, read_answer
from tests.s3.signing import Request, signed_headers

if TYPE_CHECKING:
    from mypy_boto3_s3.client import S3Client

    from openlake.testing import LocalServer

CONTINUE = b"HTTP/1.1 100 Continue\r\n\r\n"


def test_an_accepted_body_is_asked_for(server: LocalServer, s3: S3Client, bucket: str) -> None:
    """100 comes before the first byte of the body."""
    request = Request("PUT", bucket, "k", {"Expect": "100-continue"}, body=b"x" * 100_000)
    with connect(server) as connection:
        connection.sendall(head_bytes("PUT", request.target, signed_headers(server, request)))
        assert connection.recv(len(CONTINUE)) == CONTINUE
        connection.sendall(request.body)
        assert read_answer(connection, "PUT").status == 200
    assert s3.get_object(Bucket=bucket, Key="k")["Body"].read() == request.body


def test_a_refused_body_is_never_asked_for(server: LocalServer, bucket: str) -> None:
    """CN1: the final status comes at once, and no 100 before it."""
    wrong_bucket = Request("PUT", "no-such-bucket-here", "k", {"Expect": "100-continue"}, body=b"x")
    headers = signed_headers(server, wrong_bucket)
    unsigned = {name: text for name, text in headers.items() if name != "Authorization"}
    for target, sent, status in [
        (wrong_bucket.target, headers, b"404"),
        (f"/{bucket}/k", unsigned, b"403"),
        (f"/{bucket}/k", headers, b"403"),
    ]:
        with connect(server) as connection:
            connection.sendall(head_bytes("PUT", target, sent))
            assert connection.recv(12) == b"HTTP/1.1 " + status


def test_the_connection_goes_on_after_a_refusal(server: LocalServer, bucket: str) -> None:
    """CN4: a small body is drained; the next request on the connection is answered."""
    refused = Request("PUT", bucket, "k", {"x-amz-checksum-crc32": "AAAAAQ=="}, body=b"x" * 1000)
    accepted = Request("PUT", bucket, "k", body=b"y" * 1000)
    with connect(server) as connection:
        for request, status in [(refused, 400), (accepted, 200), (refused, 400), (accepted, 200)]:
            head = head_bytes("PUT", request.target, signed_headers(server, request))
            connection.sendall(head + request.body)
            assert read_answer(connection, "PUT").status == status


def test_pipelined_requests_are_answered_in_order(server: LocalServer, bucket: str) -> None:
    """Several requests in one segment; each body belongs to its own request."""
    data = b""
    for number in range(5):
        request = Request("PUT", bucket, f"k{number}", body=b"%d" % number)
        data += head_bytes("PUT", request.target, signed_headers(server, request)) + request.body
        request = Request("GET", bucket, f"k{number}")
        data += head_bytes("GET", request.target, signed_headers(server, request))
    with connect(server) as connection:
        connection.sendall(data)
        received = b""
        while received.count(b"HTTP/1.1 200") < 10:
            more = connection.recv(65_536)
            assert more
            received += more
    places = [received.index(b"\r\n\r\n%d" % number) for number in range(5)]
    assert places == sorted(places)
