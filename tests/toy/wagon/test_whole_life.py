"""The whole life of a document of a second SEFAZ family; only the files of this folder define it."""

import asyncio
from typing import Any

import httpx2
import pytest
from lxml import etree

from integration.issuing.actions import xml_of
from integration.issuing.printer import ask, ask_event, digits, last_event, pdf_of
from integration.issuing.shop import Shop, error_of
from integration.issuing.system import System
from pdf_reading import text_of
from support import data_of
from toy.wagon.layout import DIALECT

RECEPTION, CONSULT, EVENT = "MDFeRecepcaoSinc", "MDFeConsulta", "MDFeRecepcaoEvento"


async def close(shop: Shop, record: dict[str, Any]) -> httpx2.Response:
    return await shop.post(f"/wagon/{record['id']}/close", {"city": "Santos"})


async def requests_about(system: System, record: dict[str, Any]) -> list[tuple[str, str]]:
    """Returns the requests to the simulator about a document, with the codes of the answers."""
    return [(entry["service"], entry["code"]) for entry in await system.journal(record["accessKey"])]


@pytest.fixture
async def issued(shop: Shop) -> dict[str, Any]:
    """An authorized bill."""
    return await shop.issue("wagon")


class TestWagonBill:
    async def test_wagon_bill_is_authorized_in_the_namespace_of_its_family(
        self, system: System, shop: Shop, issued: dict[str, Any]
    ) -> None:
        assert (issued["status"], issued["number"], issued["closedAt"]) == ("authorized", 1, None)
        assert await requests_about(system, issued) == [(RECEPTION, "100")]
        root = etree.fromstring(await xml_of(shop, issued))
        assert root.tag == f"{{{DIALECT.namespace}}}toyProc"
        assert [etree.QName(child).localname for child in root] == ["Toy", "protToy"]

    async def test_wagon_bill_that_breaks_its_rule_is_refused_before_it_is_sent(self, shop: Shop) -> None:
        body = {"receiver": "Ferrovia do Norte", "amount": 1500, "axles": 9}
        details = error_of(await shop.post("/wagon", body), 422, "FISCAL_RULE_VIOLATION")
        assert [(rule["code"], rule["field"]) for rule in details["rules"]] == [("901", "axles")]

    async def test_wagon_bill_that_the_authority_refuses_is_rejected_with_its_code(self, shop: Shop) -> None:
        record = await shop.issue("wagon", notes="broken")
        assert (record["status"], record["rejection"]["code"]) == ("rejected", "612")

    async def test_wagon_bill_is_printed_as_a_plain_page(self, shop: Shop, issued: dict[str, Any]) -> None:
        name = f'"WAGON-{issued["accessKey"]}.pdf"'
        assert issued["accessKey"] in digits(text_of(pdf_of(await ask(shop, issued), name)))

    async def test_wagon_bill_is_closed_by_its_event(
        self, system: System, shop: Shop, issued: dict[str, Any]
    ) -> None:
        event = data_of(await close(shop, issued))
        assert (event["type"], event["status"], event["authorityCode"]) == ("close", "authorized", "135")
        assert await requests_about(system, issued) == [(RECEPTION, "100"), (EVENT, "135")]
        after = await shop.read(issued)
        assert (after["status"], after["closedAt"] is not None) == ("authorized", True)
        name = f'"Chegada-{issued["accessKey"]}.pdf"'
        assert "Santos" in text_of(pdf_of(await ask_event(shop, issued, event["id"]), name))

    async def test_wagon_bill_whose_answer_is_lost_is_consulted_and_not_sent_again(
        self, system: System, shop: Shop
    ) -> None:
        await system.switch(lostAnswers=1)
        document = await shop.create("wagon")
        await system.until(
            f"exists (select from emissions where document_id = '{document['id']}' and tries > 0)"
        )
        await system.switch(lostAnswers=0)
        record = await shop.settled(document)
        assert (record["status"], record["number"]) == ("authorized", 1)
        entries = await requests_about(system, record)
        assert [entry for entry in entries if entry[0] == RECEPTION] == [(RECEPTION, "100")]
        assert entries[-1] == (CONSULT, "100")

    async def test_closing_without_an_answer_is_not_registered_twice(
        self, system: System, shop: Shop, issued: dict[str, Any]
    ) -> None:
        await system.switch(lostAnswers=1)
        request = asyncio.create_task(close(shop, issued))
        await system.until(
            f"exists (select from event_filings where document_id = '{issued['id']}' and tries > 0)"
        )
        await system.switch(lostAnswers=0)
        assert data_of(await request)["authorityCode"] == "135"
        assert [entry for entry in await requests_about(system, issued) if entry[0] == EVENT] == [
            (EVENT, "135")
        ]
        assert (await last_event(shop, issued))["type"] == "close"
