"""Settings: file, environment and flags become one frozen object, or a precise refusal."""

from openlake.config.core_config import CoreConfig, core_config
from openlake.config.errors import ConfigError
from openlake.config.hardware import Hardware, this_hardware
from openlake.config.load import load_settings
from openlake.config.settings import Address, RootKeys, Settings
from openlake.config.tuning import tuned

__all__ = [
    "Address",
    "ConfigError",
    "CoreConfig",
    "Hardware",
    "RootKeys",
    "Settings",
    "core_config",
    "load_settings",
    "this_hardware",
    "tuned",
]
