"""The page of the API credential, and a new secret for it."""

from carimbo.service.people.roles import MemberRole
from integration.dashboard.conftest import NewPanel
from integration.dashboard.issued.pages import facts_of
from integration.dashboard.panel import Panel, strings_of, text_of
from support import Caller, data_of


async def test_page_shows_the_key_and_only_the_end_of_the_secret(panel: Panel, caller: Caller) -> None:
    page = await panel.page(f"{panel.base}/credenciais")
    facts = facts_of(page)
    assert facts["Chave da API"] == str(caller.subscription_id)
    assert facts["Senha"].startswith(f"...{caller.secret[-4:]} ")
    assert facts["Última troca da senha"] == "Nunca"
    assert caller.secret not in text_of(page)


async def test_previous_secret_that_still_works_is_shown(panel: Panel, caller: Caller) -> None:
    rotated = data_of(await caller.http.post("/v1/user/api-credentials", json={"overlapHours": 24}))
    facts = facts_of(await panel.page(f"{panel.base}/credenciais"))
    assert facts["Senha"].startswith(f"...{rotated['apiSecret'][-4:]} ")
    assert facts["Senha anterior"].startswith("Ainda vale até ")


async def status_with(caller: Caller, secret: str) -> int:
    """Returns the status of a request with a secret."""
    answer = await caller.http.get("/v1/companies", headers={"X-Api-Secret": secret})
    return answer.status_code


async def rotated(panel: Panel, hours: str) -> str:
    """Replaces the secret, and returns the new one, as the page shows it."""
    address = f"{panel.base}/credenciais/trocar"
    answer = await panel.press(await panel.page(address), "Trocar a senha", sobreposicao=hours)
    page = await panel.page(answer.headers["location"])
    (secret,) = [code for code in strings_of(page, "//code/text()") if code.startswith("cs_")]
    return secret


async def test_previous_secret_works_for_the_chosen_hours_beside_the_new_one(
    panel: Panel, caller: Caller
) -> None:
    second = await rotated(panel, "24")
    assert [await status_with(caller, secret) for secret in (caller.secret, second)] == [200, 200]
    warned = text_of(await panel.page(f"{panel.base}/credenciais/trocar"))
    assert "deixa de valer com esta troca" in warned

    third = await rotated(panel, "0")
    statuses = [await status_with(caller, secret) for secret in (caller.secret, second, third)]
    assert statuses == [401, 401, 200]
    assert "cs_" not in text_of(await panel.page(f"{panel.base}/credenciais"))


async def test_overlap_that_was_not_offered_changes_nothing(panel: Panel, caller: Caller) -> None:
    address = f"{panel.base}/credenciais/trocar"
    answer = await panel.press(await panel.page(address), "Trocar a senha", sobreposicao="720")
    assert answer.status_code == 422
    assert await status_with(caller, caller.secret) == 200


async def test_only_who_may_rotate_finds_the_button(
    panel: Panel, caller: Caller, sign_in_as: NewPanel
) -> None:
    link = "//a[contains(@href, '/credenciais/trocar')]"
    admin = await sign_in_as(caller.subscription_id, MemberRole.ADMIN)
    pages = [await each.page(f"{each.base}/credenciais") for each in (panel, admin)]
    assert [len(page.xpath(link)) for page in pages] == [1, 0]
