"""Unusual answers about NF-e and NFC-e: another route, a printed receipt, a lot."""

from dataclasses import replace

import pytest

from carimbo.fiscal.emission import EmissionType
from carimbo.fiscal.identity.access_key import AccessKey
from carimbo.fiscal.outcome import Duplicate, Outcome, Processing
from carimbo.service import outage_board
from integration.issuing.point_of_sale import point_of_sale_of
from integration.issuing.scripted import (
    LOST,
    TOO_LONG,
    UNKNOWN,
    Script,
    after,
    authorizing,
    scripted_authorities,
)
from integration.issuing.shop import Shop
from integration.issuing.system import System
from support import data_of


def taken_by_svc(script: Script) -> Duplicate:
    """The state authority's answer about a number that the SVC authorized with the same code."""
    key = AccessKey.parse(script.sent[-1].access_key)
    whose = (key.state_code, key.year_month, key.tax_id, key.model, key.series, key.number)
    other = AccessKey(*whose, EmissionType.SVC_AN, key.numeric_code)
    return Duplicate(code="539", message="Duplicidade com diferença na chave", other_key=str(other))


class TestDuplicate:
    async def test_duplicate_of_a_printed_receipt_does_not_mention_backups(
        self, system: System, shop: Shop
    ) -> None:
        """The point of sale made its key, and may have sent other bytes under it itself."""
        point_of_sale = await point_of_sale_of(shop)
        async with scripted_authorities(system, shop, LOST, authorizing(digest="AAAA")) as worker:
            refused = await worker.advance(await point_of_sale.submit(point_of_sale.paper(7)))
            status, rejection = refused["status"], refused["rejection"]
            assert (status, rejection["code"], rejection["retryable"]) == ("rejected", "204", False)
            assert "backup" not in rejection["hint"]

    async def test_duplicate_that_went_another_route_with_our_code_is_not_issued_again(
        self, system: System, shop: Shop
    ) -> None:
        """The SVC has authorized it since the backup."""
        async with scripted_authorities(system, shop, taken_by_svc, authorizing()) as worker:
            refused = await worker.advance(await shop.create())
            status, rejection = refused["status"], refused["rejection"]
            assert (status, rejection["code"], rejection["retryable"]) == ("rejected", "539", False)
            assert "backup" in rejection["hint"]


class TestLot:
    async def test_lot_is_queried_by_its_receipt(self, system: System, shop: Shop) -> None:
        taken = Processing(code="103", message="Lote recebido", receipt="351230000000001", wait_seconds=0)
        async with scripted_authorities(system, shop, taken, authorizing()) as worker:
            assert (await worker.advance(await shop.create()))["status"] == "authorized"
            assert worker.script.calls == ["send", "receipt"]


class TestClosedSvc:
    """A document that was sent to an SVC, which closes before the result is known."""

    TOO_EARLY = replace(UNKNOWN, may_come=True)

    async def test_document_sent_to_a_closed_svc_takes_another_number(
        self, system: System, shop: Shop
    ) -> None:
        """The state's authority gets the SVC's documents later: a missing document there proves nothing."""
        data_of(await shop.caller.http.put(shop.path("/contingency"), json={"mode": "forced"}))
        lines = (self.closing, self.TOO_EARLY, after(TOO_LONG, self.TOO_EARLY), authorizing())
        async with scripted_authorities(system, shop, *lines) as worker:
            # Only once the worker has stopped: it may still record an outage.
            await system.fetch("delete from outages")
            document = await worker.advance(await shop.create())
        assert [signed.access_key[25:35] for signed in worker.script.sent] == [
            "0000000016",
            "0000000021",
        ]
        assert (document["status"], document["number"], document["contingency"]) == ("authorized", 2, None)
        (row,) = await system.fetch("select emission from strays where document_id = $1", document["id"])
        assert row["emission"] == 1

    async def test_document_that_may_still_arrive_keeps_its_route(
        self, system: System, shop: Shop, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """Contingency is forced while the request may still arrive: another key could make a second one."""
        monkeypatch.setattr(outage_board, "_FRESH_SECONDS", 0.0)
        async with scripted_authorities(system, shop, LOST) as worker:
            document = await worker.advance(await shop.create())
            await system.fetch("delete from outages")
            worker.script.begin(UNKNOWN, authorizing())
            data_of(await shop.caller.http.put(shop.path("/contingency"), json={"mode": "forced"}))
            document = await worker.advance(document)
        assert [signed.access_key[34] for signed in worker.script.sent] == ["1"]
        assert (document["status"], document["number"], document["contingency"]) == ("authorized", 1, None)

    @staticmethod
    def closing(script: Script) -> Outcome:
        """Loses the answer, and closes the SVC."""
        script.stand_in = LOST
        return LOST
