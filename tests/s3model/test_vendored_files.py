"""The vendored model is the installed botocore's, and the generated types are the model's."""

import gzip
import importlib.util
import json
from pathlib import Path
from types import ModuleType

ROOT = Path(__file__).resolve().parents[2]


def script(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, ROOT / "scripts" / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_model_is_that_of_the_pinned_botocore() -> None:
    """`python scripts/refresh_s3_model.py` brings it up to date."""
    vendored = (ROOT / "python/openlake/s3model/s3.json.gz").read_bytes()
    installed = script("refresh_s3_model").packed()
    assert json.loads(gzip.decompress(vendored)) == json.loads(gzip.decompress(installed))


def test_the_types_are_those_of_the_model() -> None:
    """`python scripts/generate_s3_types.py` brings them up to date."""
    generated = script("generate_s3_types").text()
    assert (ROOT / "python/openlake/s3model/types.py").read_text() == generated
