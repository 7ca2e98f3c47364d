"""XML bodies that must not be read: bombs, wrong documents, broken ones (SEC30)."""

import pytest

from openlake.s3model import RequestParser, Router, S3Error, load

PARSER = RequestParser(load())
MATCH = Router(load()).match("PUT", "h", "/b/k?tagging", {})
DTD = '<!DOCTYPE x [<!ENTITY a "aaaa">]><Tagging><TagSet/></Tagging>'

REFUSED = {
    "dtd": DTD.encode(),
    "dtd in UTF-16": DTD.encode("utf-16"),
    "dtd in cp037": b'<?xml version="1.0" encoding="cp037"?>' + DTD.encode("cp037"),
    "wrong root": b"<Tags/>",
    "unknown element": b"<Tagging><TagSet/><X/></Tagging>",
    "element twice": b"<Tagging><TagSet/><TagSet/></Tagging>",
    "required element missing": b"<Tagging/>",
    "cut": b"<Tagging><TagSet>",
    "deep": b"<a>" * 300_000,
    "deep and closed": b"<Tagging>" + b"<a>" * 100_000 + b"</a>" * 100_000 + b"</Tagging>",
    "NUL": b"<Tagging>\0</Tagging>",
}


@pytest.mark.parametrize("body", REFUSED.values(), ids=REFUSED.keys())
def test_sec30_a_document_that_must_not_be_read_is_malformed(body: bytes) -> None:
    with pytest.raises(S3Error) as refused:
        PARSER.parse(MATCH, {}, body)
    assert refused.value.code == "MalformedXML"


def test_an_empty_body_where_one_is_required_is_refused() -> None:
    with pytest.raises(S3Error) as refused:
        PARSER.parse(MATCH, {}, b"")
    assert refused.value.code == "MissingRequestBodyError"


def test_with_and_without_namespace_a_document_is_the_same() -> None:
    plain = b"<Tagging><TagSet><Tag><Key>k</Key><Value>v</Value></Tag></TagSet></Tagging>"
    spaced = plain.replace(
        b"<Tagging>", b'<Tagging xmlns="http://s3.amazonaws.com/doc/2006-03-01/">'
    )
    expected = {"TagSet": [{"Key": "k", "Value": "v"}]}
    for body in (plain, spaced):
        assert PARSER.parse(MATCH, {}, body)["Tagging"] == expected


def test_a_number_that_is_none_is_an_invalid_argument() -> None:
    match = Router(load()).match("GET", "h", "/b?list-type=2&max-keys=abc", {})
    with pytest.raises(S3Error) as refused:
        PARSER.parse(match, {}, b"")
    assert refused.value.code == "InvalidArgument"
    assert refused.value.fields == {"ArgumentName": "max-keys", "ArgumentValue": "abc"}
