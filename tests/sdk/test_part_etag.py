"""The ETag of a part is its MD5, or what its client asked for."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from openlake import Client
from tests.s3.signing import Request, send

if TYPE_CHECKING:
    from openlake.testing import LocalServer

BODY = b"123456789"
# Catalogue of parametrised CRC algorithms, CRC-64/NVME: check value; then the length.
CRC_ETAG = "ae8b14860a799888" + "0000000000000009"
CRC = {"x-amz-checksum-crc64nvme": "rosUhgp5mIg="}


def object_etag(part_etag: str) -> str:
    return hashlib.md5(bytes.fromhex(part_etag)).hexdigest() + "-1"


@pytest.mark.parametrize(
    ("setting", "expected"),
    [("crc64nvme", CRC_ETAG), ("md5", hashlib.md5(BODY).hexdigest())],
)
def test_the_client_chooses_the_etag_of_its_parts(
    client: Client, own_bucket: str, s3: Any, setting: Any, expected: str
) -> None:
    chosen = Client(config=replace(client.config, part_etag=setting))
    upload_id = chosen.create_multipart_upload(own_bucket, "k")
    part = chosen.upload_part(own_bucket, "k", upload_id, 1, BODY)
    assert part.etag == expected
    listed = s3.list_parts(Bucket=own_bucket, Key="k", UploadId=upload_id)["Parts"][0]
    assert (listed["ETag"], listed["ChecksumCRC64NVME"]) == (f'"{expected}"', "rosUhgp5mIg=")
    outcome = chosen.complete_multipart_upload(own_bucket, "k", upload_id, [part])
    assert outcome.etag == object_etag(expected)
    assert chosen.get_object(own_bucket, "k").body == BODY


def test_an_unknown_choice_is_refused_before_anything_is_sent(client: Client) -> None:
    unknown: Any = "sha1"
    with pytest.raises(ValueError, match="give crc64nvme or md5"):
        Client(config=replace(client.config, part_etag=unknown))


@pytest.mark.parametrize(
    ("headers", "code"),
    [
        ({"x-openlake-part-etag": "crc64nvme"}, "InvalidRequest"),
        ({"x-openlake-part-etag": "none", **CRC}, "InvalidArgument"),
        ({"x-openlake-part-etag": "crc64nvme", **CRC, "content-md5": "A" * 22 + "=="}, "BadDigest"),
    ],
)
def test_a_choice_that_cannot_be_kept_is_refused(
    server: LocalServer, s3: Any, bucket: str, headers: dict[str, str], code: str
) -> None:
    upload_id = s3.create_multipart_upload(
        Bucket=bucket, Key="k", ChecksumAlgorithm="CRC64NVME", ChecksumType="FULL_OBJECT"
    )["UploadId"]
    query = f"partNumber=1&uploadId={upload_id}"
    answer = send(server, Request("PUT", bucket, "k", headers, query, BODY))
    assert (answer.status, answer.code) == (400, code)
    assert "Parts" not in s3.list_parts(Bucket=bucket, Key="k", UploadId=upload_id)


def test_a_verb_without_parts_refuses_the_header_by_its_name(
    server: LocalServer, bucket: str
) -> None:
    headers = {"x-openlake-part-etag": "crc64nvme", **CRC}
    answer = send(server, Request("PUT", bucket, "k", headers, body=BODY))
    assert (answer.status, answer.code) == (501, "NotImplemented")
    assert answer.element("Header") == "x-openlake-part-etag"
