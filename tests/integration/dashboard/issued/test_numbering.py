"""The pages about numbers: series, gaps, inutilizations and attempts without an answer."""

from datetime import UTC, datetime
from uuid import UUID

from carimbo.service.filing.gaps import deadline_of
from integration.dashboard.issued.conftest import OpenWindow
from integration.dashboard.issued.pages import links_of, rows_of
from integration.dashboard.panel import text_of
from integration.issuing.number_ledger import (
    JUSTIFICATION,
    inutilize_numbers,
    rewrite,
    skip_to,
    stray,
    supersede,
)
from integration.issuing.shop import REFUSED, NewShop, Shop
from support import data_of


class TestSeriesAndGaps:
    async def test_each_series_shows_its_next_number_and_its_gaps(
        self, shop: Shop, look_at: OpenWindow
    ) -> None:
        await shop.issue("nfce")
        await shop.issue("nfe")
        await skip_to(shop, 1204, "nfe")
        window = await look_at(shop)
        page = await window.page("/numeracao")
        series = {row[0]: row[1:] for row in rows_of(page, "Séries")}
        assert series["NFC-e"] == ["1", "Produção", "2", "Nenhuma"]
        assert series["NF-e"][2] == "1.205"
        assert series["NF-e"][3].startswith("1 lacuna prazo 10/")
        ((numbers, deadline, advice, reason),) = rows_of(page, "Números a inutilizar")
        assert numbers.startswith("2 a 1.203 NF-e, série 1")
        assert reason == "Pulado na sequência: nenhum documento foi enviado."
        assert advice == "Inutilizar"
        assert deadline.startswith("10/")

    async def test_rejected_document_is_linked_with_what_to_do(self, shop: Shop, look_at: OpenWindow) -> None:
        document = await shop.issue(notes=REFUSED)
        page = await (await look_at(shop)).page("/numeracao")
        ((_, _, advice, reason),) = rows_of(page, "Números a inutilizar")
        assert reason == "O documento com este número foi rejeitado."
        assert advice.startswith("Corrigir e emitir o documento de novo, ou inutilizar.")
        assert links_of(page, "/documentos/")[0].endswith(document["id"])

    async def test_gap_with_the_shortest_term_comes_first_and_is_marked_when_it_is_over(
        self, shop: Shop, look_at: OpenWindow
    ) -> None:
        await shop.issue()
        await skip_to(shop, 4)
        await skip_to(shop, 7)
        await rewrite(shop, 7, "issued_at = issued_at - interval '70 days'")
        page = await (await look_at(shop)).page("/numeracao")
        first, second = rows_of(page, "Números a inutilizar")
        assert (first[0][:5], second[0][:5]) == ("5 a 6", "2 a 3")
        assert first[1].endswith("Vencido")
        assert "Vencido" not in second[1]
        term = deadline_of(datetime.now(UTC))
        assert f"/{term.year}" in second[1]

    async def test_numbers_that_must_wait_are_on_the_page_of_their_series_alone(
        self, shop: Shop, look_at: OpenWindow
    ) -> None:
        await shop.issue()
        await supersede(shop, await skip_to(shop, 3), 2, "sent")
        window = await look_at(shop)
        page = await window.page("/numeracao")
        assert "Nenhum número precisa ser inutilizado." in text_of(page)
        (address,) = links_of(page, "/numeracao/nfe/")
        rows = rows_of(await window.panel.page(address), "Lacunas")
        assert rows == [
            [
                "2",
                "–",
                "Esperar: o carimbo pergunta até saber. Ver o documento",
                "Ainda não se sabe se a SEFAZ tem um documento com este número.",
            ]
        ]

    async def test_gaps_of_a_type_without_inutilization_need_nothing(
        self, shop: Shop, look_at: OpenWindow
    ) -> None:
        await shop.issue()
        await skip_to(shop, 4)
        await shop.system.fetch(
            "update number_sequences set document_type = 'cte' where company_id = $1", UUID(shop.id)
        )
        await shop.system.fetch(
            "update emissions set document_type = 'cte' where company_id = $1", UUID(shop.id)
        )
        window = await look_at(shop)
        page = await window.page("/numeracao")
        assert rows_of(page, "Números a inutilizar") == []
        (address,) = links_of(page, "/numeracao/cte/")
        ((numbers, deadline, advice, _),) = rows_of(await window.panel.page(address), "Lacunas")
        assert (numbers, deadline) == ("2 a 3", "–")
        assert advice == "Nada: este tipo de documento não tem inutilização."

    async def test_gaps_of_a_huge_series_are_on_its_own_page_alone(
        self, shop: Shop, look_at: OpenWindow
    ) -> None:
        await shop.issue()
        await skip_to(shop, 250_000)
        window = await look_at(shop)
        page = await window.page("/numeracao")
        assert "Séries com muitos números não são lidas aqui" in text_of(page)
        assert "Nenhum número precisa ser inutilizado." not in text_of(page)
        ((*_, shown),) = rows_of(page, "Séries")
        assert shown == "Procurar lacunas"
        (address,) = links_of(page, "/numeracao/nfe/")
        ((numbers, *_),) = rows_of(await window.panel.page(address), "Lacunas")
        assert numbers == "2 a 249.999"

    async def test_series_that_does_not_exist_is_not_found(self, shop: Shop, look_at: OpenWindow) -> None:
        window = await look_at(shop)
        for rest in ("nfe/production/1", "nfe/x/y", "x/production/" + "9" * 5000):
            assert (await window.answer(f"/numeracao/{rest}")).status_code == 404

    async def test_company_that_inutilizes_by_itself_says_so(self, shop: Shop, look_at: OpenWindow) -> None:
        await shop.issue()
        await skip_to(shop, 3)
        window = await look_at(shop)
        sentence = "O carimbo os inutiliza sozinho nos últimos dias do prazo."
        assert sentence not in text_of(await window.page("/numeracao"))
        await shop.put_settings(numbering={"inutilizeGaps": "automatic"})
        assert sentence in text_of(await window.page("/numeracao"))


class TestInutilizations:
    async def test_inutilizations_of_all_types_are_listed_with_their_outcome_and_xml(
        self, shop: Shop, new_shop: NewShop, look_at: OpenWindow
    ) -> None:
        await inutilize_numbers(await new_shop(shop.caller), 1, 2)
        refused = await inutilize_numbers(shop, 1, 1, "nfce", justification="SIMULA:REJEICAO:241")
        assert refused.status_code == 422, refused.text
        done = data_of(await inutilize_numbers(shop, 1, 4))
        window = await look_at(shop)
        page = await window.page("/numeracao")
        newest, older = rows_of(page, "Inutilizações")
        assert newest[0].startswith("1 a 4 NF-e, série 1")
        assert newest[1:3] == [JUSTIFICATION, f"Inutilizada Protocolo {done['protocol']}"]
        assert (older[0].startswith("1 NFC-e"), older[2][:14]) == (True, "Recusada 241: ")
        (address,) = links_of(page, "/xml")
        file = await window.panel.http.get(address)
        assert (file.status_code, file.headers["content-type"]) == (200, "application/xml")
        assert f'filename="{done["id"]}.xml"' in file.headers["content-disposition"]
        assert done["protocol"].encode() in file.content

    async def test_older_inutilizations_have_pages_of_their_own(
        self, shop: Shop, look_at: OpenWindow
    ) -> None:
        await inutilize_numbers(shop, 1, 1)
        await shop.system.fetch(
            "insert into inutilizations select (jsonb_populate_record(original, jsonb_build_object("
            " 'id', gen_random_uuid(), 'first_number', number, 'last_number', number,"
            " 'created_at', original.created_at + number * interval '1 second'))).*"
            " from inutilizations original, generate_series(2, 27) as number where company_id = $1",
            UUID(shop.id),
        )
        window = await look_at(shop)
        page = await window.page("/numeracao")
        assert [row[0].split()[0] for row in rows_of(page, "Inutilizações")] == ["27", "26", "25", "24", "23"]
        (address,) = page.xpath("//main//a[text()='Ver todas as inutilizações']/@href")
        second = await window.panel.page(f"{address}?pagina=2")
        assert [row[0].split()[0] for row in rows_of(second, "Inutilizações")] == ["2", "1"]

    async def test_gaps_and_inutilizations_download_as_csv(self, shop: Shop, look_at: OpenWindow) -> None:
        await inutilize_numbers(shop, 1, 4)
        await shop.issue()
        await skip_to(shop, 77)
        window = await look_at(shop)
        (address,) = (await window.page("/numeracao")).xpath("//a[text()='Baixar CSV']/@href")
        assert ";6;76;" in (await window.panel.http.get(address)).text
        assert JUSTIFICATION in (await window.answer("/numeracao/inutilizacoes?formato=csv")).text

    async def test_inutilization_of_another_company_has_no_xml_here(
        self, shop: Shop, new_shop: NewShop, look_at: OpenWindow
    ) -> None:
        foreign = data_of(await inutilize_numbers(await new_shop(shop.caller), 1, 1))
        window = await look_at(shop)
        for document_type in ("nfe", "nfse", "x"):
            address = f"/numeracao/inutilizacoes/{document_type}/{foreign['id']}/xml"
            assert (await window.answer(address)).status_code == 404


class TestAttemptsWithoutAnswer:
    async def test_open_attempts_are_listed_and_settled_ones_are_not(
        self, shop: Shop, new_shop: NewShop, look_at: OpenWindow
    ) -> None:
        neighbour = await new_shop(shop.caller)
        due = "next_action_at = '2999-01-15T12:00:00Z'"
        for owner, number, changes in (
            (shop, 41, due),
            (shop, 42, "parked_reason = 'failed'"),
            (shop, 43, "next_action_at = null"),
            (neighbour, 44, due),
        ):
            document = await owner.issue()
            await supersede(owner, document, number, "sent")
            await stray(owner, document)
            statement = f"update strays set {changes} where document_id = $1"
            await shop.system.fetch(statement, UUID(document["id"]))
        page = await (await look_at(shop)).page("/numeracao")
        rows = rows_of(page, "Tentativas sem resposta")
        assert [(row[0].split()[0], row[3]) for row in rows] == [
            ("42", "Parada Avise quem opera o serviço."),
            ("41", "15/01/2999 09:00"),
        ]
