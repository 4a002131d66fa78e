"""The settings that no installation can do without, and what is told of wrong ones."""

import pytest

from carimbo.settings import SettingsError, load_settings
from carimbo.storage.envelope import new_key

URL = "postgresql://user:hidden-password@database/carimbo"
KEYS = new_key("k1")
NEEDED = {"CARIMBO_DATABASE_URL": URL, "CARIMBO_SECRET_KEYS": KEYS}


def problems_of(environment: dict[str, str]) -> list[str]:
    with pytest.raises(SettingsError) as refused:
        load_settings(environment)
    return str(refused.value).splitlines()
