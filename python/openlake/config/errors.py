"""The one way in which settings are refused."""


class ConfigError(ValueError):
    """Says where the setting came from, which one it is, what is wrong and what would do."""
