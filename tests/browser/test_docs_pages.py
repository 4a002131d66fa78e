"""The documentation of the API in a browser."""

import re

from playwright.async_api import Page, expect

from browser.accessibility import assert_accessible

PAGES = ("", "/assinatura", "/eventos", "/erros")


async def test_pages_load_under_their_policy_and_are_accessible(page: Page) -> None:
    for name in PAGES:
        answer = await page.goto(f"/docs{name}")
        assert answer is not None
        assert answer.status == 200
        await assert_accessible(page)


async def test_search_leads_to_a_field_and_opens_what_hides_it(page: Page) -> None:
    await page.goto("/docs")
    await page.get_by_role("searchbox").fill("items[0].icms.cst")
    await page.locator("#resultados").get_by_role("link").first.click()
    await expect(page).to_have_url(re.compile(r"/docs/nf-e#createNfe\.items"))
    field = page.locator(":target")
    await expect(field).to_be_visible()
    assert await field.evaluate("element => element.closest('details')?.open ?? true")
