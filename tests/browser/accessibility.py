"""The rules of axe-core for accessible pages."""

from typing import Any, Literal

from axe_playwright_python.async_playwright import Axe  # type: ignore[import-untyped]
from playwright.async_api import Page

_AXE = Axe()
# Dark pages differ from light ones only in colors, so one rule is enough for them.
_OPTIONS: dict[Literal["light", "dark"], dict[str, Any]] = {
    "light": {"resultTypes": ["violations"]},
    "dark": {"resultTypes": ["violations"], "runOnly": ["color-contrast"]},
}


async def assert_accessible(page: Page) -> None:
    """Requires that axe finds nothing wrong with a page, with light and with dark colors."""
    wrong = []
    for scheme, options in _OPTIONS.items():
        await page.emulate_media(color_scheme=scheme)
        results = await _AXE.run(page, options=options)
        for violation in results.response["violations"]:
            for node in violation["nodes"]:
                place = " ".join(map(str, node["target"]))
                wrong.append(f"{scheme}: {violation['id']}: {place}: {violation['help']}")
    assert not wrong, f"{page.url}\n" + "\n".join(wrong)
