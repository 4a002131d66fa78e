"""The browser and the system that a User-Agent header names, in words."""

from collections.abc import Sequence

UNKNOWN_BROWSER = "Navegador desconhecido"
# The first that is in the header counts: most browsers also name those that they descend from.
_BROWSERS: Sequence[tuple[str, str]] = (
    ("Edg", "Edge"),
    ("OPR/", "Opera"),
    ("SamsungBrowser/", "Samsung Internet"),
    ("Firefox/", "Firefox"),
    ("FxiOS/", "Firefox"),
    ("CriOS/", "Chrome"),
    ("Chrome/", "Chrome"),
    ("Version/", "Safari"),
)
_SYSTEMS: Sequence[tuple[str, str]] = (
    ("Android", "Android"),
    ("iPhone", "iPhone"),
    ("iPad", "iPad"),
    ("Windows", "Windows"),
    ("Macintosh", "macOS"),
    ("CrOS", "ChromeOS"),
    ("Linux", "Linux"),
)


def browser_name(user_agent: str | None) -> str:
    """Returns the browser of a User-Agent header as `Chrome no Windows`."""
    header = user_agent or ""
    browser = next((name for mark, name in _BROWSERS if mark in header), UNKNOWN_BROWSER)
    system = next((name for mark, name in _SYSTEMS if mark in header), None)
    return browser if system is None or browser == UNKNOWN_BROWSER else f"{browser} no {system}"
