"""Starts Debian's Chromium, for the tests of pages and for their pictures."""

import shutil
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from playwright.async_api import Browser, async_playwright

_ARGUMENTS = (
    # Chromium's own sandbox does not start for root, nor in most containers.
    "--no-sandbox",
    "--disable-gpu",
    # Containers often have 64 MB of shared memory.
    "--disable-dev-shm-usage",
    # No page may load anything from outside of this machine.
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE localhost, EXCLUDE 127.0.0.1",
)


class NoChromium(Exception):
    """No program named `chromium` is on the PATH."""


@asynccontextmanager
async def launched() -> AsyncIterator[Browser]:
    """Runs a Chromium that reaches only this machine. Raises NoChromium."""
    program = shutil.which("chromium")
    if program is None:
        raise NoChromium("please install the Debian package chromium")
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=program, args=_ARGUMENTS)
        try:
            yield browser
        finally:
            await browser.close()
