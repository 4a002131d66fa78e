"""The rules of axe-core for accessible pages, and pages on a phone."""

from typing import Any, Literal

from axe_playwright_python.async_playwright import Axe  # type: ignore[import-untyped]
from playwright.async_api import Page, ViewportSize

PHONE, DESK = ViewportSize(width=390, height=844), ViewportSize(width=1280, height=800)
_IS_TOO_WIDE = "document.documentElement.scrollWidth > document.documentElement.clientWidth"
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


async def assert_usable_everywhere(page: Page) -> None:
    """Requires that a page is accessible, and that it does not scroll sideways on a phone."""
    await page.set_viewport_size(DESK)
    await assert_accessible(page)
    await page.set_viewport_size(PHONE)
    assert not await page.evaluate(_IS_TOO_WIDE), f"{page.url}: scrolls sideways on a phone"
