"""Streams at the authority: who asks too much is blocked, and nothing that it hands out is lost."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

import pytest

from carimbo.authorities.endpoints import SimulatorEndpoints
from carimbo.authorities.nfe import NfeSefaz
from carimbo.authorities.pacing import Pacing
from carimbo.fiscal.distribution import DistributionAnswer
from carimbo.fiscal.environment import Environment
from carimbo.fiscal.identity.certificate import A1Certificate, AuthorityCredentials
from carimbo.fiscal.sample_certificate import SampleAuthority
from carimbo.main.authorities import transport_of
from carimbo.storage.stream_steps import MAX_SINGLE_CALLS
from integration.issuing.shop import error_of, ready_shop
from integration.receiving.inbox import Buyer
from support import data_of


@asynccontextmanager
async def other_program(buyer: Buyer) -> AsyncIterator[NfeSefaz]:
    """Gives a client that knows nothing of the streams, as another program with the same certificate."""
    settings = buyer.shop.system.settings
    async with transport_of(settings) as transport:
        endpoints = SimulatorEndpoints(buyer.shop.system.simulator.url)
        yield NfeSefaz(transport.exchange, endpoints, Pacing())


async def other_reads(buyer: Buyer, certificate: A1Certificate, after: int) -> DistributionAnswer:
    """Has another program ask for the documents of the company."""
    sender = AuthorityCredentials(certificate, await buyer.tax_id(), Environment.PRODUCTION)
    async with other_program(buyer) as sefaz:
        return await sefaz.distribution(sender, "SP", after)


async def keep_only_pages(buyer: Buyer) -> None:
    """Turns the acknowledgement off: its XML would be asked for by key, and counted."""
    await buyer.shop.put_settings(received={"autoAcknowledge": False})


class TestPages:
    async def test_every_page_is_asked_for_and_then_the_stream_rests(self, buyer: Buyer) -> None:
        await keep_only_pages(buyer)
        await buyer.shop.system.switch(distributionPage=3)
        keys = {(await buyer.buys())["accessKey"] for _ in range(7)}
        await buyer.sync()
        assert {document["accessKey"] for document in await buyer.inbox()} == keys
        assert await buyer.questions() == ["138", "138", "138"]
        stream = await buyer.stream()
        assert (stream["lastNsu"], stream["maxNsu"], stream["isBehind"]) == (7, 7, False)

    async def test_sync_within_the_hour_is_queued_for_its_end(self, buyer: Buyer) -> None:
        await keep_only_pages(buyer)
        first = await buyer.sync()
        for _ in range(5):
            again = await buyer.sync()
            assert again["scheduledFor"] > first["scheduledFor"]
        assert await buyer.questions() == ["137"]
        await buyer.an_hour_passes()
        assert await buyer.questions() == ["137", "137"]

    async def test_stopped_company_is_not_asked_for(self, buyer: Buyer) -> None:
        await keep_only_pages(buyer)
        await buyer.sync()
        await buyer.shop.caller.http.delete(buyer.shop.path("/received-nfes/sync"))
        await buyer.buys()
        await buyer.time_passes()
        await buyer.shop.system.until(
            "(select bool_and(s.next_action_at is null) from streams s"
            f" join receptions r on r.stream_id = s.id where r.company_id = '{UUID(buyer.shop.id)}')"
        )
        assert await buyer.questions() == ["137"]
        assert (await buyer.stream())["status"] == "stopped"


class TestSharing:
    async def test_two_subscriptions_share_a_stream_and_not_their_inboxes(
        self, buyer: Buyer, certificate: A1Certificate
    ) -> None:
        await keep_only_pages(buyer)
        await buyer.buys()
        await buyer.sync()
        system = buyer.shop.system
        shop = await ready_shop(system, await system.new_caller(), certificate, await buyer.tax_id())
        other = Buyer(shop, buyer.supplier)
        await keep_only_pages(other)
        await other.sync()
        # Only an answer of the authority proves that a company may read what the other one received.
        assert await other.inbox() == []
        assert (await other.stream())["lastNsu"] == 0
        await other.an_hour_passes()
        ours, theirs = await buyer.only(), await other.only()
        assert ours["accessKey"] == theirs["accessKey"]
        assert ours["id"] != theirs["id"]
        error_of(await other.shop.get(f"/received-nfes/{ours['id']}"), 404, "NOT_FOUND")
        data_of(await other.shop.post(f"/received-nfes/{theirs['id']}/manifest", {"type": "confirmed"}))
        assert (await buyer.only())["status"] == "pending"
        assert await buyer.questions() == ["138", "137"]
        await other.leave()

    async def test_certificate_that_does_not_open_does_not_stop_the_others(
        self, buyer: Buyer, certificate: A1Certificate
    ) -> None:
        await keep_only_pages(buyer)
        await buyer.sync()
        system = buyer.shop.system
        shop = await ready_shop(system, await system.new_caller(), certificate, await buyer.tax_id())
        await system.fetch(
            "update secrets set sealed = '' where owner_id = $1 and name = 'certificate'", UUID(shop.id)
        )
        other = Buyer(shop, buyer.supplier)
        await other.sync()
        await other.an_hour_passes()
        assert await buyer.questions() == ["137", "137"]
        await other.leave()

    async def test_made_up_certificate_reads_nothing_and_does_not_stop_the_others(self, buyer: Buyer) -> None:
        await keep_only_pages(buyer)
        await buyer.buys()
        await buyer.sync()
        system = buyer.shop.system
        tax_id = await buyer.tax_id()
        now = datetime.now(UTC)
        authority = SampleAuthority.create(now, name="AC INVENTADA")
        forged = A1Certificate.from_bundle(
            authority.issue_company(tax_id, "LOJA", now, now + timedelta(days=30)).to_pem()
        )
        shop = await ready_shop(system, await system.new_caller(), forged, tax_id)
        stranger = Buyer(shop, buyer.supplier)
        await stranger.sync()
        bought = await buyer.buys()
        await buyer.an_hour_passes()
        assert await stranger.inbox() == []
        stream = await stranger.stream()
        codes = [warning["code"] for warning in stream["warnings"]]
        assert (stream["status"], codes) == ("refused", ["QUERY_REFUSED"])
        assert bought["accessKey"] in {document["accessKey"] for document in await buyer.inbox()}
        assert (await buyer.stream())["lastMessage"] == "Documento localizado para o Destinatário"
        await stranger.leave()


class TestOtherReader:
    async def test_documents_that_another_program_took_come_one_by_one(
        self, buyer: Buyer, certificate: A1Certificate
    ) -> None:
        await keep_only_pages(buyer)
        await buyer.buys()
        await buyer.sync()
        keys = {(await buyer.buys())["accessKey"] for _ in range(3)}
        await buyer.authority_ages()
        await other_reads(buyer, certificate, 1)
        await buyer.streams_age()
        await buyer.shop.system.until(
            "(select count(*) > 0 from stream_gaps g join receptions r on r.stream_id = g.stream_id"
            f" where r.company_id = '{UUID(buyer.shop.id)}')"
        )
        stream = await buyer.stream()
        assert stream["status"] == "blocked"
        assert [(gap["firstNsu"], gap["lastNsu"], gap["reason"]) for gap in stream["gaps"]] == [
            (2, 4, "otherReader")
        ]
        codes = [warning["code"] for warning in stream["warnings"]]
        assert codes == ["QUERIES_BLOCKED", "OTHER_READER", "GAP_OPEN"]
        await buyer.an_hour_passes()
        assert keys < {document["accessKey"] for document in await buyer.inbox()}
        assert [gap["filledAt"] is None for gap in (await buyer.stream())["gaps"]] == [False]

    async def test_single_questions_stay_within_their_hourly_limit(
        self, buyer: Buyer, certificate: A1Certificate
    ) -> None:
        await keep_only_pages(buyer)
        await buyer.sync()
        for _ in range(MAX_SINGLE_CALLS + 2):
            await buyer.buys()
        await buyer.authority_ages()
        await other_reads(buyer, certificate, 0)
        await buyer.streams_age()
        await buyer.quiet()
        await buyer.an_hour_passes()
        assert len(await buyer.questions("consNSU")) == MAX_SINGLE_CALLS
        await buyer.an_hour_passes()
        assert await buyer.questions("consNSU") == ["138"] * (MAX_SINGLE_CALLS + 2)
        assert len(await buyer.inbox(limit=100)) == MAX_SINGLE_CALLS + 2


class TestLostAnswers:
    async def test_documents_of_a_lost_answer_come_one_by_one(self, buyer: Buyer) -> None:
        await keep_only_pages(buyer)
        keys = {(await buyer.buys())["accessKey"] for _ in range(3)}
        await buyer.shop.system.switch(lostAnswers=1)
        await buyer.sync()
        await buyer.shop.system.switch(lostAnswers=0)
        assert await buyer.inbox() == []
        await buyer.an_hour_passes()
        stream = await buyer.stream()
        (gap,) = stream["gaps"]
        assert (gap["firstNsu"], gap["lastNsu"], gap["reason"]) == (1, 3, "lostAnswer")
        assert "OTHER_READER" not in {warning["code"] for warning in stream["warnings"]}
        await buyer.an_hour_passes()
        assert {document["accessKey"] for document in await buyer.inbox()} == keys


class TestBlocks:
    async def test_nothing_is_asked_during_a_block(self, buyer: Buyer, certificate: A1Certificate) -> None:
        await other_reads(buyer, certificate, 0)
        await buyer.sync()
        assert await buyer.questions() == ["137", "656"]
        for _ in range(3):
            await buyer.sync()
        assert len(await buyer.questions()) == 2
        assert (await buyer.stream())["status"] == "blocked"
        await buyer.an_hour_passes()
        assert (await buyer.questions())[2:] == ["137"]


class TestSilence:
    async def test_two_months_without_a_question_are_told(self, buyer: Buyer) -> None:
        await keep_only_pages(buyer)
        await buyer.sync()
        await buyer.time_passes(61 * 86_400)
        await buyer.quiet()
        await buyer.shop.system.until(
            "(select count(*) > 0 from streams s join receptions r on r.stream_id = s.id"
            f" where r.company_id = '{UUID(buyer.shop.id)}' and s.lapsed_until is not null)"
        )
        codes = {warning["code"] for warning in (await buyer.stream())["warnings"]}
        assert "SEQUENCE_LAPSED" in codes


@pytest.mark.parametrize("collection", ["received-nfes", "received-ctes", "received-nfses"])
async def test_company_without_certificate_is_asked_for_when_it_has_one(
    buyer: Buyer, certificate: A1Certificate, collection: str
) -> None:
    await buyer.sync(collection)
    await buyer.shop.caller.http.delete(buyer.shop.path("/certificate"))
    await buyer.time_passes()
    await buyer.quiet()
    stream = await buyer.stream()
    before, (warning,) = stream["lastSyncedAt"], stream["warnings"]
    assert (stream["status"], warning["code"]) == ("waiting", "NOBODY_ASKS")
    assert f"Envie um certificado, ou pare com DELETE …/{collection}/sync." in warning["message"]
    await buyer.shop.set_certificate(certificate)
    await buyer.shop.system.until(
        "(select bool_and(s.answered_at > now() - interval '1 minute') from streams s"
        f" join receptions r on r.stream_id = s.id where r.company_id = '{UUID(buyer.shop.id)}')"
    )
    assert (await buyer.stream())["lastSyncedAt"] > before


class TestEnvironments:
    async def test_company_that_comes_back_to_production_is_followed_again_by_itself(
        self, buyer: Buyer
    ) -> None:
        await keep_only_pages(buyer)
        await buyer.sync()
        await switch_environment(buyer, "homologation")
        await buyer.sync()
        statuses = {stream["environment"]: stream["status"] for stream in await streams(buyer)}
        assert statuses == {"production": "waiting", "homologation": "active"}
        await buyer.shop.caller.http.delete(buyer.shop.path("/received-nfes/sync"))
        bought = await buyer.buys()
        await buyer.time_passes()
        await switch_environment(buyer, "production")
        await buyer.shop.system.until(
            f"(select count(*) from received_documents where company_id = '{UUID(buyer.shop.id)}') = 1"
        )
        assert (await buyer.only())["accessKey"] == bought["accessKey"]
        statuses = {stream["environment"]: stream["status"] for stream in await streams(buyer)}
        assert statuses == {"production": "active", "homologation": "stopped"}

    async def test_only_waiting_production_has_a_warning(self, buyer: Buyer) -> None:
        await keep_only_pages(buyer)
        await buyer.sync()
        await switch_environment(buyer, "homologation")
        await buyer.sync()
        production, homologation = await streams_by_environment(buyer)
        (warning,) = production["warnings"]
        assert warning["code"] == "NOBODY_ASKS"
        assert "Volte ao ambiente de produção." in warning["message"]
        assert (homologation["status"], homologation["warnings"]) == ("active", [])
        # A test may leave gaps behind: nobody imports its documents.
        await buyer.shop.system.fetch(
            "insert into stream_gaps (stream_id, first_nsu, last_nsu, next_nsu, reason)"
            " select stream_id, 1, 2, 2, 'otherReader' from receptions"
            " where company_id = $1 and environment = 'homologation'",
            UUID(buyer.shop.id),
        )
        await switch_environment(buyer, "production")
        production, homologation = await streams_by_environment(buyer)
        assert (production["status"], production["warnings"]) == ("active", [])
        assert (homologation["status"], homologation["warnings"]) == ("waiting", [])


async def switch_environment(buyer: Buyer, environment: str) -> None:
    data_of(
        await buyer.shop.caller.http.patch(buyer.shop.path("/environment"), json={"environment": environment})
    )


async def streams(buyer: Buyer) -> list[dict[str, Any]]:
    return list(data_of(await buyer.shop.get("/status"))["streams"])


async def streams_by_environment(buyer: Buyer) -> list[dict[str, Any]]:
    """Returns the streams in production and in homologation, in this order."""
    by_environment = {stream["environment"]: stream for stream in await streams(buyer)}
    return [by_environment["production"], by_environment["homologation"]]
