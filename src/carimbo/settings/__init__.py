"""Every setting of the service.

Each is an environment variable with the prefix `CARIMBO_`; a variable with that prefix that is not in this
list is refused at start, because a misspelt setting that is silently ignored costs a night's sleep.
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
