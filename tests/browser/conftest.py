"""A browser, and an app for it over HTTP."""

from collections.abc import AsyncIterator, Awaitable, Callable

import pytest
from chromium import launched
from playwright.async_api import Browser, BrowserContext, Page, expect

from browser.page_watch import PageWatch
from browser.served_app import ServedApp, serving
from carimbo.settings import Settings
from support import TIMEOUT_SECONDS

NewPage = Callable[..., Awaitable[Page]]
_TIMEOUT_MILLISECONDS = TIMEOUT_SECONDS * 1000


@pytest.fixture(scope="session")
async def browser() -> AsyncIterator[Browser]:
    expect.set_options(timeout=_TIMEOUT_MILLISECONDS)
    async with launched() as browser:
        yield browser


@pytest.fixture(scope="session")
async def site(settings: Settings) -> AsyncIterator[ServedApp]:
    async with serving(settings) as served:
        yield served


@pytest.fixture
def page_watch() -> PageWatch:
    return PageWatch()


@pytest.fixture
async def new_page(browser: Browser, site: ServedApp, page_watch: PageWatch) -> AsyncIterator[NewPage]:
    """Opens pages that share no cookies: `await new_page(java_script_enabled=False)` has no scripts.

    After the test, no page may have had an error.
    """
    contexts: list[BrowserContext] = []

    async def make(*, java_script_enabled: bool = True) -> Page:
        context = await browser.new_context(
            base_url=site.url,
            locale="pt-BR",
            timezone_id="America/Sao_Paulo",
            reduced_motion="reduce",
            java_script_enabled=java_script_enabled,
        )
        context.set_default_timeout(_TIMEOUT_MILLISECONDS)
        page_watch.watch(context)
        contexts.append(context)
        return await context.new_page()

    yield make
    for context in contexts:
        await context.close()
    assert page_watch.flaws == []


@pytest.fixture
async def page(new_page: NewPage) -> Page:
    return await new_page()


@pytest.fixture
async def plain_page(new_page: NewPage) -> Page:
    """A page without scripts."""
    return await new_page(java_script_enabled=False)


@pytest.fixture(params=[True, False], ids=["with scripts", "without scripts"])
async def any_page(new_page: NewPage, request: pytest.FixtureRequest) -> Page:
    """A page with scripts, and then one without: for what must work in the same way on both."""
    return await new_page(java_script_enabled=request.param)
