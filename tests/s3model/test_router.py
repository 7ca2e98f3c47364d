"""Request lines that other servers took for something else."""

import pytest

from openlake.s3model import Router, S3Error, load

ROUTER = Router(load(), domains=("s3.example.test",))
HOST = "s3.example.test"


def routed(method: str, target: str, headers: dict[str, str] | None = None) -> str:
    try:
        return ROUTER.match(method, HOST, target, headers or {}).operation.name
    except S3Error as error:
        return error.code


@pytest.mark.parametrize(
    ("method", "target", "expected"),
    [
        ("PUT", "/b/k?unknown", "NotImplemented"),
        ("GET", "/b/k?unknown", "NotImplemented"),
        ("PUT", "/b/k?unknown=1", "NotImplemented"),
        ("GET", "/b/k?foo=1", "GetObject"),
        ("GET", "/b/k?x-trace=1", "GetObject"),
        ("DELETE", "/b?foo", "NotImplemented"),
        ("DELETE", "/b/k?versions", "NotImplemented"),
        ("GET", "/b?acl&policy", "NotImplemented"),
        ("PUT", "/b/k?acl&tagging", "NotImplemented"),
        ("PUT", "/b/k?uploadId=1", "NotImplemented"),
        ("PUT", "/b/k?partNumber=1", "NotImplemented"),
        ("PUT", "/b/k?partNumber=1&uploadId=2", "UploadPart"),
        ("PUT", "/b/k?x-id=DeleteObject", "PutObject"),
        ("POST", "/b", "MethodNotAllowed"),
        ("POST", "/", "MethodNotAllowed"),
        ("PATCH", "/b/k", "MethodNotAllowed"),
        ("OPTIONS", "/b/k", "MethodNotAllowed"),
        ("GET", "/b?list-type=3", "InvalidArgument"),
        ("GET", "/b?list-type=2&prefix=a", "ListObjectsV2"),
        ("DELETE", "/", "MethodNotAllowed"),
        ("PUT", "/b?acl=", "PutBucketAcl"),
        ("GET", "/b/%ff", "InvalidURI"),
        ("GET", "//k", "InvalidBucketName"),
        ("GET", "//", "ListBuckets"),
        ("HEAD", "/b/k?acl", "MethodNotAllowed"),
        ("PUT", "/b/k?append", "NotImplemented"),
        ("GET", "/b?uploads&id=3", "ListMultipartUploads"),
        ("GET", "/b/k?versionId=1&versionId=2", "InvalidArgument"),
    ],
)
def test_xm10_a_request_line_is_understood_or_refused(
    method: str, target: str, expected: str
) -> None:
    assert routed(method, target) == expected


def test_copies_are_told_by_their_header() -> None:
    source = {"x-amz-copy-source": "a/b"}
    assert routed("PUT", "/b/k", source) == "CopyObject"
    assert routed("PUT", "/b/k?partNumber=1&uploadId=2", source) == "UploadPartCopy"


def test_au17_the_host_may_name_the_bucket() -> None:
    match = ROUTER.match("GET", "bk.s3.example.test:9000", "/WriteGetObjectResponse", {})
    assert (match.bucket, match.key) == ("bk", "WriteGetObjectResponse")
    match = ROUTER.match("GET", "BK.S3.example.test", "/a/b?tagging", {})
    assert (match.bucket, match.key, match.operation.name) == ("bk", "a/b", "GetObjectTagging")


@pytest.mark.parametrize(
    ("target", "key"),
    [
        ("/b/%2525", "%25"),
        ("/b%2Fk", "k"),
        ("/b/a%2Fb", "a/b"),
        ("/b//a/../b/", "/a/../b/"),
        ("/b/a+b%20c", "a+b c"),
        ("/b/e%CC%81", "e\u0301"),
        ("/b/%C3%A9", "\u00e9"),
    ],
)
def test_ky_a_key_is_decoded_once_and_never_resolved(target: str, key: str) -> None:
    match = ROUTER.match("GET", HOST, target, {})
    assert (match.bucket, match.key) == ("b", key)


def test_no_two_operations_of_the_model_share_a_request_line() -> None:
    for name, operation in load().operations.items():
        if operation.alias_of is None and name != "ListDirectoryBuckets":
            path = {"service": "/", "bucket": "/b", "object": "/b/k"}.get(
                operation.level, operation.level
            )
            query = [f"{key}={value}" for key, value in operation.markers.items()]
            query += [f"{key}=1" for kind, key in operation.discriminators if kind == "query"]
            headers = {key: "x/y" for kind, key in operation.discriminators if kind == "header"}
            target = f"{path}?{'&'.join(query)}" if query else path
            assert routed(operation.method, target, headers) == name
