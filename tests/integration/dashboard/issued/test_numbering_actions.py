"""Inutilizing numbers from the pages about numbering."""

from typing import Any
from uuid import UUID

import httpx2
import pytest
from lxml import html

from carimbo.service.people.roles import MemberRole
from integration.dashboard.issued.conftest import OpenWindow, ShopWindow
from integration.dashboard.issued.event_pages import actions_on, refusal_of
from integration.dashboard.issued.pages import facts_of, links_of, rows_of
from integration.dashboard.issued.test_issue_forms import problems_of
from integration.dashboard.panel import fields_of, new_panel, text_of
from integration.issuing.actions import switch_environment
from integration.issuing.number_ledger import JUSTIFICATION, rewrite, skip_to
from integration.issuing.shop import Shop


async def ranges_of(shop: Shop) -> list[tuple[Any, ...]]:
    """Returns the numbers of all inutilizations, with their years, read from the database."""
    rows = await shop.system.fetch(
        "select document_type, first_number, last_number, year from inutilizations"
        " where company_id = $1 order by document_type, first_number",
        UUID(shop.id),
    )
    return [tuple(row) for row in rows]


async def until_answered(shop: Shop) -> None:
    open_ranges = f"select from inutilizations where company_id = '{UUID(shop.id)}' and state = 'queued'"
    await shop.system.until(f"not exists ({open_ranges})")


async def press(window: ShopWindow, address: str, button: str, **typed: str) -> httpx2.Response:
    return await window.panel.press(await window.panel.page(address), button, **typed)


class TestRange:
    async def test_gap_is_inutilized_from_its_line(self, shop: Shop, look_at: OpenWindow) -> None:
        await shop.issue()
        await skip_to(shop, 4)
        window = await look_at(shop)
        (address,) = links_of(await window.page("/numeracao"), "/inutilizar?")
        form = await window.panel.page(address)
        assert facts_of(form)["Ambiente"] == "Produção"
        answer = await window.panel.press(form, "Inutilizar", justification=JUSTIFICATION)
        assert answer.headers["location"].partition("?")[0] == f"{window.base}/numeracao/inutilizacoes"
        await until_answered(shop)
        page = await window.panel.page(answer.headers["location"])
        ((numbers, reason, status, _, file),) = rows_of(page, "Inutilizações")
        assert (numbers.split(" NF-e")[0], reason, file) == ("2 a 3", JUSTIFICATION, "Baixar XML")
        assert status.startswith("Inutilizada Protocolo")
        assert page.xpath("//*[@hx-get]") == []

    async def test_gap_of_last_year_is_inutilized_in_its_year(self, shop: Shop, look_at: OpenWindow) -> None:
        await shop.issue()
        await skip_to(shop, 4)
        last_year = "issued_at = date_trunc('year', issued_at) - interval '5 days'"
        await rewrite(shop, 4, last_year)
        window = await look_at(shop)
        (address,) = links_of(await window.page("/numeracao"), "/inutilizar?")
        (row,) = await shop.system.fetch("select extract(year from now())::int - 1 as year")
        form = await window.panel.page(address)
        assert fields_of(form.xpath("//*[@id='acao']//form")[0])["year"] == str(row["year"])
        await window.panel.press(form, "Inutilizar", justification=JUSTIFICATION)
        assert await ranges_of(shop) == [("nfe", 2, 3, row["year"])]

    async def test_gap_of_more_numbers_than_one_request_takes_begins_with_the_first_ones(
        self, shop: Shop, look_at: OpenWindow
    ) -> None:
        await shop.issue()
        await skip_to(shop, 2002)
        window = await look_at(shop)
        (address,) = links_of(await window.page("/numeracao"), "/inutilizar?")
        assert "&de=2&ate=1001&" in address

    async def test_what_is_wrong_is_said_beside_its_input_and_nothing_is_filed(
        self, shop: Shop, look_at: OpenWindow
    ) -> None:
        document, window = await shop.issue(), await look_at(shop)
        address = f"{window.base}/numeracao/inutilizar"
        numbers = {"series": "1", "numberStart": "12", "numberEnd": "10", "justification": "curta"}
        page = refusal_of(await press(window, address, "Inutilizar", type="nfe", **numbers))
        assert set(problems_of(page)) == {"numberEnd", "justification"}
        used = numbers | {"numberStart": str(document["number"]), "justification": JUSTIFICATION}
        page = refusal_of(await press(window, address, "Inutilizar", type="nfe", **used))
        assert "já foi usado" in text_of(page.get_element_by_id("problemas"))
        assert await ranges_of(shop) == []

    async def test_form_of_another_environment_is_refused(self, shop: Shop, look_at: OpenWindow) -> None:
        await shop.issue()
        await skip_to(shop, 4)
        window = await look_at(shop)
        (address,) = links_of(await window.page("/numeracao"), "/inutilizar?")
        form = await window.panel.page(address)
        await switch_environment(shop, "homologation")
        page = refusal_of(await window.panel.press(form, "Inutilizar", justification=JUSTIFICATION))
        assert "Algo mudou enquanto esta página estava aberta" in text_of(page)
        assert await ranges_of(shop) == []
        # The gap is one of production, where the company does not file now.
        assert links_of(await window.page("/numeracao"), "/inutilizar?") == []


class TestAllGaps:
    async def test_listed_gaps_of_all_types_are_inutilized(self, shop: Shop, look_at: OpenWindow) -> None:
        for document_type in ("nfe", "nfce"):
            await shop.issue(document_type)
            await skip_to(shop, 4, document_type)
        window = await look_at(shop)
        assert "Inutilizar todas as lacunas" in actions_on(await window.page("/numeracao"))
        address = f"{window.base}/numeracao/inutilizar-lacunas"
        form = await window.panel.page(address)
        listed = [(row[0], row[2]) for row in rows_of(form, "Números que serão inutilizados")]
        assert sorted(listed) == [("NF-e", "2 a 3"), ("NFC-e", "2 a 3")]
        answer = await window.panel.press(form, "Inutilizar todas")
        assert answer.headers["location"].endswith("/numeracao/inutilizacoes?aviso=na-fila")
        assert [row[:3] for row in await ranges_of(shop)] == [("nfce", 2, 3), ("nfe", 2, 3)]
        await until_answered(shop)
        answer = await window.panel.http.get(address)
        assert (answer.status_code, "Nenhum número pode ser inutilizado agora." in answer.text) == (409, True)

    async def test_gap_that_nobody_has_seen_is_not_inutilized(self, shop: Shop, look_at: OpenWindow) -> None:
        await shop.issue()
        await skip_to(shop, 4)
        window = await look_at(shop)
        form = await window.panel.page(f"{window.base}/numeracao/inutilizar-lacunas")
        await skip_to(shop, 7)
        answer = await window.panel.press(form, "Inutilizar todas")
        page = refusal_of(answer)
        assert "confira outra vez antes de confirmar" in text_of(page)
        assert [row[2] for row in rows_of(page, "Números que serão inutilizados")] == ["2 a 3", "5 a 6"]
        assert await ranges_of(shop) == []
        again = await window.panel.press(html.fromstring(answer.text), "Inutilizar todas")
        assert again.status_code == 303
        assert len(await ranges_of(shop)) == 2


@pytest.mark.parametrize("role", [MemberRole.ACCOUNTANT, MemberRole.VIEWER])
async def test_people_who_only_read_see_no_button(shop: Shop, role: MemberRole) -> None:
    await shop.issue()
    await skip_to(shop, 4)
    system = shop.system
    panel = await new_panel(system.app, system.database, shop.caller.subscription_id, role)
    async with panel.http:
        page = await panel.page(f"{panel.company(shop.id)}/numeracao")
    assert actions_on(page) == []
    ((_, _, advice, _),) = rows_of(page, "Números a inutilizar")
    assert advice == "Inutilizar."
