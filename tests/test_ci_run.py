"""`.ci/run` installs what is missing before `make ci` or says what to do; on a machine of fakes."""

import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
ALWAYS_THERE = ("bash", "cat", "cp", "cut", "dirname", "env", "head", "sort", "uname")
TOOLCHAIN = "rustup toolchain install stable --profile minimal -c clippy -c rustfmt"
DEBIAN = "build-essential git python3 python3-venv"
# What a package puts there, and what each of those does. Python is asked for its version, then
# whether it can import.
PROGRAMS = {
    "build-essential": {"cc": ":", "make": ":"},
    "git": {"git": ":"},
    "python3": {"python3": 'case "$2" in *version*) echo 3.11 ;; esac'},
    "python3-venv": {},
}
RUST = {"cargo": "cargo 1.95.0", "rustc": "rustc 1.95.0 (59807616e 2026-04-14)"}
OLD_RUST = {"cargo": "cargo 1.63.0", "rustc": "rustc 1.63.0"}


@dataclass
class Machine:
    """Its PATH, what apt could install, and a log of what was called."""

    programs: Path
    packages: Path
    log: Path

    def has(self, *packages: str) -> None:
        for package in packages:
            for name, does in PROGRAMS[package].items():
                self.fake(self.programs / name, does)

    def has_rust(self, rust: dict[str, str]) -> None:
        for name, prints in rust.items():
            self.fake(self.programs / name, f"echo '{prints}'")

    def has_apt(self, *packages: str) -> None:
        """As Debian's: packages that it does not know are an error of 100."""
        for package in packages:
            folder = self.packages / package
            folder.mkdir()
            for name, does in PROGRAMS.get(package, {}).items():
                self.fake(folder / name, does)
        self.fake(
            self.programs / "apt-get",
            '[ "$1" = install ] || exit 0\n'
            'for package in "${@:4}"; do\n'
            f'    [ -d {self.packages}/"$package" ] || exit 100\n'
            f'    cp -a {self.packages}/"$package"/. {self.programs}\n'
            "done",
        )

    def rustup(self, folder: Path, code: int = 0) -> None:
        """A rustup that brings Rust, or fails."""
        copies = "\n".join(
            f"printf '%s\\n' '#!/usr/bin/env bash' \"echo '{prints}'\" > {self.programs / name}\n"
            f"/bin/chmod +x {self.programs / name}"
            for name, prints in RUST.items()
        )
        self.fake(folder / "rustup", f"exit {code}" if code else copies)

    def fake(self, path: Path, does: str) -> None:
        logged = f'echo "{path.name} $*" >> {self.log}'
        path.write_text(f"#!/usr/bin/env bash\n{logged}\n{does}\n")
        path.chmod(0o755)

    def run(self, user: int = 0) -> tuple[int, str, list[str]]:
        """Exit code, standard error, and the calls that change something."""
        self.fake(self.programs / "id", f"echo {user}")
        done = subprocess.run(
            [str(ROOT / ".ci" / "run")],
            env={"PATH": str(self.programs)},
            capture_output=True,
            text=True,
            check=False,
        )
        calls = self.log.read_text().splitlines() if self.log.exists() else []
        changing = ("apt-get install", "rustup", "make")
        return done.returncode, done.stderr, [one for one in calls if one.startswith(changing)]


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    """Nothing but what every Debian has."""
    made = Machine(tmp_path / "bin", tmp_path / "packages", tmp_path / "log")
    made.programs.mkdir()
    made.packages.mkdir()
    for name in ALWAYS_THERE:
        (made.programs / name).symlink_to(shutil.which(name) or f"/usr/bin/{name}")
    return made


def test_a_machine_with_everything_installs_nothing(machine: Machine) -> None:
    machine.has(*PROGRAMS)
    machine.has_rust(RUST)
    assert machine.run(user=1000) == (0, "", ["make ci"])


def test_a_bare_machine_gets_everything(machine: Machine) -> None:
    machine.has_apt(*PROGRAMS, "rustup")
    machine.rustup(machine.packages / "rustup")
    code, said, calls = machine.run()
    assert code == 0, said
    assert calls == [
        f"apt-get install -y -qq {DEBIAN}",
        "apt-get install -y -qq rustup",
        TOOLCHAIN,
        "make ci",
    ]


def test_rust_that_is_too_old_is_renewed_by_the_rustup_that_is_there(machine: Machine) -> None:
    machine.has(*PROGRAMS)
    machine.has_rust(OLD_RUST)
    machine.rustup(machine.programs)
    code, said, calls = machine.run(user=1000)
    assert (code, calls) == (0, [TOOLCHAIN, "make ci"])
    assert "Rust >= 1.95 (rustc is 1.63.0)" in said


def test_only_git_missing_is_installed_too(machine: Machine) -> None:
    machine.has("build-essential", "python3")
    machine.has_rust(RUST)
    machine.has_apt(*PROGRAMS)
    assert machine.run()[::2] == (0, [f"apt-get install -y -qq {DEBIAN}", "make ci"])


def test_an_apt_without_rustup_is_told_with_what_to_do(machine: Machine) -> None:
    machine.has(*PROGRAMS)
    machine.has_rust(OLD_RUST)
    machine.has_apt()
    code, said, calls = machine.run()
    assert (code, calls) == (1, ["apt-get install -y -qq rustup"])
    assert (
        f".ci/run: apt has no rustup (Debian has it from 13 on): install it, then: {TOOLCHAIN}"
        in said
    )


def test_a_toolchain_that_does_not_come_is_told(machine: Machine) -> None:
    machine.has(*PROGRAMS)
    machine.rustup(machine.programs, code=1)
    code, said, calls = machine.run()
    assert (code, calls) == (1, [TOOLCHAIN])
    assert said.endswith(f"no toolchain came: see above; it was: {TOOLCHAIN}\n")


def test_who_is_not_root_is_told_what_root_would_do(machine: Machine) -> None:
    machine.has_apt(*PROGRAMS)
    code, said, calls = machine.run(user=1000)
    assert (code, calls) == (1, [])
    assert f"only root can install: apt-get install {DEBIAN}" in said


def test_another_system_is_told_what_to_install(machine: Machine) -> None:
    code, said, calls = machine.run()
    assert (code, calls) == (1, [])
    assert f"there is no apt-get: install by hand: {DEBIAN}" in said


def test_what_stays_missing_is_named(machine: Machine) -> None:
    """A rustc of Debian stands before rustup's on the PATH."""
    machine.has(*PROGRAMS)
    machine.has_rust(OLD_RUST)
    machine.fake(machine.programs / "rustup", "exit 0")
    code, said, calls = machine.run()
    assert (code, calls) == (1, [TOOLCHAIN])
    assert "this is still missing:\nmissing: Rust >= 1.95 (rustc is 1.63.0)" in said
