"""Where settings come from, which source wins, and how each wrong one is refused."""

from pathlib import Path

import pytest

from openlake.config import ConfigError, Settings, load_settings

KEYS = {"OPENLAKE_ROOT_ACCESS_KEY": "rootroot", "OPENLAKE_ROOT_SECRET_KEY": "secretsecret"}


def write(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "openlake.toml"
    path.write_text(text)
    return path


def load(
    file: Path | None = None,
    environment: dict[str, str] | None = None,
    server: dict[str, object] | None = None,
) -> Settings:
    return load_settings(Path("data"), file, environment or {}, {"server": server or {}})


def test_defaults_listen_on_loopback_only() -> None:
    settings = load()
    assert settings.listen.is_loopback
    assert settings.admin.is_loopback
    assert settings.root_keys is None


def test_environment_wins_over_file_and_flags_over_both(tmp_path: Path) -> None:
    file = write(tmp_path, '[server]\nlisten = "127.0.0.1:1"\nadmin = "127.0.0.1:2"\ncores = 3\n')
    environment = {"OPENLAKE_SERVER_ADMIN": "127.0.0.1:4", "OPENLAKE_SERVER_CORES": "5"}
    settings = load(file, environment, {"cores": 6, "listen": None})
    assert str(settings.listen) == "127.0.0.1:1"
    assert str(settings.admin) == "127.0.0.1:4"
    assert settings.server.cores == 6


def test_a_whole_number_will_do_for_seconds(tmp_path: Path) -> None:
    settings = load(write(tmp_path, "[server]\nidle_timeout_s = 2\n"))
    assert settings.server.idle_timeout_s == 2.0


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('[server]\nlissten = "x"\n', ["lissten", "unknown key", "listen"]),
        ("[sever]\n", ["sever", "[server]", "[store]"]),
        ("[server]\ncores = true\n", ["cores", "True", "whole number"]),
        ("[server]\ncores = 0\n", ["cores", "out of range", "from 1 to"]),
        ('[server]\nlisten = "here"\n', ["listen", "HOST:PORT"]),
        ('[server]\nlisten = "example.test:80"\n', ["example.test", "IP address"]),
        ("[server\n", ["not TOML"]),
    ],
)
def test_a_wrong_file_is_refused_by_file_and_key(
    tmp_path: Path, text: str, words: list[str]
) -> None:
    file = write(tmp_path, text)
    with pytest.raises(ConfigError) as caught:
        load(file)
    for word in [str(file), *words]:
        assert word in str(caught.value)


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"absent\.toml: cannot be read"):
        load(tmp_path / "absent.toml")


@pytest.mark.parametrize(
    ("name", "text", "word"),
    [
        ("OPENLAKE_SERVER_CORES", "two", "whole number"),
        ("OPENLAKE_SERVER_KORES", "2", "unknown key"),
        ("OPENLAKE_CORES", "2", "OPENLAKE_SERVER_"),
    ],
)
def test_a_wrong_variable_is_refused_by_name(name: str, text: str, word: str) -> None:
    with pytest.raises(ConfigError, match=name) as caught:
        load(environment={name: text})
    assert word in str(caught.value)


def test_root_keys_come_from_the_environment_and_stay_out_of_print() -> None:
    settings = load(environment=KEYS)
    assert settings.root_keys is not None
    assert settings.root_keys.secret_key == "secretsecret"
    assert "secretsecret" not in repr(settings)


@pytest.mark.parametrize("lacking", KEYS)
def test_one_root_key_alone_is_refused(lacking: str) -> None:
    given = {name: key for name, key in KEYS.items() if name != lacking}
    with pytest.raises(ConfigError, match=f"{lacking}: is not set"):
        load(environment=given)


@pytest.mark.parametrize(
    ("name", "key"), [("OPENLAKE_ROOT_ACCESS_KEY", "a/b"), ("OPENLAKE_ROOT_SECRET_KEY", "short")]
)
def test_a_root_key_of_the_wrong_form_is_refused(name: str, key: str) -> None:
    with pytest.raises(ConfigError, match=name):
        load(environment={**KEYS, name: key})
