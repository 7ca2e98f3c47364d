"""Make `python/openlake/s3model/s3.json.gz` from the installed botocore, without its prose."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import botocore

PROSE = ("documentation", "documentationUrl")
TARGET = Path(__file__).parent.parent / "python/openlake/s3model/s3.json.gz"


def without_prose(node: object) -> object:
    """Drop what a server does not need."""
    if isinstance(node, dict):
        return {key: without_prose(value) for key, value in node.items() if key not in PROSE}
    if isinstance(node, list):
        return [without_prose(value) for value in node]
    return node


def packed() -> bytes:
    """The model as it is vendored; the same bytes for the same botocore. Members keep their order,
    which is the order of elements in answers.
    """
    source = Path(botocore.__file__).parent / "data/s3/2006-03-01/service-2.json.gz"
    model = without_prose(json.loads(gzip.decompress(source.read_bytes())))
    text = json.dumps(model, separators=(",", ":"))
    return gzip.compress(text.encode(), mtime=0)


if __name__ == "__main__":
    TARGET.write_bytes(packed())
