"""The first page: what each item says, where it leads, and who does not see it."""

from collections.abc import AsyncIterator
from datetime import datetime, timedelta
from decimal import Decimal
from uuid import UUID

import pytest

from carimbo.dashboard.pages import home as home_page
from carimbo.fiscal.local_time import BRASILIA, in_local_time
from carimbo.service import outage_board
from carimbo.service.overview import attention
from carimbo.service.people.roles import MemberRole
from carimbo.storage.database import Database
from carimbo.storage.identifiers import new_id
from carimbo.storage.outages import AuthorityService, end_outage, record_outage
from integration.dashboard.company_rows import DAMAGES, certify, damage
from integration.dashboard.conftest import NewPanel
from integration.dashboard.home_rows import DAY, Home, in_days, open_home, tasks_of, words_of_home
from integration.dashboard.panel import text_of, words_of
from support import Caller, data_of

OUTAGE = AuthorityService("55", "MT", "production")
NOTHING = "Nada precisa de você agora."


@pytest.fixture(autouse=True)
def uncached_outages(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(outage_board, "_FRESH_SECONDS", 0.0)


@pytest.fixture
async def home(caller: Caller, database: Database, sign_in_as: NewPanel) -> Home:
    return await open_home(caller, database, sign_in_as)


@pytest.fixture
async def outage(database: Database) -> AsyncIterator[None]:
    """SEFAZ of Mato Grosso does not answer."""
    async with database.connection() as connection:
        await record_outage(connection, OUTAGE, "109", "Serviço paralisado", timedelta(minutes=10))
    yield
    async with database.connection() as connection:
        await end_outage(connection, OUTAGE)


class TestNothing:
    async def test_companies_that_lack_nothing_need_nobody(self, home: Home) -> None:
        words = await words_of_home(home.owner)
        assert NOTHING in words
        assert "Nenhuma falha vista nos seus envios." in words
        assert await tasks_of(home.owner) == []

    async def test_subscription_without_companies_says_how_to_add_the_first(
        self, caller: Caller, sign_in_as: NewPanel
    ) -> None:
        words = await words_of_home(await sign_in_as(caller.subscription_id))
        assert "Esta assinatura ainda não tem empresas." in words
        assert NOTHING not in words

    async def test_person_whose_companies_were_deleted_is_not_asked_to_add_one(
        self, caller: Caller, sign_in_as: NewPanel
    ) -> None:
        company_id = await caller.create_company()
        panel = await sign_in_as(caller.subscription_id, MemberRole.VIEWER, frozenset({UUID(company_id)}))
        data_of(await caller.http.delete(f"/v1/companies/{company_id}"))
        for address in (panel.base, f"{panel.base}/empresas"):
            words = words_of(await panel.page(address))
            assert "Você ainda não tem acesso a nenhuma empresa." in words
            assert "POST /v1/companies" not in words

    async def test_companies_that_the_page_leaves_out_are_counted(
        self, home: Home, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(home_page, "_MAX_COMPANIES", 1)
        words = await words_of_home(home.owner)
        assert "esta página tem as 1 primeiras por nome, e 1 ficou de fora." in words
        assert "ficou de fora" not in await words_of_home(home.of_other)


class TestRejections:
    async def test_rejected_documents_are_one_item_of_their_code_with_a_link_to_each(
        self, home: Home
    ) -> None:
        numbered, other = await home.rejected(), await home.rejected()
        await home.attempt(numbered, 1234, "rejected")
        task = await home.task("778")
        assert task.text.startswith("2 documentos rejeitados: 778 Rejeição: NCM inexistente")
        assert "O que fazer: Confira o NCM." in task.text
        assert "Abrir NF-e 1234" in task.text
        addresses = {f"{home.company}/documentos/{each.id}" for each in (numbered, other)}
        assert set(task.links) == addresses | {f"{address}/corrigir" for address in addresses}
        assert NOTHING not in await words_of_home(home.owner)

    async def test_large_group_leads_to_the_list_of_all_rejected_documents(self, home: Home) -> None:
        for _ in range(6):
            await home.rejected()
        task = await home.task("6 documentos rejeitados")
        assert (len(task.links), task.links[-1]) == (11, f"{home.company}/documentos?status=rejected")

    async def test_large_group_of_several_companies_leads_to_the_list_of_each(self, home: Home) -> None:
        for _ in range(3):
            await home.rejected()
            await home.rejected(home.other)
        [task] = await tasks_of(home.owner)
        assert task.text.endswith("Ver todos os rejeitados de Alfa Ltda , Beta Ltda")
        assert set(task.links[10:]) == {
            f"{home.owner.company(shop.company_id)}/documentos?status=rejected"
            for shop in (home.shop, home.other)
        }

    async def test_reasons_that_are_not_shown_are_counted(
        self, home: Home, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(attention, "MAX_ITEMS", 1)
        for code in ("778", "539", "204"):
            await home.rejected(code=code)
        assert "E mais 2 motivos de rejeição." in await words_of_home(home.owner)

    async def test_group_of_several_companies_has_their_names_and_opens_each_document_in_its_own(
        self, home: Home
    ) -> None:
        await home.rejected()
        elsewhere = await home.rejected(home.other)
        [task] = await tasks_of(home.owner)
        assert "Alfa Ltda" in task.text
        assert "Beta Ltda" in task.text
        own = f"{home.of_other.company(home.other.company_id)}/documentos/{elsewhere.id}"
        assert own in task.links
        [task] = await tasks_of(home.of_other)
        assert (task.text.startswith("1 documento rejeitado: 778"), task.links[0]) == (True, own)
        assert "Alfa Ltda" not in task.text

    async def test_rejections_of_long_ago_are_one_item_with_their_count(self, home: Home) -> None:
        for _ in range(2):
            document = await home.rejected()
            await home.execute(
                "update documents set updated_at = now() - interval '31 days' where id = $1", document.id
            )
        assert "2 rejeitados há mais de 30 dias" in (await home.task("rejeitados há mais")).text

    async def test_rejections_beyond_the_newest_that_are_grouped_are_not_called_old(
        self, home: Home, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(attention, "MAX_REJECTED", 2)
        for _ in range(3):
            await home.rejected()
        assert (await home.task("antes dos")).text.startswith("1 rejeitado antes dos 2 mais novos")


class TestDocuments:
    async def test_overdue_document_says_since_when_and_the_last_answer(self, home: Home) -> None:
        document = await home.shop.added()
        await home.attempt(document, 12, "sent", answer_code="108", answer_message="Serviço paralisado")
        await home.execute("update emissions set answered_at = now() where document_id = $1", document.id)
        overdue = "update documents set queued_at = now() - interval '3 days' where id = $1"
        await home.execute(overdue, document.id)
        task = await home.task("em processamento")
        assert task.text.startswith("NF-e 12 em processamento há 3 dias · Alfa Ltda")
        assert "Última resposta: 108: Serviço paralisado" in task.text
        assert task.links == (f"{home.company}/documentos/{document.id}",)

    async def test_parked_document_says_why_it_stopped(self, home: Home) -> None:
        document = await home.shop.added()
        park = "update documents set parked_reason = 'O serviço falhou.' where id = $1"
        await home.execute(park, document.id)
        task = await home.task("Trabalho parado")
        assert task.text.startswith("Trabalho parado: Documento · Alfa Ltda O serviço falhou.")
        resuming = f"{home.company.partition('/empresas/')[0]}/trabalho"
        assert task.links == (f"{home.company}/documentos/{document.id}", resuming)

    async def test_open_manifest_says_for_how_long_and_until_when_it_may_be_open(self, home: Home) -> None:
        document = await home.shop.added(type="mdfe")
        await home.attempt(document, 3, "authorized", access_key=f"{document.id}")
        await home.shop.settle(document)
        await home.execute(
            "update documents set facts = jsonb_build_object('openSince', $2::timestamptz), created_at = $2"
            " where id = $1",
            document.id, in_days(-29.5),
        )  # fmt: skip
        task = await home.task("aberto há")
        assert task.text.startswith("MDF-e 3 aberto há 29 dias · Alfa Ltda Encerre até ")
        assert "não aceita mais" not in task.text
        assert task.links == (f"{home.company}/documentos/{document.id}",)
        older = "update documents set facts = jsonb_build_object('openSince', $2::timestamptz) where id = $1"
        await home.execute(older, document.id, in_days(-31))
        late = (await home.task("aberto há 31 dias")).text
        assert "o prazo passou, e a autoridade não aceita mais MDF-e da empresa." in late

    async def test_unused_number_of_last_month_leads_to_the_numbering(self, home: Home) -> None:
        this_month = datetime.now(BRASILIA).replace(day=1, hour=12)
        last_month = (this_month - DAY).replace(day=15)
        document = await home.rejected()
        await home.attempt(document, 7, "rejected", issued_at=last_month)
        await home.execute(
            "update documents set created_at = $2, updated_at = $2 where id = $1", document.id, last_month
        )
        task = await home.task("sem uso")
        assert task.text.startswith("1 número sem uso na série 1 de NF-e · Alfa Ltda Inutilize até ")
        # The day in the company's state, where it ends an hour later than in Brasília.
        assert f"{this_month:10/%m/%Y}" in task.text
        assert task.links == (f"{home.company}/numeracao",)

    async def test_received_document_says_its_supplier_amount_and_deadline(self, home: Home) -> None:
        respond_by = in_days(2.5)
        document_id = await home.received(
            issuer_name="Atacado Central", respond_by=respond_by, amount=Decimal("1234.50")
        )
        task = await home.task("espera a sua manifestação")
        assert task.text.startswith("NF-e 42 de Atacado Central espera a sua manifestação · Alfa Ltda")
        deadline = f"{in_local_time(respond_by, None):%d/%m/%Y %H:%M}"
        assert f"Prazo: {deadline} (em 2 dias) · R$ 1.234,50" in task.text
        assert task.links == (f"{home.company}/recebidos/nfe/{document_id}",)


class TestCompanies:
    @pytest.mark.parametrize(
        ("days", "words"),
        [(-1, "Certificado digital vencido"), (0.5, "vence em 1 dia"), (19.5, "vence em 20 dias")],
    )
    async def test_certificate_that_ends_says_when(
        self, home: Home, caller: Caller, database: Database, days: float, words: str
    ) -> None:
        expires_at = in_days(days)
        await certify(database, caller, str(home.shop.company_id), expires_at)
        task = await home.task(words)
        assert f": Alfa Ltda Validade: {in_local_time(expires_at, None):%d/%m/%Y %H:%M}." in task.text
        assert task.links == (home.company, f"{home.company}/certificado")

    async def test_missing_certificate_leads_to_its_company(self, home: Home) -> None:
        await home.execute("delete from certificates where company_id = $1", home.shop.company_id)
        task = await home.task("Sem certificado digital: Alfa Ltda")
        assert task.links == (home.company, f"{home.company}/certificado")
        assert "Validade" not in task.text

    async def test_company_that_lacks_data_says_for_what_it_lacks_which(self, home: Home) -> None:
        await home.shop.added()
        async with home.shop.database.tenant(home.shop.subscription_id) as tenant:
            await tenant.companies.update(home.shop.company_id, {"tax_regime": None})
        task = await home.task("não pode emitir")
        assert task.text.startswith("Alfa Ltda não pode emitir NF-e Falta: ")
        assert "regime tributário" in task.text.lower()
        assert task.links == (f"{home.company}/inicio",)

    async def test_distribution_with_another_reader_is_named_with_its_company(self, home: Home) -> None:
        stream_id = await home.distribution()
        task = await home.task("Documentos recebidos")
        # A stream belongs to a CNPJ, which other tests have too.
        await home.execute("update streams set other_reader_at = null where id = $1", stream_id)
        assert task.text.startswith("Documentos recebidos (NF-e) · Alfa Ltda")
        assert "Outro programa consultou os documentos deste CNPJ" in task.text

    @pytest.mark.parametrize("name", DAMAGES)
    async def test_company_that_can_not_be_read_is_named_and_hides_no_other_company(
        self, home: Home, name: str
    ) -> None:
        await home.shop.added()
        await damage(home.shop.database, home.shop.subscription_id, home.shop.company_id, name)
        async with home.shop.database.tenant(home.shop.subscription_id) as tenant:
            await tenant.companies.update(home.other.company_id, {"address": None})
        task = await home.task("Não foi possível conferir Alfa Ltda")
        assert "Avise quem opera o serviço." in task.text
        assert "Beta Ltda não pode emitir" in " ".join(task.text for task in await tasks_of(home.owner))
        assert NOTHING not in await words_of_home(home.owner)


class TestWebhooks:
    async def _add(self, home: Home, disabled_reason: str | None = None) -> UUID:
        webhook_id = new_id()
        await home.execute(
            "insert into webhooks (subscription_id, id, name, url, events, topics, is_active,"
            " disabled_reason, failing_since) values ($1, $2, 'Loja', 'https://example.com', '{}', '{}', $3,"
            " $4, now() - interval '1 hour')",
            home.shop.subscription_id, webhook_id, disabled_reason is None, disabled_reason,
        )  # fmt: skip
        return webhook_id

    async def test_failing_webhook_is_shown_to_the_owner_and_not_to_a_viewer_of_all_companies(
        self, home: Home, sign_in_as: NewPanel
    ) -> None:
        webhook_id = await self._add(home)
        task = await home.task("Webhook Loja")
        assert task.text.startswith("Webhook Loja falha Falha desde ")
        assert task.links == (f"{home.owner.base}/webhooks/{webhook_id}",)
        viewer = await sign_in_as(home.shop.subscription_id, MemberRole.VIEWER)
        words = await words_of_home(viewer)
        assert ("Webhook Loja" in words, NOTHING in words) == (False, True)

    async def test_webhook_that_was_turned_off_says_why(self, home: Home) -> None:
        await self._add(home, "5 dias sem sucesso.")
        assert "Webhook Loja foi desativado 5 dias sem sucesso." in (await home.task("Webhook Loja")).text


class TestAuthorities:
    async def test_outage_is_below_the_authorities_and_needs_nobody(self, home: Home, outage: None) -> None:
        await home.shop.added()
        page = await home.owner.page(home.owner.base)
        [section] = page.xpath("//section[@aria-labelledby='autoridades']")
        assert "SEFAZ MT fora do ar desde " in words_of(section)
        assert "109: Serviço paralisado NF-e" in words_of(section)
        assert "Nenhuma falha vista" not in words_of(section)
        assert section.xpath(".//p/a/@href") == [f"{home.owner.base}/autoridades"]
        assert NOTHING in words_of(page)

    async def test_outage_is_absent_for_companies_that_send_nothing_there(
        self, home: Home, outage: None
    ) -> None:
        async with home.shop.database.tenant(home.shop.subscription_id) as tenant:
            address = {"state": "BA", "city": "Salvador"}
            await tenant.companies.update(home.other.company_id, {"address": address})
        assert "fora do ar" not in await words_of_home(home.of_other)

    async def test_contingency_after_an_outage_says_which_authority_stands_in(
        self, home: Home, outage: None
    ) -> None:
        await home.execute("update outages set since = now() - interval '1 day' where authorizer = 'MT'")
        task = await home.task("em contingência · Alfa Ltda")
        assert task.text.startswith(
            "NF-e em contingência · Alfa Ltda SEFAZ MT não responde: quem autoriza é SEFAZ Virtual de"
            " Contingência do Rio Grande do Sul, desde "
        )
        assert task.text.endswith("Autorizador MT fora de serviço: 109 Serviço paralisado")

    async def test_forced_contingency_does_not_say_that_the_normal_authority_is_silent(
        self, home: Home
    ) -> None:
        await home.shop.added()
        async with home.shop.database.tenant(home.shop.subscription_id) as tenant:
            company = await tenant.companies.set_contingency(
                home.shop.company_id, "forced", "Lentidão extrema."
            )
        assert company is not None and company.contingency_since is not None
        since = f"{in_local_time(company.contingency_since, None):%d/%m/%Y %H:%M}"
        assert (await home.task("em contingência")).text == (
            f"NF-e em contingência · Alfa Ltda Contingência forçada desde {since}: quem autoriza é SEFAZ"
            " Virtual de Contingência do Rio Grande do Sul, e não SEFAZ MT. Lentidão extrema."
        )

    async def test_contingencies_that_are_not_shown_are_counted(
        self, home: Home, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(attention, "MAX_ITEMS", 1)
        await home.shop.added()
        await home.other.added()
        async with home.shop.database.tenant(home.shop.subscription_id) as tenant:
            for shop in (home.shop, home.other):
                await tenant.companies.set_contingency(shop.company_id, "forced", "Lentidão extrema.")
        assert "E mais 1. Ver as autoridades" in await words_of_home(home.owner)


class TestFigures:
    async def test_documents_of_today_are_counted_and_the_charts_say_the_same_in_words(
        self, home: Home
    ) -> None:
        for _ in range(2):
            await home.shop.settle(await home.shop.added(amount=Decimal("600.25")))
        await home.shop.added()
        await home.shop.settle(await home.other.added())
        page = await home.owner.page(home.owner.base)
        [section] = page.xpath("//section[@aria-labelledby='hoje']")
        assert text_of(section.xpath("./h2")[0]) == f"Pedidos hoje, {datetime.now(BRASILIA):%d/%m/%Y}"
        assert "Pelo dia em que cada documento foi pedido, e pela situação que ele tem agora." in words_of(
            section
        )
        assert "1 em processamento agora." in words_of(section)
        cards = [words_of(card) for card in section.xpath(".//div[@class='card']")]
        figures = ("3 autorizados", "R$ 1.260,30 valor dos autorizados", "0 rejeitados", "0 cancelados")
        assert [card.startswith(figure) for card, figure in zip(cards, figures, strict=True)] == [True] * 4
        assert section.xpath(".//svg[@role='img']/@aria-label") == [
            "Documentos autorizados por dia do pedido: 3 nos últimos 14 dias",
            "Valor dos autorizados por dia do pedido nos últimos 14 dias",
        ]
        bars = section.xpath(".//svg")[0].xpath(".//*[local-name()='title']")
        assert (len(bars), text_of(bars[-1])) == (14, f"{datetime.now(BRASILIA):%d/%m}: 3 autorizados")

    async def test_figures_are_those_of_the_companies_that_the_person_sees(self, home: Home) -> None:
        await home.shop.settle(await home.shop.added())
        await home.shop.added()
        words = await words_of_home(home.of_other)
        assert "0 autorizados" in words
        assert "em processamento agora" not in words
