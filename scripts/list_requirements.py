"""Prints every direct requirement of pyproject.toml, one a line: the input of `make lock`."""

import sys
import tomllib
from pathlib import Path

PROJECT = tomllib.loads(Path("pyproject.toml").read_text())["project"]


def requirements() -> list[str]:
    extras = PROJECT["optional-dependencies"].values()
    return sorted(PROJECT["dependencies"] + [line for extra in extras for line in extra])


if __name__ == "__main__":
    sys.stdout.write("\n".join(requirements()) + "\n")
