"""NFC-e that were signed too long ago to be sent as they are."""

import re
from datetime import datetime, timedelta

from carimbo.fiscal.outcome import Duplicate
from integration.issuing.scripted import (
    DUPLICATE,
    LOST,
    OUT,
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

ISSUED_AT = re.compile(r"<dhEmi>([^<]+)</dhEmi>")


class TestStaleReceipt:
    """An NFC-e is refused for its age five minutes after its issue (MOC 7.0, rule 704)."""

    async def test_nfce_is_signed_again_after_an_outage(self, system: System, shop: Shop) -> None:
        async with scripted_authorities(system, shop, after(TOO_LONG, OUT), authorizing()) as worker:
            document = await worker.advance(await shop.create("nfce"))
            assert document["status"] == "authorized"
            first, second = worker.script.sent
            assert first.access_key == second.access_key
            assert first.digest_value != second.digest_value

    async def test_nfe_without_another_route_is_sent_as_it_was_signed(
        self, system: System, shop: Shop
    ) -> None:
        data_of(await shop.caller.http.put(shop.path("/contingency"), json={"mode": "forbidden"}))
        async with scripted_authorities(system, shop, after(TOO_LONG, OUT), authorizing()) as worker:
            assert (await worker.advance(await shop.create()))["status"] == "authorized"
            first, second = worker.script.sent
            assert first == second

    async def test_authorized_older_version_is_adopted_with_its_own_time(
        self, system: System, shop: Shop
    ) -> None:
        lines = (LOST, after(TOO_LONG, UNKNOWN), DUPLICATE, authorizing(version=0))
        async with scripted_authorities(system, shop, *lines) as worker:
            document = await worker.advance(await shop.create("nfce"))
            xml = (await shop.get(f"/nfce/{document['id']}/xml")).text
            assert worker.script.sent[0].digest_value in xml
            match = ISSUED_AT.search(xml)
            assert match
            assert datetime.fromisoformat(document["issuedAt"]) == datetime.fromisoformat(match[1])

    async def test_authorized_older_version_of_another_month_is_consulted_by_its_own_key(
        self, system: System, shop: Shop
    ) -> None:
        def named(script: Script) -> Duplicate:
            return Duplicate(code="539", message="Duplicidade", other_key=script.sent[0].access_key)

        lines = (LOST, after(timedelta(days=31), UNKNOWN), named, authorizing(version=0))
        async with scripted_authorities(system, shop, *lines) as worker:
            document = await worker.advance(await shop.create("nfce"))
            first, second = worker.script.sent
            assert first.access_key != second.access_key
            assert worker.script.consulted[-1] == first.access_key
            assert (document["status"], document["number"]) == ("authorized", 1)
            assert document["accessKey"] == first.access_key

    async def test_newest_version_is_sent_if_the_older_one_of_another_month_is_unknown(
        self, system: System, shop: Shop
    ) -> None:
        def named(script: Script) -> Duplicate:
            return Duplicate(code="539", message="Duplicidade", other_key=script.sent[0].access_key)

        lines = (LOST, after(timedelta(days=31), UNKNOWN), named, UNKNOWN, authorizing())
        async with scripted_authorities(system, shop, *lines) as worker:
            document = await worker.advance(await shop.create("nfce"))
            first, second, third = worker.script.sent
            assert third == second
            assert (document["status"], document["accessKey"]) == ("authorized", second.access_key)
            assert first.access_key != second.access_key
