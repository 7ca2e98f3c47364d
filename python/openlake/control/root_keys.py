"""The root user's keys: the configuration's, or generated once and kept in the data directory in a
file that only its owner may read.
"""

import json
import os
import secrets
from dataclasses import dataclass
from pathlib import Path

from openlake.config import RootKeys
from openlake.control.errors import ServeError

FILE_NAME = "openlake-root-keys.json"
OTHERS = 0o077


@dataclass(frozen=True, slots=True)
class FoundKeys:
    keys: RootKeys
    file: Path
    # Generated just now: to be shown this once.
    is_new: bool


def root_keys(data: Path, configured: RootKeys | None) -> FoundKeys:
    """The data directory exists and is this process's own by now."""
    file = data / FILE_NAME
    if configured is not None:
        return FoundKeys(configured, file, is_new=False)
    if file.exists():
        return FoundKeys(stored_keys(file), file, is_new=False)
    keys = RootKeys("OL" + secrets.token_hex(9).upper(), secrets.token_urlsafe(30))
    store_keys(file, keys)
    return FoundKeys(keys, file, is_new=True)


def stored_keys(file: Path) -> RootKeys:
    try:
        if file.stat().st_mode & OTHERS:
            raise ServeError(f"{file} may be read by other users; run: chmod 600 {file}")
        record = json.loads(file.read_text())
        return RootKeys(record["access_key"], record["secret_key"])
    except OSError as error:
        raise ServeError(f"{file} cannot be read: {error.strerror}") from error
    except (ValueError, KeyError, TypeError) as error:
        raise ServeError(
            f"{file} is damaged; remove it to have new root keys, or set "
            "OPENLAKE_ROOT_ACCESS_KEY and OPENLAKE_ROOT_SECRET_KEY"
        ) from error


def store_keys(file: Path, keys: RootKeys) -> None:
    """Whole or not at all, and durable."""
    unnamed = file.with_name("." + file.name)
    record = {"access_key": keys.access_key, "secret_key": keys.secret_key}
    unnamed.unlink(missing_ok=True)
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL
    with os.fdopen(os.open(unnamed, flags, 0o600), "w") as stream:
        json.dump(record, stream)
        stream.flush()
        os.fsync(stream.fileno())
    unnamed.rename(file)
    folder = os.open(file.parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)
