"""Write `docs/reference/s3.md`: where each S3 operation is answered, from the registry itself."""

from __future__ import annotations

from pathlib import Path

from openlake.control.refused import REFUSED
from openlake.control.registry import CONTROL, HOT

TARGET = Path(__file__).parent.parent / "docs/reference/s3.md"
HEAD = """# S3 operations
Made by `scripts/generate_s3_reference.py` from the registry that the server dispatches by; a test
compares the two.

- **hot**: answered by the data plane from start to end; a busy interpreter does not slow it.
- **control**: signature and body are checked by the data plane, the decision is Python's.
- **refused**: 501 `NotImplemented` that names the operation. A header or parameter that asks for
  what is not there is refused the same way, by its name; nothing is ignored. So is a condition
  (`If-Match` and its kind) that the operation does not have, and `Content-Range` of a PUT is 400.
  `Range` and `If-Range` of a method other than GET and HEAD have no meaning, and RFC 9110 (section
  14.2) has a server ignore them.

ETags are AWS's: the MD5 of an object put in one piece, and of a multipart object the MD5 of its
parts' ETags with `-N`. A part's is its MD5 too, unless its client sends `x-amz-checksum-crc64nvme`
and asks for `x-openlake-part-etag: crc64nvme`: then it is that CRC and the length, and no MD5 is
computed. `openlake.Client` asks for it (`ClientConfig(part_etag="md5")` does not).

The head of a request, from its request line to the empty line, may have 16 KiB and 128 headers (AWS
takes 8 KiB). A larger one is 400 `RequestHeaderSectionTooLarge`, be it by its target or by its
headers, before it is read to its end, and the connection is closed.

| operation | answered |
|---|---|
"""


def text() -> str:
    """The whole page; the same for the same registry."""
    places = ((HOT, "hot"), (CONTROL, "control"), (REFUSED, "refused"))
    rows = sorted((name, place) for names, place in places for name in names)
    return HEAD + "".join(f"| {name} | {place} |\n" for name, place in rows)


if __name__ == "__main__":
    TARGET.parent.mkdir(exist_ok=True)
    TARGET.write_text(text(), encoding="utf-8")
