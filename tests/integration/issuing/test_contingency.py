"""An authority that is out of service: NF-e go to the one that stands in for it, and come back."""

from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from datetime import datetime
from typing import Any

import pytest

from carimbo.authorities import status_board
from carimbo.fiscal.certificate import A1Certificate
from carimbo.fiscal.schemas import Schema, Schemas
from carimbo.fiscal.xml_reading import read_xml
from carimbo.service import outage_board
from carimbo.simulator.run import Simulator
from carimbo.storage.migrate import migrate
from integration.conftest import NewDatabase
from integration.issuing.actions import cancel
from integration.issuing.floor import Floor, open_floor
from integration.issuing.shop import Shop, ready_shop
from support import data_of, fields_of

OUT = {"SP": "109"}
REASON = "Autorizador da UF com lentidão extrema"
AUTHORIZATION = "NFeAutorizacao4"
HASTE = {
    "CONTINGENCY_AFTER_SECONDS": "1",
    "LEASE_SECONDS": "2",
    "AUTHORITY_CONNECT_SECONDS": "0.5",
    "AUTHORITY_READ_SECONDS": "1",
}


@pytest.fixture(scope="module")
def prompt_board() -> Iterator[None]:
    """What is known of authorities is asked again at once: in earnest it is good for some seconds."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(status_board, "_FRESH_SECONDS", 0.1)
        patch.setattr(outage_board, "_FRESH_SECONDS", 0.0)
        yield


@pytest.fixture(scope="module")
async def hasty(
    prompt_board: None, new_database: NewDatabase, secret_keys: str, simulator: Simulator
) -> AsyncIterator[Floor]:
    """A floor where contingency takes over after a second."""
    async with new_database() as url:
        await migrate(url, lock_timeout_seconds=20)
        async with open_floor(url, secret_keys, simulator, **HASTE) as floor:
            floor.begin_work()
            yield floor
            await floor.end_work()


@pytest.fixture
async def shop(hasty: Floor, certificate: A1Certificate) -> AsyncIterator[Shop]:
    yield await ready_shop(hasty, await hasty.new_caller(), certificate)
    await hasty.switch(outages=None, contingency=None, lostAnswers=None, failures=None)
    await hasty.fetch("delete from outages")


@asynccontextmanager
async def out_of_service(shop: Shop, **more: Any) -> AsyncIterator[None]:
    """The authority of São Paulo is out for the length of a block."""
    await shop.floor.switch(outages=OUT, **more)
    try:
        yield
    finally:
        await shop.floor.switch(outages={"SP": None})


async def sent_and_lost(shop: Shop, **trouble: float) -> dict[str, Any]:
    """A document that the authority may have, for all that is known."""
    await shop.floor.switch(**trouble)
    document = await shop.create()
    await shop.floor.until(
        f"(select state = 'sent' and tries > 0 from emissions where document_id = '{document['id']}')"
    )
    return document


async def emissions_of(shop: Shop, document: dict[str, Any]) -> list[tuple[int, str, str]]:
    rows = await shop.floor.fetch(
        "select number, emission_type, state from emissions where document_id = $1 order by ordinal",
        document["id"],
    )
    return [(row["number"], row["emission_type"], row["state"]) for row in rows]


async def first_attempt(shop: Shop, document: dict[str, Any], state: str) -> str:
    """The key of a document's first attempt, once it has come to a state."""
    first = f"from emissions where document_id = '{document['id']}' and ordinal = 1"
    await shop.floor.until(f"(select state = '{state}' {first})")
    (row,) = await shop.floor.fetch(f"select access_key {first}")
    return str(row["access_key"])


async def calls_of(shop: Shop, key: str) -> list[tuple[str, str, str]]:
    return [
        (entry["authorizer"], entry["service"], entry["code"])
        for entry in await shop.floor.journal(key)
        if entry["service"] != "NFeConsultaProtocolo4" and entry["code"]
    ]


class TestOutage:
    async def test_sends_documents_to_the_authority_that_stands_in(self, shop: Shop) -> None:
        async with out_of_service(shop):
            document = await shop.issue()
        assert (document["status"], document["number"], document["accessKey"][34]) == ("authorized", 1, "6")
        contingency = document["contingency"]
        assert contingency["type"] == "6"
        assert "SP fora de serviço" in contingency["reason"]
        assert "109" in contingency["reason"]
        assert await emissions_of(shop, document) == [(1, "6", "authorized")]
        answer = await shop.get(f"/nfe/{document['id']}/xml")
        root = read_xml(answer.content)
        assert Schemas().problems(Schema.NFE_AUTHORIZED, root) == ()
        assert root.findtext(".//{*}tpEmis") == "6"
        assert root.findtext(".//{*}xJust") == contingency["reason"]
        started = datetime.fromisoformat(root.findtext(".//{*}dhCont") or "")
        assert started <= datetime.fromisoformat(root.findtext(".//{*}dhEmi") or "")

    async def test_is_told_in_the_history(self, shop: Shop) -> None:
        async with out_of_service(shop):
            document = await shop.issue()
        told = [event["type"] for event in await shop.events(document)]
        assert told.count("contingency") == 1
        assert told[-1] == "authorized"

    async def test_sends_them_back_when_it_is_over(self, shop: Shop) -> None:
        async with out_of_service(shop):
            await shop.issue()
        document = await shop.issue()
        assert (document["accessKey"][34], document["contingency"]) == ("1", None)
        assert await shop.floor.fetch("select * from outages where authorizer = 'SP'") == []

    async def test_of_both_authorities_keeps_documents_waiting(self, shop: Shop) -> None:
        async with out_of_service(shop, contingency={"SVCAN": "off"}):
            document = await shop.create()
            await shop.floor.until("exists (select from outages where authorizer = 'SVCAN')")
            assert (await shop.read(document))["status"] == "processing"
        document = await shop.settled(document)
        assert (document["status"], document["accessKey"][34]) == ("authorized", "1")
        assert (document["number"], document["contingency"]) == (1, None)

    async def test_leaves_receipts_to_the_point_of_sale(self, shop: Shop) -> None:
        async with out_of_service(shop):
            document = await shop.create("nfce")
            await shop.issue()
            assert (await shop.read(document))["status"] == "processing"
        assert (await shop.settled(document))["accessKey"][34] == "1"


class TestUnknownFate:
    async def test_takes_another_number_and_cancels_what_turns_out_authorised(self, shop: Shop) -> None:
        document = await sent_and_lost(shop, lostAnswers=1)
        async with out_of_service(shop, lostAnswers=0):
            document = await shop.settled(document)
            assert (document["status"], document["number"], document["accessKey"][34]) == (
                "authorized", 2, "6",
            )  # fmt: skip
            assert await emissions_of(shop, document) == [(1, "1", "sent"), (2, "6", "authorized")]
        first = await first_attempt(shop, document, "canceled")
        assert await calls_of(shop, first) == [
            ("SP", AUTHORIZATION, "100"), ("SP", "NFeRecepcaoEvento4", "135"),
        ]  # fmt: skip
        assert await shop.read(document) == document
        told = (await shop.events(document))[-1]
        assert (told["type"], told["status"]) == ("cancellation", "authorized")

    async def test_waits_with_its_number_while_nobody_stands_in(self, shop: Shop) -> None:
        document = await sent_and_lost(shop, failures=1)
        async with out_of_service(shop, failures=0, contingency={"SVCAN": "off"}):
            await shop.floor.until("exists (select from outages where authorizer = 'SVCAN' and code = '114')")
            await shop.floor.until(
                "(select now() - since > interval '3 seconds' from outages where authorizer = 'SP')"
            )
            assert await emissions_of(shop, document) == [(1, "1", "sent")]
        document = await shop.settled(document)
        assert (document["status"], document["number"], document["accessKey"][34]) == ("authorized", 1, "1")

    async def test_lists_a_number_that_turns_out_unknown(self, shop: Shop) -> None:
        document = await sent_and_lost(shop, failures=1)
        async with out_of_service(shop, failures=0):
            document = await shop.settled(document)
        assert (document["number"], document["accessKey"][34]) == (2, "6")
        assert await calls_of(shop, await first_attempt(shop, document, "signed")) == []
        (series,) = data_of(await shop.get("/numbering"))
        (gap,) = series["gaps"]
        assert (gap["numberStart"], gap["reason"], gap["voidable"]) == (1, "unknownToAuthority", True)


class TestDocumentOfContingency:
    async def test_is_canceled_where_it_is(self, shop: Shop) -> None:
        async with out_of_service(shop):
            document = await shop.issue()
            data_of(await cancel(shop, document))
        assert await calls_of(shop, document["accessKey"]) == [
            ("SVCAN", AUTHORIZATION, "100"), ("SVCAN", "NFeRecepcaoEvento4", "135"),
        ]  # fmt: skip

    async def test_is_canceled_at_home_when_the_contingency_is_over(self, shop: Shop) -> None:
        async with out_of_service(shop):
            document = await shop.issue()
        data_of(await cancel(shop, document))
        assert (await calls_of(shop, document["accessKey"]))[-1] == ("SP", "NFeRecepcaoEvento4", "135")

    async def test_is_corrected_at_home(self, shop: Shop) -> None:
        async with out_of_service(shop):
            document = await shop.issue()
        letter = {"correction": "O endereço de entrega é Rua das Flores, 10"}
        data_of(await shop.post(f"/nfe/{document['id']}/correction", letter))
        assert (await calls_of(shop, document["accessKey"]))[-1] == ("SP", "NFeRecepcaoEvento4", "135")


class TestOperator:
    async def test_may_force_it(self, shop: Shop) -> None:
        await shop.floor.switch(contingency={"SVCAN": "on"})
        told = await self.put(shop, mode="forced", reason=REASON)
        assert (told["mode"], told["reason"]) == ("forced", REASON)
        (way,) = told["types"]
        assert (way["type"], way["active"], way["standIn"]) == ("nfe", True, "SVCAN")
        document = await shop.issue()
        assert (document["accessKey"][34], document["contingency"]["reason"]) == ("6", REASON)
        await self.put(shop, mode="automatic")
        assert (await shop.issue())["accessKey"][34] == "1"

    async def test_that_forces_what_is_closed_gets_the_normal_way(self, shop: Shop) -> None:
        await self.put(shop, mode="forced")
        document = await shop.issue()
        assert (document["status"], document["number"], document["accessKey"][34]) == ("authorized", 1, "1")

    async def test_s_word_wakes_what_waits(self, shop: Shop) -> None:
        await self.put(shop, mode="forbidden")
        async with out_of_service(shop):
            document = await shop.create()
            mine = f"from documents where id = '{document['id']}'"
            await shop.floor.until(f"(select next_action_at > now() + interval '1 second' {mine})")
            hour = "now() + interval '1 hour'"
            await shop.floor.fetch(
                f"update documents set next_action_at = {hour} where id = $1", document["id"]
            )
            await shop.floor.fetch(f"update pgqueuer set execute_after = {hour}")
            await self.put(shop, mode="automatic")
            document = await shop.settled(document)
        assert document["accessKey"][34] == "6"

    async def test_that_forces_what_is_closing_gets_the_normal_way(self, shop: Shop) -> None:
        await shop.floor.switch(contingency={"SVCAN": "closing"})
        await self.put(shop, mode="forced")
        assert (await shop.issue())["accessKey"][34] == "1"

    async def test_may_forbid_it(self, shop: Shop) -> None:
        await self.put(shop, mode="forbidden")
        async with out_of_service(shop):
            document = await shop.create()
            await shop.floor.until("(select now() - since > interval '2 seconds' from outages)")
            assert (await shop.read(document))["status"] == "processing"
            (way,) = data_of(await shop.get("/contingency"))["types"]
            assert (way["active"], way["beginsAt"]) == (False, None)
        assert (await shop.settled(document))["accessKey"][34] == "1"

    @pytest.mark.parametrize("reason", ["curta", f"{REASON} ⚠", 256 * "…"])
    async def test_gives_a_reason_that_fits(self, shop: Shop, reason: str) -> None:
        body = {"mode": "forced", "reason": reason}
        answer = await shop.caller.http.put(shop.path("/contingency"), json=body)
        assert set(fields_of(answer)) == {"reason"}

    async def test_is_shown_the_reason_as_documents_hold_it(self, shop: Shop) -> None:
        told = await self.put(shop, mode="forced", reason="  Autorizador  da UF – “fora do ar”…  ")
        assert told["reason"] == 'Autorizador da UF - "fora do ar"...'

    async def put(self, shop: Shop, **body: str) -> Any:
        return data_of(await shop.caller.http.put(shop.path("/contingency"), json=body))


class TestStatus:
    async def test_tells_of_contingency(self, shop: Shop) -> None:
        async with out_of_service(shop):
            await shop.issue()
            types = data_of(await shop.get("/status"))["types"]
        way, *others = [one["contingency"] for one in types]
        assert others == [None, None]
        assert (way["active"], way["authorizer"], way["standIn"]) == (True, "SP", "SVCAN")
        assert "109" in way["reason"]
        await shop.issue()
        (way,) = data_of(await shop.get("/contingency"))["types"]
        assert (way["active"], way["since"], way["reason"]) == (False, None, None)

    async def test_tells_that_it_is_over_before_another_document_goes(self, shop: Shop) -> None:
        async with out_of_service(shop):
            await shop.issue()
        await shop.floor.until(
            "(select now() - seen_at > interval '1 second' from outages where authorizer = 'SP')"
        )
        way, *_ = [one["contingency"] for one in data_of(await shop.get("/status"))["types"]]
        assert way["active"] is False
        assert way["since"] is not None

    async def test_tells_of_no_outage_once_a_lost_answer_is_found(self, shop: Shop) -> None:
        document = await sent_and_lost(shop, lostAnswers=1)
        await shop.floor.switch(lostAnswers=0)
        assert (await shop.settled(document))["accessKey"][34] == "1"
        way, *_ = [one["contingency"] for one in data_of(await shop.get("/status"))["types"]]
        assert (way["since"], way["beginsAt"], way["reason"]) == (None, None, None)
