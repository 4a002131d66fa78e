"""Parked work on the pages of a subscription and of the operator: listed, resumed and dismissed."""

from uuid import UUID

import pytest

from carimbo.service.access import Authenticator
from carimbo.service.people.roles import MemberRole
from carimbo.storage.database import Database
from carimbo.storage.work import WorkKind
from integration.dashboard.conftest import NewPanel
from integration.dashboard.panel import Panel, strings_of, words_of
from integration.storage.document_rows import Shop, open_shop
from integration.storage.neighbours import create_neighbours, new_range
from integration.storage.parked_rows import REASON, held_document, park_row, parked_document
from support import OTHER_CNPJ, Caller

OPERATION = "/painel/operacao/trabalho"


@pytest.fixture
async def shop(caller: Caller, database: Database) -> Shop:
    return await open_shop(database, caller.subscription_id)


@pytest.fixture
async def operator(sign_in_as: NewPanel) -> Panel:
    return await sign_in_as(None, None, is_operator=True)


def address_of(panel: Panel) -> str:
    return f"{panel.base}/trabalho"


async def reason_of(shop: Shop, document_id: UUID) -> str | None:
    return (await shop.read(document_id)).parked_reason


class TestList:
    async def test_owner_sees_what_stopped_and_why_with_a_link_to_it(self, panel: Panel, shop: Shop) -> None:
        document = await parked_document(shop)
        page = await panel.page(address_of(panel))
        (work,) = page.xpath("//ul[@class='tasks']/li")
        assert words_of(work.find("h2")) == "Documento NF-e de Loja Modelo Ltda"
        assert REASON in words_of(work)
        assert "assinatura" not in words_of(work)
        (link,) = work.xpath("./h2/a/@href")
        assert link == f"{panel.company(shop.company_id)}/documentos/{document.id}"

    async def test_admin_of_one_company_sees_and_resumes_only_its_work(
        self, database: Database, shop: Shop, sign_in_as: NewPanel
    ) -> None:
        other = await open_shop(database, shop.subscription_id, OTHER_CNPJ)
        mine, theirs = await parked_document(shop), await parked_document(other)
        admin = await sign_in_as(shop.subscription_id, MemberRole.ADMIN, frozenset({shop.company_id}))
        page = await admin.page(address_of(admin))
        assert len(page.xpath("//ul[@class='tasks']/li")) == 1
        address = f"{address_of(admin)}/retomar"
        assert "1 trabalho volta à fila" in words_of(await admin.page(address))
        await admin.submit(address, address)
        assert [await reason_of(shop, mine.id), await reason_of(other, theirs.id)] == [None, REASON]

    async def test_menu_has_the_page_for_those_who_may_resume(
        self, panel: Panel, shop: Shop, sign_in_as: NewPanel
    ) -> None:
        issuer = await sign_in_as(shop.subscription_id, MemberRole.ISSUER)
        for person, count in ((panel, 1), (issuer, 0)):
            page = await person.page(person.base)
            assert len(page.xpath(f"//nav//a[@href='{address_of(person)}']")) == count

    async def test_first_page_leads_to_it(self, panel: Panel, shop: Shop, sign_in_as: NewPanel) -> None:
        await parked_document(shop)
        viewer = await sign_in_as(shop.subscription_id, MemberRole.VIEWER)
        for person, count in ((panel, 1), (viewer, 0)):
            links = strings_of(await person.page(person.base), "//main//a[.='Retomar ou encerrar']/@href")
            assert links == [address_of(person)] * count


class TestResume:
    async def test_one_is_resumed_and_the_page_says_so(self, panel: Panel, shop: Shop) -> None:
        document, other = await parked_document(shop), await parked_document(shop)
        address = address_of(panel)
        answer = await panel.submit(address, f"{address}/{document.id}/retomar")
        page = await panel.page(answer.headers["location"])
        assert words_of(page.xpath("//p[@role='status']")[0]) == "1 trabalho voltou à fila."
        assert [await reason_of(shop, each.id) for each in (document, other)] == [None, REASON]

    async def test_same_form_sent_twice_resumes_once(self, panel: Panel, shop: Shop) -> None:
        document, address = await parked_document(shop), address_of(panel)
        page = await panel.page(address)
        form = page.xpath(f"//form[@action='{address}/{document.id}/retomar']")[0]
        fields = {each.get("name"): each.get("value") for each in form.xpath(".//input")}
        headers = {"Origin": "http://localhost"}
        answers = [await panel.http.post(form.get("action"), data=fields, headers=headers) for _ in range(2)]
        assert {(answer.status_code, answer.headers["location"]) for answer in answers} == {
            (303, f"{address}?retomados=1")
        }

    async def test_work_that_the_operator_holds_has_no_buttons_and_is_refused(
        self, panel: Panel, shop: Shop, operator: Panel
    ) -> None:
        held, failed = await held_document(shop), await parked_document(shop)
        address = address_of(panel)
        (work,) = [
            work
            for work in (await panel.page(address)).xpath("//ul[@class='tasks']/li")
            if work.xpath(f".//a[contains(@href, '{held.id}')]")
        ]
        assert "Só quem opera o serviço" in words_of(work)
        assert work.xpath(".//form | .//a[contains(@href, 'encerrar')]") == []
        # The form of another item, sent to the address of this one.
        form = (await panel.page(address)).xpath(f"//form[@action='{address}/{failed.id}/retomar']")[0]
        fields = {each.get("name"): each.get("value") for each in form.xpath(".//input")}
        headers = {"Origin": "http://localhost"}
        answer = await panel.http.post(f"{address}/{held.id}/retomar", data=fields, headers=headers)
        assert (answer.status_code, "restaurar um backup" in answer.text) == (409, True)
        assert (await panel.http.get(f"{address}/{held.id}/encerrar")).status_code == 409
        assert await shop.read(held.id) == held
        await operator.submit(OPERATION, f"{OPERATION}/{held.id}/retomar")
        assert await reason_of(shop, held.id) is None


class TestDismiss:
    async def test_reason_is_kept_as_the_rejection(self, panel: Panel, shop: Shop) -> None:
        document = await parked_document(shop)
        address = f"{address_of(panel)}/{document.id}/encerrar"
        page = await panel.page(address)
        assert REASON in words_of(page.xpath("//dl")[0])
        answer = await panel.submit(address, address, reason="Emitida como 41")
        assert answer.status_code == 303
        assert "Encerrado" in words_of(await panel.page(answer.headers["location"]))
        rejection = (await shop.read(document.id)).rejection or {}
        assert rejection["message"] == "Emitida como 41"

    async def test_reason_that_is_too_long_is_shown_beside_its_input(self, panel: Panel, shop: Shop) -> None:
        document = await parked_document(shop)
        address = f"{address_of(panel)}/{document.id}/encerrar"
        answer = await panel.submit(address, address, reason="x" * 256)
        assert answer.status_code == 422
        assert strings_of(answer.text, "//textarea/@aria-invalid") == ["true"]
        assert await reason_of(shop, document.id) == REASON

    async def test_document_that_the_authority_may_have_is_not_dismissed_and_the_form_says_why(
        self, database: Database, authenticator: Authenticator, sign_in_as: NewPanel
    ) -> None:
        neighbours = await create_neighbours(database, authenticator)
        await park_row(database, WorkKind.DOCUMENT, neighbours.document_id)
        owner = await sign_in_as(neighbours.owner)
        address = f"{address_of(owner)}/{neighbours.document_id}/encerrar"
        answer = await owner.submit(address, address, reason="Emitida como 41")
        assert answer.status_code == 422
        assert (
            "A autoridade pode ter este documento"
            in strings_of(answer.text, "//*[@role='alert']/p/text()")[0]
        )
        assert strings_of(answer.text, "//textarea/text()") == ["Emitida como 41"]

    async def test_work_that_is_no_document_is_not_dismissed(
        self, panel: Panel, shop: Shop, database: Database
    ) -> None:
        numbers = new_range(shop.company_id)
        async with database.tenant(shop.subscription_id) as tenant:
            await tenant.inutilizations.add(numbers)
        await park_row(database, WorkKind.INUTILIZATION, numbers.id)
        links = strings_of(await panel.page(address_of(panel)), "//main//li//a/@href")
        assert links == []
        answer = await panel.http.get(f"{address_of(panel)}/{numbers.id}/encerrar")
        assert answer.status_code == 409


class TestOperator:
    async def test_operator_dismisses_a_held_document_without_a_reason(
        self, operator: Panel, shop: Shop
    ) -> None:
        document = await held_document(shop)
        address = f"{OPERATION}/{document.id}/encerrar"
        assert (await operator.submit(address, address)).status_code == 303
        rejection = (await shop.read(document.id)).rejection or {}
        assert rejection["message"].startswith("Encerrado pelo operador")

    async def test_resuming_all_warns_of_what_may_have_been_issued(self, operator: Panel, shop: Shop) -> None:
        held, failed = await held_document(shop), await parked_document(shop)
        address = f"{OPERATION}/retomar"
        (warning,) = (await operator.page(address)).xpath("//p[@class='note warn']")
        assert "emitidos outra vez" in words_of(warning)
        await operator.submit(address, address)
        assert [await reason_of(shop, each.id) for each in (held, failed)] == [None, None]
