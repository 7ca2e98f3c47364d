"""Every operation of the service model has exactly one place."""

import importlib.util
from pathlib import Path

from openlake.control.refused import REFUSED
from openlake.control.registry import CONTROL, HOT, problems
from openlake.s3model import load


def test_every_operation_is_hot_control_or_refused() -> None:
    assert problems(load()) == []


def test_an_operation_without_a_place_is_found() -> None:
    """The check itself: a model with one more operation has a problem of its name."""
    raw = dict(load().raw)
    raw["operations"] = {
        **raw["operations"],
        "BrewCoffee": {"http": {"method": "BREW", "requestUri": "/{Bucket}?coffee"}},
    }
    assert problems(type(load())(raw)) == [
        "BrewCoffee: has 0 places, not one of hot, control and refused"
    ]


def test_this_release_has_the_operations_it_promises() -> None:
    assert sorted(HOT) == [
        "DeleteObject",
        "GetObject",
        "HeadObject",
        "ListObjects",
        "ListObjectsV2",
        "PutObject",
        "UploadPart",
    ]
    assert sorted(CONTROL) == [
        "AbortMultipartUpload",
        "CompleteMultipartUpload",
        "CopyObject",
        "CreateBucket",
        "CreateMultipartUpload",
        "DeleteBucket",
        "DeleteObjects",
        "GetBucketLocation",
        "HeadBucket",
        "ListBuckets",
        "ListMultipartUploads",
        "ListParts",
    ]
    assert len(HOT) + len(CONTROL) + len(REFUSED) == len(load().operations)


def test_the_reference_page_says_what_the_registry_does() -> None:
    root = Path(__file__).parents[2]
    script = root / "scripts/generate_s3_reference.py"
    spec = importlib.util.spec_from_file_location("generate_s3_reference", script)
    assert spec is not None
    assert spec.loader is not None
    generator = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(generator)
    page = (root / "docs/reference/s3.md").read_text(encoding="utf-8")
    assert page == generator.text(), "run scripts/generate_s3_reference.py"
