#!/usr/bin/env bash
# Names each missing prerequisite and how to get it; silent when all are there.
set -u

python="${1:-python3}"
missing=0

lacks() {
    echo "missing: $1" >&2
    echo "    get it: $2" >&2
    missing=1
}

# at_least FOUND WANTED: true when version FOUND is WANTED or newer.
at_least() {
    [ "$(printf '%s\n%s\n' "$2" "$1" | sort -V | head -n 1)" = "$2" ]
}

if [ "$(uname -s)" != Linux ]; then
    lacks "Linux (this is $(uname -s))" "run on Linux 6.1 or newer: the engine is built on io_uring"
fi

if ! command -v "$python" >/dev/null; then
    lacks "Python >= 3.11 ('$python' not found)" \
        "apt-get install python3 python3-venv, or name one: make PYTHON=/path/to/python3.11"
else
    found="$("$python" -c 'import sys; print("%d.%d" % sys.version_info[:2])')"
    if ! at_least "$found" 3.11; then
        lacks "Python >= 3.11 ('$python' is $found)" \
            "install a newer one and name it: make PYTHON=/path/to/python3.11"
    elif ! "$python" -c 'import ensurepip, venv' 2>/dev/null; then
        lacks "Python's venv module" "apt-get install python3-venv"
    fi
fi

if ! command -v cargo >/dev/null || ! command -v rustc >/dev/null; then
    lacks "Rust >= 1.95 (cargo, rustc)" "install rustup (from Debian 13 on: apt-get install rustup), then: rustup toolchain install stable"
else
    found="$(rustc --version | cut -d ' ' -f 2)"
    at_least "$found" 1.95 || lacks "Rust >= 1.95 (rustc is ${found:-unusable})" "rustup update stable"
fi

command -v cc >/dev/null || lacks "a C compiler and linker (cc)" "apt-get install build-essential"
command -v make >/dev/null || lacks "make" "apt-get install make"

exit "$missing"
