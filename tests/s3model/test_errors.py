"""Error documents as botocore reads them, and one table of codes on both sides of the ring."""

import re
from pathlib import Path
from typing import Any

import botocore.parsers
import pytest

from openlake.s3model import S3Error, load, render_error
from openlake.s3model.errors import TABLE

RUST_TABLE = Path(__file__).resolve().parents[2] / "crates/openlake-s3/src/error.rs"
ROW = re.compile(r'^\s+\w+ = "([^"]+)", (\d{3}),\s+"((?:[^"\\]|\\.)*)";', re.MULTILINE)


@pytest.mark.parametrize("code", sorted(TABLE.keys() - {"NotModified"}))
def test_a_client_sees_the_code(code: str) -> None:
    error = S3Error(code, "a <b> & c", BucketName="x&y")
    body = render_error(error, resource="/b/k", request_id="R1")
    response = {"status_code": error.status, "headers": {"x-amz-request-id": "R1"}, "body": body}
    parser: Any = botocore.parsers.create_parser("rest-xml")
    seen = parser.parse(response, None)
    assert seen["Error"]["Code"] == code
    assert seen["Error"]["Message"] == "a <b> & c"
    assert seen["Error"]["BucketName"] == "x&y"
    assert seen["ResponseMetadata"]["HTTPStatusCode"] == TABLE[code][0]
    assert seen["ResponseMetadata"]["RequestId"] == "R1"


def test_every_exception_of_the_model_is_in_the_table_with_its_status() -> None:
    exceptions = {
        name: shape.get("error", {}).get("httpStatusCode")
        for name, shape in load().raw["shapes"].items()
        if shape.get("exception")
    }
    assert exceptions
    for name, status in exceptions.items():
        assert name in TABLE
        assert status in (None, TABLE[name][0]), name


def test_both_sides_of_the_ring_have_the_same_table() -> None:
    rust = {
        code: (int(status), message)
        for code, status, message in ROW.findall(RUST_TABLE.read_text())
    }
    assert rust == TABLE
