"""docs/start.md names every setting with its variable and its default, and no other."""

import dataclasses
import re
from pathlib import Path

from openlake.config.load import PREFIX, SECTIONS

START = Path(__file__).resolve().parents[2] / "docs" / "start.md"
ROW = re.compile(r"^\| `\[(\w+)\] (\w+)` \| `(\w+)` \| ([^|]*) \|", re.MULTILINE)


def documented() -> dict[tuple[str, str], tuple[str, str]]:
    """(section, key) → (variable, default as written)."""
    rows = ROW.findall(START.read_text(encoding="utf-8"))
    return {(section, key): (name, default.strip("`")) for section, key, name, default in rows}


def test_every_setting_has_its_row() -> None:
    settings = {
        (section, field.name) for section, kind in SECTIONS.items() for field in fields(kind)
    }
    assert set(documented()) == settings


def test_variables_and_defaults_are_those_of_the_code() -> None:
    rows = documented()
    for section, kind in SECTIONS.items():
        for field in fields(kind):
            variable, default = rows[section, field.name]
            assert variable == f"{PREFIX}{section}_{field.name}".upper()
            # What is tuned to the machine is described, not a number.
            if field.default is not None:
                assert default == format(field.default, "g" if field.type is float else "")


def fields(kind: type) -> tuple[dataclasses.Field[object], ...]:
    return dataclasses.fields(kind)
