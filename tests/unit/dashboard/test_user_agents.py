"""The names of browsers."""

import pytest

from carimbo.dashboard.user_agents import browser_name

WEBKIT = "AppleWebKit/537.36 (KHTML, like Gecko)"
PHONE = "Mozilla/5.0 (iPhone; CPU iPhone OS 18_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko)"


@pytest.mark.parametrize(
    ("user_agent", "name"),
    [
        (
            f"Mozilla/5.0 (Windows NT 10.0; Win64; x64) {WEBKIT} Chrome/131.0.0.0 Safari/537.36",
            "Chrome no Windows",
        ),
        (
            f"Mozilla/5.0 (Windows NT 10.0; Win64; x64) {WEBKIT} Chrome/131.0.0.0 Safari/537.36 Edg/131.0",
            "Edge no Windows",
        ),
        (
            f"Mozilla/5.0 (Linux; Android 10; K) {WEBKIT} Chrome/131.0.0.0 Mobile Safari/537.36 EdgA/131.0",
            "Edge no Android",
        ),
        (f"Mozilla/5.0 (X11; CrOS x86_64) {WEBKIT} Chrome/131.0 Safari/537.36", "Chrome no ChromeOS"),
        (f"Mozilla/5.0 (X11; Linux x86_64) {WEBKIT} Chrome/131 Safari/537.36 OPR/116", "Opera no Linux"),
        (
            f"Mozilla/5.0 (Linux; Android 14) {WEBKIT} SamsungBrowser/27.0 Chrome/125.0 Mobile Safari/537.36",
            "Samsung Internet no Android",
        ),
        ("Mozilla/5.0 (X11; Linux x86_64; rv:133.0) Gecko/20100101 Firefox/133.0", "Firefox no Linux"),
        (f"{PHONE} FxiOS/133.0 Mobile/15E148 Safari/605.1.15", "Firefox no iPhone"),
        (f"{PHONE} CriOS/131.0 Mobile/15E148 Safari/604.1", "Chrome no iPhone"),
        (f"{PHONE} Version/18.1 Mobile/15E148 Safari/604.1", "Safari no iPhone"),
        (
            "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko)"
            " Version/18.1 Safari/605.1.15",
            "Safari no macOS",
        ),
        ("Firefox/133.0", "Firefox"),
        ("curl/8.11.0 (Windows)", "Navegador desconhecido"),
        ("", "Navegador desconhecido"),
        (None, "Navegador desconhecido"),
    ],
)
def test_browser_and_system_are_named(user_agent: str | None, name: str) -> None:
    assert browser_name(user_agent) == name
