"""Style as a test: sizes, names, layers and what a module may hold.

Lengths of Rust functions and counts of parameters are clippy's and ruff's; here is checked that
both are told to look. An exception is named here with its reason, and the lists may only shrink.
"""

import ast
import re
import subprocess
import tomllib
from collections import Counter
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent

RUST_LINES_MAX = 600
RUST_TEST_LINES_MAX = 150
PYTHON_LINES_MAX = 500
TEST_FILE_LINES_MAX = 500
PYTHON_FUNCTION_LINES_MAX = 50
PARAMETERS_MAX = 6
FOLDER_FILES_MAX = 15

FORBIDDEN_NAMES = {"util", "utils", "helper", "helpers", "common", "misc"}

# A crate may depend only on crates to its left.
LAYERS = ["types", "coding", "format", "io", "store", "s3", "client", "server", "py"]

# Path -> why it may hold more than declarations and re-exports.
ROOTS_WITH_CODE = {
    "crates/openlake-py/src/lib.rs": "PyO3 wants the module's registration at the crate's root",
}

# (path, limit) -> why the file may be over it.
OVERSIZE: dict[tuple[str, str], str] = {}


def tracked(*suffixes: str) -> list[Path]:
    """The files that are, or are about to be, in git."""
    listing = subprocess.run(
        ["/usr/bin/env", "git", "ls-files", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        check=True,
        capture_output=True,
        text=True,
    ).stdout
    paths = (ROOT / line for line in listing.splitlines())
    return sorted(path for path in paths if path.suffix in suffixes and path.is_file())


def name_of(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def lines_of(path: Path) -> list[str]:
    return path.read_text(encoding="utf-8").splitlines()


def is_rust_test(path: Path) -> bool:
    inside = path.relative_to(ROOT).parts
    return path.name.endswith("tests.rs") or "tests" in inside or "benches" in inside


def in_file_tests_start(lines: list[str]) -> int:
    """The line where `#[cfg(test)] mod … {` begins, or the number of lines."""
    for number, line in enumerate(lines[:-1]):
        following = lines[number + 1].strip()
        if line.strip() == "#[cfg(test)]" and re.fullmatch(r"mod \w+ \{", following):
            return number
    return len(lines)


def over(path: Path, limit: str, count: int, count_max: int) -> list[str]:
    if count <= count_max or (name_of(path), limit) in OVERSIZE:
        return []
    return [f"{name_of(path)}: {limit}: {count} > {count_max}"]


def test_rust_files_are_short() -> None:
    found: list[str] = []
    for path in tracked(".rs"):
        lines = lines_of(path)
        if is_rust_test(path):
            found += over(path, "test file", len(lines), TEST_FILE_LINES_MAX)
            continue
        production = in_file_tests_start(lines)
        found += over(path, "production lines", production, RUST_LINES_MAX)
        found += over(path, "in-file tests", len(lines) - production, RUST_TEST_LINES_MAX)
    assert not found, "\n".join(found)


def test_python_files_are_short() -> None:
    found: list[str] = []
    for path in tracked(".py"):
        in_tests = path.relative_to(ROOT).parts[0] == "tests"
        limit = TEST_FILE_LINES_MAX if in_tests else PYTHON_LINES_MAX
        found += over(path, "lines", len(lines_of(path)), limit)
    assert not found, "\n".join(found)


def python_functions(path: Path) -> list[ast.FunctionDef | ast.AsyncFunctionDef]:
    tree = ast.parse(path.read_text(encoding="utf-8"), filename=str(path))
    kinds = (ast.FunctionDef, ast.AsyncFunctionDef)
    return [node for node in ast.walk(tree) if isinstance(node, kinds)]


def test_python_functions_are_short() -> None:
    found: list[str] = []
    for path in tracked(".py"):
        for function in python_functions(path):
            length = (function.end_lineno or function.lineno) - function.lineno + 1
            limit = f"lines of {function.name}"
            found += over(path, limit, length, PYTHON_FUNCTION_LINES_MAX)
    assert not found, "\n".join(found)


def test_linters_watch_function_sizes_and_parameters() -> None:
    clippy = tomllib.loads((ROOT / "clippy.toml").read_text())
    assert clippy["too-many-lines-threshold"] <= 70
    assert clippy["too-many-arguments-threshold"] <= PARAMETERS_MAX
    lints = tomllib.loads((ROOT / "Cargo.toml").read_text())["workspace"]["lints"]["clippy"]
    assert lints["too_many_lines"] == "deny"
    assert lints["too_many_arguments"] == "deny"
    ruff = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["ruff"]["lint"]
    assert ruff["select"] == ["ALL"]
    assert ruff["pylint"]["max-args"] <= PARAMETERS_MAX
    assert len(ruff["ignore"]) <= 12


def test_every_crate_takes_the_workspace_lints() -> None:
    manifests = sorted(ROOT.glob("crates/*/Cargo.toml"))
    assert manifests
    for manifest in manifests:
        lints = tomllib.loads(manifest.read_text()).get("lints", {})
        assert lints == {"workspace": True}, name_of(manifest)


def test_folders_are_small() -> None:
    counts = Counter(path.parent for path in tracked(".rs", ".py"))
    found = [
        f"{name_of(folder)}: {count} files > {FOLDER_FILES_MAX}"
        for folder, count in counts.items()
        if count > FOLDER_FILES_MAX
    ]
    assert not found, "\n".join(found)


def test_every_module_says_what_it_owns() -> None:
    found: list[str] = []
    for path in tracked(".py"):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        if tree.body and not ast.get_docstring(tree):
            found.append(name_of(path))
    found += [
        name_of(path)
        for path in tracked(".rs")
        if path.name != "tests.rs"
        and not path.read_text(encoding="utf-8").lstrip().startswith("//!")
    ]
    assert not found, "no module documentation at the top:\n" + "\n".join(found)


def test_no_module_is_a_drawer() -> None:
    found = [
        name_of(path)
        for path in tracked(".rs", ".py")
        if FORBIDDEN_NAMES & {Path(part).stem for part in path.relative_to(ROOT).parts}
    ]
    assert not found, "\n".join(found)


def dependencies(manifest: Path) -> set[str]:
    parsed = tomllib.loads(manifest.read_text())
    return set(parsed.get("dependencies", {})) | set(parsed.get("build-dependencies", {}))


@pytest.mark.parametrize("layer", LAYERS)
def test_crates_depend_downwards_only(layer: str) -> None:
    manifest = ROOT / "crates" / f"openlake-{layer}" / "Cargo.toml"
    if not manifest.exists():
        pytest.skip(f"openlake-{layer} is not written yet")
    ours = {name for name in dependencies(manifest) if name.startswith("openlake-")}
    below = {f"openlake-{lower}" for lower in LAYERS[: LAYERS.index(layer)]}
    assert ours <= below, f"openlake-{layer} reaches up: {sorted(ours - below)}"


def test_every_crate_has_a_layer() -> None:
    crates = {
        path.parent.name.removeprefix("openlake-") for path in ROOT.glob("crates/*/Cargo.toml")
    }
    assert crates <= set(LAYERS)


def test_only_io_names_the_runtime() -> None:
    runtime = {"compio", "compio-driver", "io-uring"}
    users = {
        manifest.parent.name
        for manifest in ROOT.glob("crates/*/Cargo.toml")
        if runtime & dependencies(manifest)
    }
    assert users <= {"openlake-io"}


@pytest.mark.parametrize("layer", ["types", "format"])
def test_pure_crates_forbid_unsafe(layer: str) -> None:
    root = (ROOT / "crates" / f"openlake-{layer}" / "src" / "lib.rs").read_text()
    assert "#![forbid(unsafe_code)]" in root


def test_package_roots_only_export() -> None:
    found: list[str] = []
    for path in tracked(".py"):
        if path.name != "__init__.py" or name_of(path) in ROOTS_WITH_CODE:
            continue
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            names = node.targets if isinstance(node, ast.Assign) else []
            dunder = all(isinstance(name, ast.Name) and name.id[:2] == "__" for name in names)
            text = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
            imports = isinstance(node, (ast.Import, ast.ImportFrom))
            if not (text or imports or (names and dunder)):
                found.append(f"{name_of(path)}:{node.lineno}")
    assert not found, "\n".join(found)


def test_crate_and_module_roots_only_declare() -> None:
    item = re.compile(
        r"^(pub(\([a-z: ]+\))? )?(async |const |unsafe |extern \"C\" )*"
        r"(fn|struct|enum|union|trait|impl|static|macro_rules!)\b"
    )
    found: list[str] = []
    for path in tracked(".rs"):
        is_root = path.name in {"lib.rs", "mod.rs"} and not is_rust_test(path)
        if not is_root or name_of(path) in ROOTS_WITH_CODE:
            continue
        lines = lines_of(path)
        for number, line in enumerate(lines[: in_file_tests_start(lines)], start=1):
            if item.match(line):
                found.append(f"{name_of(path)}:{number}: {line.strip()}")
    assert not found, "\n".join(found)


def test_nothing_is_left_for_later() -> None:
    marker = re.compile(r"\b(" + "|".join(["TO" + "DO", "FIX" + "ME", "X" * 3]) + r")\b")
    found = [
        f"{name_of(path)}:{number}"
        for path in tracked(".rs", ".py", ".toml", ".sh", ".pyi", ".md")
        for number, line in enumerate(lines_of(path), start=1)
        if marker.search(line)
    ]
    assert not found, "\n".join(found)


def test_no_registry_is_named() -> None:
    hosts = [".".join(parts) for parts in (("pypi", "org"), ("crates", "io"), ("npmjs", "com"))]
    found = [
        name_of(path)
        for path in tracked(".rs", ".py", ".toml", ".sh", ".md", ".txt", ".cfg", ".yml", "")
        if any(host in path.read_text(encoding="utf-8", errors="replace") for host in hosts)
    ]
    assert not found, "\n".join(found)
