"""Who may speak: signatures in the header and in the query, made by botocore."""

from __future__ import annotations

import re
from datetime import timedelta
from typing import TYPE_CHECKING

import pytest
from botocore.credentials import Credentials
from botocore.exceptions import ClientError

from tests.s3.raw_http import exchange, head_bytes
from tests.s3.signing import (
    Request,
    own_credentials,
    presigned_target,
    send,
    signed_headers,
    signing_clock,
)

if TYPE_CHECKING:
    from mypy_boto3_s3.client import S3Client

    from openlake.testing import LocalServer

# Names that servers get wrong; each is a key of its own and comes back byte for byte.
KEYS = [
    "a+b c", "+", "100%", "%2F", "a%2Fb", "%252F", "%00", "%2e%2e/x", "%zz", "a?versionId=1", "a#b",
    "a&b=c", "a;b", "~user/x", "a'b\"c", "a\\b", "${filename}", "a=b", "a*b", " lead", "trail ",
    "two  spaces", "//two", "a//b", "a/./b", "a/../b", "a/..", "..", ".", "trail/", "nbsp\u00a0x",
    "caf\u00e9", "cafe\u0301", "\u65e5\u672c\u8a9e/\u6587", "\U0001f600", "tab\there", "line\nfeed",
]  # fmt: skip


def target_host(server: LocalServer) -> dict[str, str]:
    """The only header of a presigned request."""
    return {"Host": server.endpoint.removeprefix("http://")}


def assert_absent(s3: S3Client, bucket: str, key: str) -> None:
    """Nothing was stored."""
    with pytest.raises(ClientError) as caught:
        s3.head_object(Bucket=bucket, Key=key)
    assert caught.value.response["ResponseMetadata"]["HTTPStatusCode"] == 404


def test_keys_round_trip_with_both_carriers(server: LocalServer, bucket: str) -> None:
    """KY4, KY7, KY14, SEC14: put with a header signature, get with a presigned URL."""
    bodies = {key: f"body {number}".encode() for number, key in enumerate(KEYS)}
    for key, body in bodies.items():
        put = send(server, Request("PUT", bucket, key, body=body))
        assert put.status == 200, (key, put.body)
    for key, body in bodies.items():
        target = presigned_target(server, Request("GET", bucket, key))
        got = exchange(server, [head_bytes("GET", target, target_host(server))])
        assert (got.status, got.body) == (200, body), key


@pytest.mark.parametrize(
    ("access_key", "secret_key", "code"),
    [
        (None, "wrong" * 8, "SignatureDoesNotMatch"),
        ("NOBODY", None, "InvalidAccessKeyId"),
    ],
)
def test_a_wrong_key_stores_nothing(
    server: LocalServer, s3: S3Client, bucket: str, access_key: str | None, secret_key: str | None,
    code: str,
) -> None:  # fmt: skip
    """SEC1, in the header and in the query."""
    credentials = Credentials(access_key or server.access_key, secret_key or server.secret_key)
    answer = send(server, Request("PUT", bucket, "k", body=b"x"), credentials)
    assert (answer.status, answer.code) == (403, code)
    assert server.secret_key.encode() not in answer.body
    target = presigned_target(server, Request("PUT", bucket, "k"), credentials=credentials)
    head = head_bytes("PUT", target, {**target_host(server), "Content-Length": "1"})
    answer = exchange(server, [head, b"x"], "PUT")
    assert (answer.status, answer.code) == (403, code)
    assert_absent(s3, bucket, "k")


def test_no_signature_is_access_denied(server: LocalServer, bucket: str) -> None:
    """AU19, for a key that exists or not; request id in the header and in the document (CN13)."""
    for method in ("GET", "PUT", "DELETE"):
        headers = {**target_host(server), "Content-Length": "0"}
        answer = exchange(server, [head_bytes(method, f"/{bucket}/k", headers)], method)
        assert (answer.status, answer.code) == (403, "AccessDenied")
        assert answer.headers["content-type"] == "application/xml"
        assert answer.headers["x-amz-request-id"] == answer.element("RequestId") != ""


def test_head_refusals_have_no_body(server: LocalServer, bucket: str) -> None:
    """HD2."""
    answer = exchange(server, [head_bytes("HEAD", f"/{bucket}/k", target_host(server))], "HEAD")
    assert (answer.status, answer.body) == (403, b"")


@pytest.mark.parametrize("minutes", [-16, 16])
def test_a_clock_that_is_off_is_named(server: LocalServer, bucket: str, minutes: int) -> None:
    """AU1."""
    with signing_clock(timedelta(minutes=minutes)):
        answer = send(server, Request("GET", bucket, "k"))
    assert (answer.status, answer.code) == (403, "RequestTimeTooSkewed")
    assert answer.element("MaxAllowedSkewMilliseconds") == "900000"


def test_a_presigned_url_expires(server: LocalServer, bucket: str) -> None:
    """SEC11: good for its seconds, then 403; never for more than seven days, nor for none."""
    request = Request("GET", bucket, "k")

    def ask(target: str) -> tuple[int, str]:
        answer = exchange(server, [head_bytes("GET", target, target_host(server))])
        return answer.status, answer.code

    with signing_clock(timedelta(seconds=-100)):
        assert ask(presigned_target(server, request, expires_s=120)) == (404, "NoSuchKey")
        assert ask(presigned_target(server, request, expires_s=60)) == (403, "AccessDenied")
    with signing_clock(timedelta(minutes=20)):
        assert ask(presigned_target(server, request)) == (403, "AccessDenied")
    for expires_s in (604_801, 0, -1):
        refused = (400, "AuthorizationQueryParametersError")
        assert ask(presigned_target(server, request, expires_s=expires_s)) == refused


def test_nothing_that_was_signed_may_change(server: LocalServer, bucket: str) -> None:
    """Method, key, query and a signed header, each altered after signing."""
    request = Request("GET", bucket, "k", headers={"X-Amz-Meta-A": "1"}, query="prefix=a")
    headers = signed_headers(server, request)
    target = request.target
    for method, altered, more in [
        ("DELETE", target, {}),
        ("GET", target.replace("/k", "/l"), {}),
        ("GET", target.replace("=a", "=b"), {}),
        ("GET", target + "&delimiter=/", {}),
        ("GET", target, {"X-Amz-Meta-A": "2"}),
        ("GET", target, {"Host": "elsewhere"}),
    ]:
        answer = exchange(server, [head_bytes(method, altered, {**headers, **more})], method)
        assert (answer.status, answer.code) == (403, "SignatureDoesNotMatch"), (method, altered)


def test_an_x_amz_header_that_is_not_signed_is_refused(server: LocalServer, bucket: str) -> None:
    """SEC9."""
    request = Request("PUT", bucket, "k", body=b"x")
    headers = {**signed_headers(server, request), "x-amz-acl": "public-read"}
    answer = exchange(server, [head_bytes("PUT", request.target, headers), b"x"], "PUT")
    assert (answer.status, answer.code) == (403, "AccessDenied")


def test_the_host_must_be_signed(server: LocalServer, bucket: str) -> None:
    """SEC10."""
    request = Request("GET", bucket, "k")
    headers = signed_headers(server, request)
    headers["Authorization"] = headers["Authorization"].replace("host;", "")
    answer = exchange(server, [head_bytes("GET", request.target, headers)])
    assert (answer.status, answer.code) == (403, "AccessDenied")


def test_one_mechanism_only(server: LocalServer, bucket: str) -> None:
    """SEC8."""
    target = presigned_target(server, Request("GET", bucket, "k"))
    headers = signed_headers(server, Request("GET", bucket, "k"))
    answer = exchange(server, [head_bytes("GET", target, headers)])
    assert (answer.status, answer.code) == (400, "InvalidArgument")


@pytest.mark.parametrize(
    ("pattern", "text", "code"),
    [
        (r"AWS4-HMAC-SHA256 .*", "AWS key:signature", "InvalidRequest"),
        (r"AWS4-HMAC-SHA256", "Bearer", "InvalidArgument"),
        (r"us-east-1", "mars-1", "AuthorizationHeaderMalformed"),
        (r"/s3/", "/ec2/", "AuthorizationHeaderMalformed"),
        (r"aws4_request", "aws5_request", "AuthorizationHeaderMalformed"),
        (r"/\d{8}/", "/20130524/", "AuthorizationHeaderMalformed"),
        (r"Credential=", "Credentials=", "AuthorizationHeaderMalformed"),
        (r", Signature=.*", "", "AuthorizationHeaderMalformed"),
    ],
)
def test_malformed_authorization(
    server: LocalServer, bucket: str, pattern: str, text: str, code: str
) -> None:
    """AU3, AU4, SEC12."""
    request = Request("GET", bucket, "k")
    headers = signed_headers(server, request)
    headers["Authorization"] = re.sub(pattern, text, headers["Authorization"])
    answer = exchange(server, [head_bytes("GET", request.target, headers)])
    assert (answer.status, answer.code) == (400, code)


def test_a_session_token_is_refused(server: LocalServer, bucket: str) -> None:
    """There are no temporary credentials in this release."""
    own = own_credentials(server)
    credentials = Credentials(own.access_key, own.secret_key, "token")
    answer = send(server, Request("GET", bucket, "k"), credentials)
    assert (answer.status, answer.code) == (400, "InvalidToken")
