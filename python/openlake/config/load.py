"""Reads settings: defaults, then the file, then the environment, then flags; the last one wins.

Unknown keys, wrong types and values out of range are refused, each by source, key and remedy.
"""

import dataclasses
import re
import tomllib
import types
import typing
from collections.abc import Mapping
from pathlib import Path

from openlake.config.errors import ConfigError
from openlake.config.settings import (
    Address,
    Limits,
    RootKeys,
    ServerSettings,
    Settings,
    StoreSettings,
)

PREFIX = "OPENLAKE_"
ROOT_ACCESS_KEY = "OPENLAKE_ROOT_ACCESS_KEY"
ROOT_SECRET_KEY = "OPENLAKE_ROOT_SECRET_KEY"  # noqa: S105 the variable's name
SECTIONS: dict[str, type] = {"server": ServerSettings, "store": StoreSettings}
# Variables that are not settings of the server: the root user's keys, and those of clients.
NOT_SETTINGS = {ROOT_ACCESS_KEY, ROOT_SECRET_KEY} | {
    f"{PREFIX}{name}" for name in ("ENDPOINT", "ACCESS_KEY", "SECRET_KEY", "REGION")
}
# A slash would end the key in the signature's scope.
ACCESS_KEY = re.compile(r"[A-Za-z0-9._-]{3,128}")
SECRET_KEY_CHARACTERS = range(8, 129)

Values = dict[str, dict[str, object]]


def load_settings(
    data: Path,
    file: Path | None,
    environment: Mapping[str, str],
    flags: Mapping[str, Mapping[str, object]],
) -> Settings:
    """`flags` is section → key → value, with None for what was not given."""
    merged: Values = {section: {} for section in SECTIONS}
    sources = [from_file(file)] if file is not None else []
    sources += [from_environment(environment), from_flags(flags)]
    for source in sources:
        for section, values in source.items():
            merged[section] |= values
    return Settings(
        data=data,
        server=built("server", ServerSettings, merged),
        store=built("store", StoreSettings, merged),
        root_keys=root_keys(environment),
    )


Section = typing.TypeVar("Section", ServerSettings, StoreSettings)


def built(name: str, kind: type[Section], merged: Values) -> Section:
    # Names and types of the values were checked one by one, against this very dataclass.
    values: dict[str, typing.Any] = merged[name]
    return kind(**values)


def from_file(path: Path) -> Values:
    try:
        tables = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise ConfigError(f"{path}: cannot be read: {error.strerror}") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ConfigError(f"{path}: is not TOML: {error}") from error
    found: Values = {}
    for section, values in tables.items():
        if section not in SECTIONS or not isinstance(values, dict):
            known = ", ".join(f"[{name}]" for name in SECTIONS)
            raise ConfigError(f"{path}: {section}: is not a section; the sections are {known}")
        found[section] = {
            key: checked(str(path), section, key, value) for key, value in values.items()
        }
    return found


def from_environment(environment: Mapping[str, str]) -> Values:
    """OPENLAKE_SERVER_LISTEN is [server] listen, and so on."""
    found: Values = {}
    for name, text in environment.items():
        if not name.startswith(PREFIX) or name in NOT_SETTINGS:
            continue
        section, _, key = name.removeprefix(PREFIX).lower().partition("_")
        if section not in SECTIONS:
            starts = ", ".join(f"{PREFIX}{known.upper()}_…" for known in SECTIONS)
            raise ConfigError(f"{name}: is not a setting; they are {starts}")
        value = parsed(name, section, key, text)
        found.setdefault(section, {})[key] = checked(name, section, key, value)
    return found


def from_flags(flags: Mapping[str, Mapping[str, object]]) -> Values:
    return {
        section: {
            key: checked(f"--{key.replace('_', '-')}", section, key, value)
            for key, value in values.items()
            if value is not None
        }
        for section, values in flags.items()
    }


def types_of(source: str, section: str, key: str) -> tuple[type, ...]:
    """The types that a key takes, or a refusal that lists the keys."""
    hints = typing.get_type_hints(SECTIONS[section])
    if key not in hints:
        known = ", ".join(sorted(hints))
        raise ConfigError(f"{source}: [{section}] {key}: unknown key; the keys are {known}")
    hint = hints[key]
    options = typing.get_args(hint) if isinstance(hint, types.UnionType) else (hint,)
    return tuple(option for option in options if option is not type(None))


def parsed(source: str, section: str, key: str, text: str) -> object:
    """The value that an environment variable's text stands for."""
    kind = types_of(source, section, key)[0]
    try:
        return kind(text)
    except ValueError as error:
        raise ConfigError(f"{source}: {text!r} is not {article(kind)}") from error


def checked(source: str, section: str, key: str, value: object) -> object:
    """The value, once its key exists, its type fits and it is within its limits."""
    kind = types_of(source, section, key)[0]
    where = f"{source}: [{section}] {key}"
    if kind is float and type(value) is int:
        value = float(value)
    if type(value) is not kind:
        raise ConfigError(f"{where}: {value!r} is not {article(kind)}")
    fields = {field.name: field for field in dataclasses.fields(SECTIONS[section])}
    limits = fields[key].metadata.get("limits")
    number = typing.cast("float", value)
    if isinstance(limits, Limits) and not limits.least <= number <= limits.most:
        span = f"from {limits.least:g} to {limits.most:g}"
        raise ConfigError(f"{where}: {value!r} is out of range; it may be {span}")
    if key in {"listen", "admin"} and isinstance(value, str):
        try:
            Address.parse(value)
        except ValueError as error:
            raise ConfigError(f"{where}: {error}") from error
    return value


def article(kind: type) -> str:
    return {int: "a whole number", float: "a number", str: "a text"}.get(kind, kind.__name__)


def root_keys(environment: Mapping[str, str]) -> RootKeys | None:
    access = environment.get(ROOT_ACCESS_KEY)
    secret = environment.get(ROOT_SECRET_KEY)
    if access is None and secret is None:
        return None
    if access is None or secret is None:
        given, lacking = (ROOT_SECRET_KEY, ROOT_ACCESS_KEY)
        if access is not None:
            given, lacking = lacking, given
        raise ConfigError(f"{lacking}: is not set, but {given} is; set both or neither")
    if not ACCESS_KEY.fullmatch(access):
        raise ConfigError(f"{ROOT_ACCESS_KEY}: must be 3 to 128 of A-Z, a-z, 0-9, '.', '_', '-'")
    if len(secret) not in SECRET_KEY_CHARACTERS:
        raise ConfigError(f"{ROOT_SECRET_KEY}: must have 8 to 128 characters")
    return RootKeys(access, secret)
