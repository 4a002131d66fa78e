"""Every setting of the service.

Each setting is an environment variable with the prefix `CARIMBO_`. A variable with that prefix and an unknown
name is refused at start, because nobody notices a misspelt setting that is silently ignored.
"""

from carimbo.settings.loading import (
    PREFIX,
    SettingsError,
    child_environment,
    load_settings,
    names_no_responsible,
    names_no_tables,
)
from carimbo.settings.model import Settings

__all__ = [
    "PREFIX",
    "Settings",
    "SettingsError",
    "child_environment",
    "load_settings",
    "names_no_responsible",
    "names_no_tables",
]
