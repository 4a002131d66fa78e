"""The page of the API credential."""

from integration.dashboard.issued.pages import facts_of
from integration.dashboard.panel import Panel, text_of
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
