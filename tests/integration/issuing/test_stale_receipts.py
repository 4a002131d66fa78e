"""NFC-e that were signed too long ago to be sent as they are."""

import re
from datetime import datetime, timedelta

from carimbo.fiscal.outcome import Duplicate
from integration.issuing.floor import Floor
from integration.issuing.scripted import (
    DUPLICATE,
    LOST,
    OUT,
    TOO_LONG,
    UNKNOWN,
    Script,
    after,
    authorizing,
    playing,
)
from integration.issuing.shop import Shop
from support import data_of

ISSUED_AT = re.compile(r"<dhEmi>([^<]+)</dhEmi>")


class TestReceiptTooOldToBeSent:
    """An NFC-e is refused for its age five minutes after its issue (MOC 7.0, rule 704)."""

    async def test_after_an_outage_it_is_signed_anew(self, floor: Floor, shop: Shop) -> None:
        async with playing(floor, shop, after(TOO_LONG, OUT), authorizing()) as play:
            document = await play.perform(await shop.create("nfce"))
            assert document["status"] == "authorized"
            first, second = play.script.sent
            assert first.access_key == second.access_key
            assert first.digest_value != second.digest_value

    async def test_an_nfe_that_goes_no_other_way_goes_out_as_it_was_signed(
        self, floor: Floor, shop: Shop
    ) -> None:
        data_of(await shop.caller.http.put(shop.path("/contingency"), json={"mode": "forbidden"}))
        async with playing(floor, shop, after(TOO_LONG, OUT), authorizing()) as play:
            assert (await play.perform(await shop.create()))["status"] == "authorized"
            first, second = play.script.sent
            assert first == second

    async def test_the_older_version_is_adopted_with_its_own_moment(self, floor: Floor, shop: Shop) -> None:
        lines = (LOST, after(TOO_LONG, UNKNOWN), DUPLICATE, authorizing(version=0))
        async with playing(floor, shop, *lines) as play:
            document = await play.perform(await shop.create("nfce"))
            xml = (await shop.get(f"/nfce/{document['id']}/xml")).text
            assert play.script.sent[0].digest_value in xml
            found = ISSUED_AT.search(xml)
            assert found
            assert datetime.fromisoformat(document["issuedAt"]) == datetime.fromisoformat(found[1])

    async def test_of_another_month_an_older_version_is_found_by_its_own_key(
        self, floor: Floor, shop: Shop
    ) -> None:
        def named(script: Script) -> Duplicate:
            return Duplicate(code="539", message="Duplicidade", other_key=script.sent[0].access_key)

        lines = (LOST, after(timedelta(days=31), UNKNOWN), named, authorizing(version=0))
        async with playing(floor, shop, *lines) as play:
            document = await play.perform(await shop.create("nfce"))
            first, second = play.script.sent
            assert first.access_key != second.access_key
            assert play.script.consulted[-1] == first.access_key
            assert (document["status"], document["number"]) == ("authorized", 1)
            assert document["accessKey"] == first.access_key

    async def test_of_another_month_the_newest_goes_out_under_its_own_key_if_the_older_is_unknown_after_all(
        self, floor: Floor, shop: Shop
    ) -> None:
        def named(script: Script) -> Duplicate:
            return Duplicate(code="539", message="Duplicidade", other_key=script.sent[0].access_key)

        lines = (LOST, after(timedelta(days=31), UNKNOWN), named, UNKNOWN, authorizing())
        async with playing(floor, shop, *lines) as play:
            document = await play.perform(await shop.create("nfce"))
            first, second, third = play.script.sent
            assert third == second
            assert (document["status"], document["accessKey"]) == ("authorized", second.access_key)
            assert first.access_key != second.access_key
