"""Outage of an authority: NF-e and CT-e are sent to the contingency authority, and back when it is over."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import datetime
from typing import Any

import pytest

from carimbo.fiscal.identity.certificate import A1Certificate
from carimbo.fiscal.schemas import Schema, Schemas
from carimbo.fiscal.xml_reading import read_xml
from integration.issuing.actions import cancel
from integration.issuing.shop import Shop, accepted, ready_shop
from integration.issuing.system import System
from support import data_of, fields_of

OUT = {"SP": "109"}
REASON = "Autorizador da UF com lentidão extrema"
AUTHORIZATION = "NFeAutorizacao4"


@pytest.fixture
async def shop(fast_contingency: System, certificate: A1Certificate) -> AsyncIterator[Shop]:
    yield await ready_shop(fast_contingency, await fast_contingency.new_caller(), certificate)
    await fast_contingency.switch(outages=None, contingency=None, lostAnswers=None, failures=None)
    await fast_contingency.fetch("delete from outages")


@asynccontextmanager
async def out_of_service(shop: Shop, **more: Any) -> AsyncIterator[None]:
    """The authority of São Paulo is out for the length of a block."""
    await shop.system.switch(outages=OUT, **more)
    try:
        yield
    finally:
        await shop.system.switch(outages={"SP": None})


async def sent_and_lost(shop: Shop, **trouble: float) -> dict[str, Any]:
    """Returns a document that the authority may have received."""
    await shop.system.switch(**trouble)
    document = await shop.create()
    await shop.system.until(
        f"(select state = 'sent' and tries > 0 from emissions where document_id = '{document['id']}')"
    )
    return document


async def emissions_of(shop: Shop, document: dict[str, Any]) -> list[tuple[int, str, str]]:
    rows = await shop.system.fetch(
        "select number, emission_type, state from emissions where document_id = $1 order by ordinal",
        document["id"],
    )
    return [(row["number"], row["emission_type"], row["state"]) for row in rows]


async def first_attempt(shop: Shop, document: dict[str, Any], state: str) -> str:
    """Returns the key of a document's first attempt, once it has this state."""
    first = f"from emissions where document_id = '{document['id']}' and ordinal = 1"
    await shop.system.until(f"(select state = '{state}' {first})")
    (row,) = await shop.system.fetch(f"select access_key {first}")
    return str(row["access_key"])


async def calls_of(shop: Shop, key: str) -> list[tuple[str, str, str]]:
    return [
        (entry["authorizer"], entry["service"], entry["code"])
        for entry in await shop.system.journal(key)
        if entry["service"] != "NFeConsultaProtocolo4" and entry["code"]
    ]


class TestOutageOfCte:
    async def test_cte_is_sent_to_the_stand_in_of_its_state_during_an_outage(self, shop: Shop) -> None:
        async with out_of_service(shop):
            document = await shop.issue("cte")
        assert (document["status"], document["number"], document["accessKey"][34]) == ("authorized", 1, "7")
        journal = await shop.system.journal(document["accessKey"])
        assert [(entry["authorizer"], entry["code"]) for entry in journal] == [("SVRS", "100")]
        root = read_xml((await shop.get(f"/cte/{document['id']}/xml")).content)
        assert Schemas().problems(Schema.CTE_AUTHORIZED, root) == ()
        assert (root.findtext(".//{*}tpEmis"), root.findtext(".//{*}dhCont")) == ("7", None)
        data_of(await cancel(shop, document))
        journal = await shop.system.journal(document["accessKey"])
        assert [(entry["authorizer"], entry["code"]) for entry in journal[1:]] == [("SVRS", "135")]

    async def test_cte_of_the_stand_in_is_corrected_at_the_authority_of_its_state(self, shop: Shop) -> None:
        async with out_of_service(shop):
            document = await shop.issue("cte")
        letter = {"corrections": [{"group": "compl", "field": "xObs", "value": "Entrega na doca 4"}]}
        data_of(await shop.post(f"/cte/{document['id']}/correction", letter))
        calls = await calls_of(shop, document["accessKey"])
        assert calls[-1] == ("SP", "CTeRecepcaoEventoV4", "135")

    async def test_complement_waits_for_the_authority_of_its_state(self, shop: Shop) -> None:
        original = await shop.issue("cte")
        body = {
            "purpose": "complement",
            "complementedAccessKeys": [original["accessKey"]],
            "serviceAmount": 50,
            "icms": {},
        }
        async with out_of_service(shop):
            complement = accepted(await shop.post("/cte", body))
            sent = await shop.issue("cte")
            assert sent["accessKey"][34] == "7"
            assert (await shop.read(complement))["status"] == "processing"
        complement = await shop.settled(complement)
        assert (complement["status"], complement["accessKey"][34]) == ("authorized", "1")


class TestOutage:
    async def test_nfe_is_sent_to_the_contingency_authority_during_an_outage(self, shop: Shop) -> None:
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

    async def test_contingency_appears_once_in_the_history(self, shop: Shop) -> None:
        async with out_of_service(shop):
            document = await shop.issue()
        types = [event["type"] for event in await shop.events(document)]
        assert types.count("contingency") == 1
        assert types[-1] == "authorized"

    async def test_nfe_is_sent_to_the_normal_authority_after_the_outage(self, shop: Shop) -> None:
        async with out_of_service(shop):
            await shop.issue()
        document = await shop.issue()
        assert (document["accessKey"][34], document["contingency"]) == ("1", None)
        assert await shop.system.fetch("select * from outages where authorizer = 'SP'") == []

    async def test_nfe_waits_while_both_authorities_are_out(self, shop: Shop) -> None:
        async with out_of_service(shop, contingency={"SVCAN": "off"}):
            document = await shop.create()
            await shop.system.until("exists (select from outages where authorizer = 'SVCAN/SP')")
            assert (await shop.read(document))["status"] == "processing"
        document = await shop.settled(document)
        assert (document["status"], document["accessKey"][34]) == ("authorized", "1")
        assert (document["number"], document["contingency"]) == (1, None)

    async def test_nfce_waits_during_an_outage(self, shop: Shop) -> None:
        async with out_of_service(shop):
            document = await shop.create("nfce")
            await shop.issue()
            assert (await shop.read(document))["status"] == "processing"
        assert (await shop.settled(document))["accessKey"][34] == "1"


class TestUnansweredDocument:
    async def test_unanswered_nfe_takes_another_number_and_the_first_is_canceled_later(
        self, shop: Shop
    ) -> None:
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
        event = (await shop.events(document))[-1]
        assert (event["type"], event["status"]) == ("cancellation", "authorized")

    async def test_unanswered_nfe_keeps_its_number_while_both_authorities_are_out(self, shop: Shop) -> None:
        document = await sent_and_lost(shop, failures=1)
        async with out_of_service(shop, failures=0, contingency={"SVCAN": "off"}):
            await shop.system.until(
                "exists (select from outages where authorizer = 'SVCAN/SP' and code = '114')"
            )
            await shop.system.until(
                "(select now() - since > interval '3 seconds' from outages where authorizer = 'SP')"
            )
            assert await emissions_of(shop, document) == [(1, "1", "sent")]
        document = await shop.settled(document)
        assert (document["status"], document["number"], document["accessKey"][34]) == ("authorized", 1, "1")

    async def test_number_of_an_unanswered_attempt_unknown_to_the_authority_is_a_gap(
        self, shop: Shop
    ) -> None:
        document = await sent_and_lost(shop, failures=1)
        async with out_of_service(shop, failures=0):
            document = await shop.settled(document)
        assert (document["number"], document["accessKey"][34]) == (2, "6")
        assert await calls_of(shop, await first_attempt(shop, document, "signed")) == []
        (series,) = data_of(await shop.get("/numbering"))
        (gap,) = series["gaps"]
        assert (gap["numberStart"], gap["reason"], gap["voidable"]) == (1, "unknownToAuthority", True)


class TestContingencyDocument:
    async def test_contingency_nfe_is_canceled_at_the_contingency_authority(self, shop: Shop) -> None:
        async with out_of_service(shop):
            document = await shop.issue()
            data_of(await cancel(shop, document))
        assert await calls_of(shop, document["accessKey"]) == [
            ("SVCAN", AUTHORIZATION, "100"), ("SVCAN", "NFeRecepcaoEvento4", "135"),
        ]  # fmt: skip

    async def test_contingency_nfe_is_canceled_at_the_normal_authority_after_the_outage(
        self, shop: Shop
    ) -> None:
        async with out_of_service(shop):
            document = await shop.issue()
        data_of(await cancel(shop, document))
        assert (await calls_of(shop, document["accessKey"]))[-1] == ("SP", "NFeRecepcaoEvento4", "135")

    async def test_contingency_nfe_is_corrected_at_the_normal_authority(self, shop: Shop) -> None:
        async with out_of_service(shop):
            document = await shop.issue()
        letter = {"correction": "O endereço de entrega é Rua das Flores, 10"}
        data_of(await shop.post(f"/nfe/{document['id']}/correction", letter))
        assert (await calls_of(shop, document["accessKey"]))[-1] == ("SP", "NFeRecepcaoEvento4", "135")


class TestOperator:
    async def test_operator_can_force_contingency(self, shop: Shop) -> None:
        await shop.system.switch(contingency={"SVCAN": "on"})
        contingency = await self.put(shop, mode="forced", reason=REASON)
        assert (contingency["mode"], contingency["reason"]) == ("forced", REASON)
        route, *_ = contingency["types"]
        assert (route["type"], route["active"], route["standIn"]) == ("nfe", True, "SVCAN")
        document = await shop.issue()
        assert (document["accessKey"][34], document["contingency"]["reason"]) == ("6", REASON)
        await self.put(shop, mode="automatic")
        assert (await shop.issue())["accessKey"][34] == "1"

    async def test_forced_contingency_falls_back_to_the_normal_route_if_it_is_closed(
        self, shop: Shop
    ) -> None:
        await self.put(shop, mode="forced")
        document = await shop.issue()
        assert (document["status"], document["number"], document["accessKey"][34]) == ("authorized", 1, "1")

    async def test_change_of_the_mode_wakes_waiting_documents(self, shop: Shop) -> None:
        await self.put(shop, mode="forbidden")
        async with out_of_service(shop):
            document = await shop.create()
            mine = f"from documents where id = '{document['id']}'"
            await shop.system.until(f"(select next_action_at > now() + interval '1 second' {mine})")
            await shop.system.fetch(
                "update documents set next_action_at = now() + interval '1 hour' where id = $1",
                document["id"],
            )
            await self.put(shop, mode="automatic")
            document = await shop.settled(document)
        assert document["accessKey"][34] == "6"

    async def test_forced_contingency_falls_back_to_the_normal_route_if_it_is_closing(
        self, shop: Shop
    ) -> None:
        await shop.system.switch(contingency={"SVCAN": "closing"})
        await self.put(shop, mode="forced")
        assert (await shop.issue())["accessKey"][34] == "1"

    async def test_operator_can_forbid_contingency(self, shop: Shop) -> None:
        await self.put(shop, mode="forbidden")
        async with out_of_service(shop):
            document = await shop.create()
            await shop.system.until("(select now() - since > interval '2 seconds' from outages)")
            assert (await shop.read(document))["status"] == "processing"
            route, *_ = data_of(await shop.get("/contingency"))["types"]
            assert (route["active"], route["beginsAt"]) == (False, None)
        assert (await shop.settled(document))["accessKey"][34] == "1"

    @pytest.mark.parametrize("reason", ["curta", f"{REASON} ⚠", 256 * "…"])
    async def test_reason_that_does_not_fit_the_layout_is_invalid(self, shop: Shop, reason: str) -> None:
        body = {"mode": "forced", "reason": reason}
        answer = await shop.caller.http.put(shop.path("/contingency"), json=body)
        assert set(fields_of(answer)) == {"reason"}

    async def test_reason_is_shown_as_documents_contain_it(self, shop: Shop) -> None:
        contingency = await self.put(shop, mode="forced", reason="  Autorizador  da UF – “fora do ar”…  ")
        assert contingency["reason"] == 'Autorizador da UF - "fora do ar"...'

    async def put(self, shop: Shop, **body: str) -> Any:
        return data_of(await shop.caller.http.put(shop.path("/contingency"), json=body))


class TestStatus:
    async def test_status_shows_contingency_during_an_outage(self, shop: Shop) -> None:
        async with out_of_service(shop):
            await shop.issue()
            types = data_of(await shop.get("/status"))["types"]
        route, nfce, nfse, *of_waybills, manifest = [entry["contingency"] for entry in types]
        assert (nfce, nfse) == (None, None)
        assert [(entry["active"], entry["standIn"]) for entry in of_waybills] == [(False, "SVRS")] * 2
        assert (manifest["active"], manifest["authorizer"], manifest["standIn"]) == (False, "SVRS", None)
        assert (route["active"], route["authorizer"], route["standIn"]) == (True, "SP", "SVCAN")
        assert "109" in route["reason"]
        await shop.issue()
        route, *_ = data_of(await shop.get("/contingency"))["types"]
        assert (route["active"], route["since"], route["reason"]) == (False, None, None)

    async def test_status_shows_that_the_outage_is_over_before_another_document_is_sent(
        self, shop: Shop
    ) -> None:
        async with out_of_service(shop):
            await shop.issue()
        await shop.system.until(
            "(select now() - seen_at > interval '1 second' from outages where authorizer = 'SP')"
        )
        route, *_ = [entry["contingency"] for entry in data_of(await shop.get("/status"))["types"]]
        assert route["active"] is False
        assert route["since"] is not None

    async def test_status_shows_no_outage_once_a_lost_answer_is_recovered(self, shop: Shop) -> None:
        document = await sent_and_lost(shop, lostAnswers=1)
        await shop.system.switch(lostAnswers=0)
        assert (await shop.settled(document))["accessKey"][34] == "1"
        route, *_ = [entry["contingency"] for entry in data_of(await shop.get("/status"))["types"]]
        assert (route["since"], route["beginsAt"], route["reason"]) == (None, None, None)
