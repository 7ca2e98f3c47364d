"""The example of docs/start.md runs as it stands, but for address and keys."""

import subprocess
import sys
from pathlib import Path

from openlake.testing import LocalServer

START = Path(__file__).resolve().parents[2] / "docs" / "start.md"


def test_the_example_moves_what_it_says(tmp_path: Path) -> None:
    section = START.read_text(encoding="utf-8").partition("## Python client")[2]
    example = section.partition("```python\n")[2].partition("```")[0]
    with LocalServer(tmp_path / "data") as server:
        for shown, own in [
            ("http://127.0.0.1:9000", server.endpoint),
            ('access_key="…"', f'access_key="{server.access_key}"'),
            ('secret_key="…"', f'secret_key="{server.secret_key}"'),
        ]:
            assert shown in example
            example = example.replace(shown, own)
        code = f"{example}\nassert restored == weights"
        done = subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=False
        )
    assert done.returncode == 0, done.stderr
    first, keys, refusal = done.stdout.splitlines()
    assert (first, keys) == ("b'all'", "['step-1/note', 'step-1/weights']")
    assert refusal.startswith("NoSuchKey: ")
