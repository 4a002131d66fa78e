"""The forms about people: inviting, changing and removing them, and renewing an invitation."""

from typing import Any
from urllib.parse import urlsplit
from uuid import UUID, uuid4

import httpx2
import pytest
from lxml import html

from carimbo.dashboard.pages import people_forms
from carimbo.service.people.roles import MemberRole
from integration.dashboard.conftest import NewPanel
from integration.dashboard.issued.pages import problems_of, rows_of, values_of
from integration.dashboard.panel import Panel, fields_of, strings_of, text_of
from support import CNPJ, OTHER_CNPJ, Caller, data_of


@pytest.fixture
def email() -> str:
    return f"{uuid4().hex}@example.com"


async def invite(panel: Panel, email: str, **fields: Any) -> httpx2.Response:
    address = f"{panel.base}/pessoas/convidar"
    values = {"email": email, "role": "viewer", "alcance": "todas", **fields}
    return await panel.submit(address, address, **values)


async def link_of(panel: Panel, answer: httpx2.Response) -> str:
    """Returns the path of the link that the page shows after an invitation."""
    assert answer.status_code == 303, text_of(html.fromstring(answer.text))
    page = await panel.page(answer.headers["location"])
    (link,) = [code for code in strings_of(page, "//code/text()") if "/convite/" in code]
    return urlsplit(link).path


async def is_valid(browser: httpx2.AsyncClient, link: str) -> bool:
    page = (await browser.get(link)).text
    return "Bem-vindo" in page


async def row_of(panel: Panel, email: str) -> list[str]:
    page = await panel.page(f"{panel.base}/pessoas")
    (row,) = [cells for cells in rows_of(page, "Pessoas") if email in cells[0]]
    return row


async def address_of(panel: Panel, email: str, action: str) -> str:
    """Returns the address of an action on a person, as the page of people links it."""
    page = await panel.page(f"{panel.base}/pessoas")
    (address,) = page.xpath(
        "//tr[contains(., $email)]//a[contains(@href, $action)]/@href", email=email, action=f"/{action}"
    )
    return str(address)


def alert_of(answer: httpx2.Response) -> str:
    """Returns the problems that belong to no input."""
    return " ".join(strings_of(answer.text, "//*[@role='alert']/p/text()"))


class TestInvitation:
    async def test_link_is_shown_once_and_opens_the_invitation(
        self, panel: Panel, browser_without_session: httpx2.AsyncClient, email: str
    ) -> None:
        link = await link_of(panel, await invite(panel, email, name="Rui"))
        assert await is_valid(browser_without_session, link)
        assert (await row_of(panel, email))[1:3] == ["Leitor", "Todas"]
        assert "/convite/" not in text_of(await panel.page(f"{panel.base}/pessoas"))

    async def test_person_is_invited_to_the_marked_companies_only(
        self, panel: Panel, caller: Caller, email: str
    ) -> None:
        first = await caller.create_company(CNPJ, legalName="Alfa Ltda")
        second = await caller.create_company(OTHER_CNPJ, legalName="Beta Ltda")
        both = await invite(panel, email, alcance="todas", empresa=[first])
        assert both.status_code == 422
        assert "Você marcou empresas e também" in alert_of(both)
        owner = await invite(panel, email, role="owner", alcance="algumas", empresa=[first])
        assert alert_of(owner) == "Proprietários têm acesso a todas as empresas."
        none = await invite(panel, email, alcance="algumas")
        assert alert_of(none) == "Escolha ao menos uma empresa, ou todas."

        kept = html.fromstring(owner.text)
        assert strings_of(kept, "//input[@name='empresa'][@checked]/@value") == [first]
        assert (await invite(panel, email, alcance="algumas", empresa=[second])).status_code == 303
        assert (await row_of(panel, email))[2] == "Beta Ltda"

    async def test_problems_are_beside_their_inputs(self, panel: Panel, email: str) -> None:
        wrong = html.fromstring((await invite(panel, "sem arroba", name="x" * 101)).text)
        assert problems_of(wrong).keys() == {"email"}
        blank = html.fromstring((await invite(panel, "")).text)
        assert problems_of(blank) == {"email": "Campo obrigatório."}
        long_name = html.fromstring((await invite(panel, email, name="x" * 101)).text)
        assert problems_of(long_name).keys() == {"name"}
        assert values_of(long_name, f"{panel.base}/pessoas/convidar")["email"] == email

    async def test_role_that_nobody_chose_is_the_one_that_may_do_the_least(self, panel: Panel) -> None:
        page = await panel.page(f"{panel.base}/pessoas/convidar")
        assert fields_of(page.xpath("//main//form")[0])["role"] == "viewer"

    async def test_person_of_the_subscription_is_not_invited_again(
        self, panel: Panel, caller: Caller, sign_in_as: NewPanel
    ) -> None:
        colleague = await sign_in_as(caller.subscription_id, MemberRole.ISSUER)
        answer = await invite(panel, colleague.person.email)
        assert problems_of(html.fromstring(answer.text)) == {
            "email": "Esta pessoa já faz parte da assinatura."
        }


class TestPendingInvitation:
    async def test_renewed_invitation_has_a_new_link_and_the_same_role(
        self, panel: Panel, browser_without_session: httpx2.AsyncClient, email: str
    ) -> None:
        old = await link_of(panel, await invite(panel, email, role="accountant"))
        address = await address_of(panel, email, "convite")
        new = await link_of(panel, await panel.press(await panel.page(address), "Renovar o convite"))
        assert [await is_valid(browser_without_session, link) for link in (old, new)] == [False, True]
        assert (await row_of(panel, email))[1] == "Contador"

    async def test_renewed_invitation_leaves_out_a_company_that_was_deleted(
        self, panel: Panel, caller: Caller, email: str
    ) -> None:
        kept = await caller.create_company(CNPJ, legalName="Alfa Ltda")
        deleted = await caller.create_company(OTHER_CNPJ, legalName="Beta Ltda")
        await invite(panel, email, alcance="algumas", empresa=[kept, deleted])
        data_of(await caller.http.delete(f"/v1/companies/{deleted}"))
        address = await address_of(panel, email, "convite")
        await link_of(panel, await panel.press(await panel.page(address), "Renovar o convite"))
        assert (await row_of(panel, email))[2] == "Alfa Ltda"

    async def test_link_of_a_withdrawn_invitation_opens_nothing(
        self, panel: Panel, browser_without_session: httpx2.AsyncClient, email: str
    ) -> None:
        link = await link_of(panel, await invite(panel, email))
        address = await address_of(panel, email, "remover")
        answer = await panel.press(await panel.page(address), "Retirar o convite")
        assert answer.headers["location"] == f"{panel.base}/pessoas?aviso=removido"
        assert not await is_valid(browser_without_session, link)
        assert email not in text_of(await panel.page(f"{panel.base}/pessoas"))

    async def test_invitation_that_was_accepted_is_not_renewed(
        self, panel: Panel, caller: Caller, sign_in_as: NewPanel
    ) -> None:
        colleague = await sign_in_as(caller.subscription_id, MemberRole.ISSUER)
        answer = await panel.http.get(f"{panel.base}/pessoas/{colleague.person.id}/convite")
        assert (answer.status_code, "já aceitou o convite" in answer.text) == (409, True)


class TestMembership:
    async def test_new_role_and_companies_count_at_once(
        self, panel: Panel, caller: Caller, sign_in_as: NewPanel
    ) -> None:
        company_id = await caller.create_company(CNPJ, legalName="Alfa Ltda")
        colleague = await sign_in_as(caller.subscription_id, MemberRole.ADMIN)
        assert (await colleague.http.get(f"{colleague.base}/webhooks")).status_code == 200
        address = await address_of(panel, colleague.person.email, "alterar")
        fields = {"role": "issuer", "alcance": "algumas", "empresa": [company_id]}
        answer = await panel.submit(address, address, **fields)
        assert answer.headers["location"] == f"{panel.base}/pessoas?aviso=guardado"
        assert (await row_of(panel, colleague.person.email))[1:3] == ["Emissor", "Alfa Ltda"]
        assert (await colleague.http.get(f"{colleague.base}/webhooks")).status_code == 403

    async def test_form_shows_what_the_person_may_do_now(
        self, panel: Panel, caller: Caller, sign_in_as: NewPanel, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        # The companies of the person are in the form, also if they come after the last one that it lists.
        monkeypatch.setattr(people_forms, "_MOST_COMPANIES", 1)
        await caller.create_company(CNPJ, legalName="Alfa Ltda")
        last = await caller.create_company(OTHER_CNPJ, legalName="Zeta Ltda")
        colleague = await sign_in_as(caller.subscription_id, MemberRole.ACCOUNTANT, frozenset({UUID(last)}))
        address = await address_of(panel, colleague.person.email, "alterar")
        answer = await panel.press(await panel.page(address), "Guardar")
        assert answer.status_code == 303
        assert (await row_of(panel, colleague.person.email))[1:3] == ["Contador", "Zeta Ltda"]

    async def test_last_owner_keeps_the_role_and_stays(self, panel: Panel) -> None:
        email = panel.person.email
        address = await address_of(panel, email, "alterar")
        page = await panel.page(address)
        assert "Esta pessoa é você" in text_of(page)
        refused = await panel.press(page, "Guardar", role="admin")
        assert refused.status_code == 422
        assert "precisa de um proprietário" in alert_of(refused)

        removal = await panel.page(await address_of(panel, email, "remover"))
        assert "Esta pessoa é você" in text_of(removal)
        answer = await panel.press(removal, "Remover")
        assert (answer.status_code, "precisa de um proprietário" in answer.text) == (409, True)
        assert (await row_of(panel, email))[1] == "Proprietário"

    async def test_person_who_gives_up_the_own_role_sees_a_page_that_is_still_open(
        self, panel: Panel, caller: Caller, sign_in_as: NewPanel
    ) -> None:
        await sign_in_as(caller.subscription_id, MemberRole.OWNER)
        address = await address_of(panel, panel.person.email, "alterar")
        answer = await panel.press(await panel.page(address), "Guardar", role="viewer")
        assert "Guardado." in text_of(await panel.page(answer.headers["location"]))

    async def test_removed_person_opens_nothing_any_more(
        self, panel: Panel, caller: Caller, sign_in_as: NewPanel
    ) -> None:
        colleague = await sign_in_as(caller.subscription_id, MemberRole.OWNER)
        page = await panel.page(await address_of(panel, colleague.person.email, "remover"))
        assert (await panel.press(page, "Remover")).status_code == 303
        assert (await colleague.http.get(colleague.base)).status_code == 404

    async def test_person_of_another_subscription_is_unknown(
        self, panel: Panel, sign_in_as: NewPanel, new_caller: Any
    ) -> None:
        stranger = await sign_in_as((await new_caller()).subscription_id)
        for action in ("alterar", "remover", "convite"):
            answer = await panel.http.get(f"{panel.base}/pessoas/{stranger.person.id}/{action}")
            assert answer.status_code == 404, action


async def test_only_who_may_change_people_finds_the_links(
    panel: Panel, caller: Caller, sign_in_as: NewPanel
) -> None:
    admin = await sign_in_as(caller.subscription_id, MemberRole.ADMIN)
    links = "//main//a[not(contains(@href, 'formato'))]/@href"
    assert strings_of(await admin.page(f"{admin.base}/pessoas"), links) == []
    assert strings_of(await panel.page(f"{panel.base}/pessoas"), links) != []
