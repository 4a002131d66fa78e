"""Fates of real documents that the authorities of goods tell oddly: by another way, by paper, by a lot."""

from dataclasses import replace

import pytest

from carimbo.fiscal.access_key import AccessKey
from carimbo.fiscal.emission import EmissionType
from carimbo.fiscal.outcome import Duplicate, Outcome, Processing
from carimbo.service import outage_board
from integration.issuing.floor import Floor
from integration.issuing.scripted import LOST, TOO_LONG, UNKNOWN, Script, after, authorizing, playing
from integration.issuing.shop import Shop
from integration.issuing.till import till_of
from support import data_of


def taken_by_svc(script: Script) -> Duplicate:
    """What the authority of the state says of a number that the SVC authorised with the same code."""
    key = AccessKey.parse(script.sent[-1].access_key)
    whose = (key.state_code, key.year_month, key.tax_id, key.model, key.series, key.number)
    other = AccessKey(*whose, EmissionType.SVC_AN, key.numeric_code)
    return Duplicate(code="539", message="Duplicidade com diferença na chave", other_key=str(other))


class TestDuplicate:
    async def test_of_a_paper_says_nothing_of_backups(self, floor: Floor, shop: Shop) -> None:
        """Its key is the till's: who has sent other bytes under it was perhaps the till itself."""
        till = await till_of(shop)
        async with playing(floor, shop, LOST, authorizing(digest="AAAA")) as play:
            refused = await play.perform(await till.hand_over(till.paper(7)))
            status, rejection = refused["status"], refused["rejection"]
            assert (status, rejection["code"], rejection["retryable"]) == ("rejected", "204", False)
            assert "backup" not in rejection["hint"]

    async def test_that_went_another_way_under_our_code_is_not_issued_once_more(
        self, floor: Floor, shop: Shop
    ) -> None:
        """The SVC has it, since the backup."""
        async with playing(floor, shop, taken_by_svc, authorizing()) as play:
            refused = await play.perform(await shop.create())
            status, rejection = refused["status"], refused["rejection"]
            assert (status, rejection["code"], rejection["retryable"]) == ("rejected", "539", False)
            assert "backup" in rejection["hint"]


class TestLot:
    async def test_a_lot_is_asked_for_by_its_receipt(self, floor: Floor, shop: Shop) -> None:
        taken = Processing(code="103", message="Lote recebido", receipt="351230000000001", wait_seconds=0)
        async with playing(floor, shop, taken, authorizing()) as play:
            assert (await play.perform(await shop.create()))["status"] == "authorized"
            assert play.script.asked == ["send", "receipt"]


class TestAtTheStandIn:
    """A document that was sent to an SVC, which closes before anybody knows what became of it."""

    TOO_EARLY = replace(UNKNOWN, may_come=True)

    async def test_is_not_sent_again_under_its_number(self, floor: Floor, shop: Shop) -> None:
        """The state's own authority gets the SVC's documents later: that it has none says nothing."""
        data_of(await shop.caller.http.put(shop.path("/contingency"), json={"mode": "forced"}))
        lines = (self.closing, self.TOO_EARLY, after(TOO_LONG, self.TOO_EARLY), authorizing())
        async with playing(floor, shop, *lines) as play:
            # Not before the worker is at rest: what it still has to do may tell of an outage.
            await floor.fetch("delete from outages")
            document = await play.perform(await shop.create())
        assert [signed.access_key[25:35] for signed in play.script.sent] == ["0000000016", "0000000021"]
        assert (document["status"], document["number"], document["contingency"]) == ("authorized", 2, None)
        (row,) = await floor.fetch("select emission from strays where document_id = $1", document["id"])
        assert row["emission"] == 1

    async def test_what_the_normal_authority_may_still_get_keeps_its_way(
        self, floor: Floor, shop: Shop, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """Contingency is forced while it does not have the document yet: another key could be a second."""
        monkeypatch.setattr(outage_board, "_FRESH_SECONDS", 0.0)
        async with playing(floor, shop, LOST) as play:
            document = await play.perform(await shop.create())
            await floor.fetch("delete from outages")
            play.script.begin(UNKNOWN, authorizing())
            data_of(await shop.caller.http.put(shop.path("/contingency"), json={"mode": "forced"}))
            document = await play.perform(document)
        assert [signed.access_key[34] for signed in play.script.sent] == ["1"]
        assert (document["status"], document["number"], document["contingency"]) == ("authorized", 1, None)

    @staticmethod
    def closing(script: Script) -> Outcome:
        """An answer that is lost, after which the SVC does not serve any more."""
        script.stand_in = LOST
        return LOST
