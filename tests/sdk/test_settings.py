"""Where a client's settings come from."""

import pytest

from openlake.sdk.settings import config_of

KEYS = {"AWS_ACCESS_KEY_ID": "aws", "AWS_SECRET_ACCESS_KEY": "aws-secret"}


def test_arguments_win_over_the_environment() -> None:
    environment = {**KEYS, "AWS_ENDPOINT_URL": "http://env:1", "AWS_SESSION_TOKEN": "token"}
    config = config_of("http://given:2", "key", "secret", environment)
    assert (config.endpoint, config.access_key) == ("http://given:2", "key")
    assert config.session_token is None


def test_our_variables_win_over_those_of_aws() -> None:
    environment = {
        **KEYS,
        "AWS_ENDPOINT_URL": "http://aws:1",
        "AWS_SESSION_TOKEN": "token",
        "AWS_REGION": "eu-1",
    }
    config = config_of(None, None, None, environment)
    assert (config.access_key, config.session_token, config.region) == ("aws", "token", "eu-1")
    ours = {
        "OPENLAKE_ENDPOINT": "http://ours:2",
        "OPENLAKE_ACCESS_KEY": "ours",
        "OPENLAKE_SECRET_KEY": "ours-secret",
    }
    config = config_of(None, None, None, {**environment, **ours})
    assert (config.endpoint, config.access_key) == ("http://ours:2", "ours")
    assert config.session_token is None


def test_what_is_missing_is_named_with_how_to_give_it() -> None:
    with pytest.raises(ValueError, match=r"no endpoint: .* OPENLAKE_ENDPOINT or AWS_ENDPOINT_URL"):
        config_of(None, None, None, KEYS)
    with pytest.raises(ValueError, match=r"no access_key: .* AWS_ACCESS_KEY_ID"):
        config_of("http://h", None, None, {})


def test_secrets_are_not_shown() -> None:
    assert "secret" not in repr(config_of("http://h", "key-id", "secret", {})).replace(
        "secret_key", ""
    )
