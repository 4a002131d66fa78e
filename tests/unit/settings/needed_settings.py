"""The settings that every installation needs, and how wrong ones are refused."""

from collections.abc import Iterable, Mapping

from carimbo.settings import SettingsError, load_settings
from carimbo.storage.envelope import new_key

URL = "postgresql://user:hidden-password@database/carimbo"
KEYS = new_key("k1")
NEEDED = {"CARIMBO_DATABASE_URL": URL, "CARIMBO_SECRET_KEYS": KEYS}


def problems_of(environment: Mapping[str, str]) -> list[str]:
    """Returns the problems of an environment, one line each; none if it is accepted."""
    try:
        load_settings(environment)
    except SettingsError as refusal:
        return str(refusal).splitlines()
    return []


def not_refused_by_name(
    values: Iterable[tuple[str, str]], others: Mapping[str, str] = NEEDED, reason: str = ""
) -> list[tuple[str, str, list[str]]]:
    """Returns the values that are not refused with one line that begins with their name and the reason."""
    wrong = []
    for name, value in values:
        problems = problems_of({**others, f"CARIMBO_{name}": value})
        if len(problems) != 1 or not problems[0].startswith(f"CARIMBO_{name}: {reason}"):
            wrong.append((name, value, problems))
    return wrong
