"""Every trigger and every switch of the simulator, as our own client meets it over TLS."""

import asyncio
from collections.abc import AsyncIterator

import pytest

from carimbo.fiscal.outcome import (
    Authorized,
    Cause,
    Duplicate,
    NotJudged,
    Outage,
    Rejected,
    Throttled,
    Unavailable,
)
from carimbo.fiscal.signed_document import SignedDocument
from carimbo.simulator.triggers import TRIGGERS
from integration.simulator.shop import REASON, STATE, Shop, next_number

KEPT = {
    "RESPOSTA_PERDIDA": Cause.CONNECTION,
    "CORTADA": Cause.UNREADABLE,
    "RESPOSTA_VAZIA": Cause.EMPTY,
    "DEMORA:3s": Cause.TIMEOUT,
}
"""What our client sees where the document is authorised and the answer does not tell."""
NOT_KEPT = {
    "HTTP:503": Cause.HTTP_STATUS,
    "HTML": Cause.HTML,
    "FALHA_SOAP": Cause.FAULT,
}
"""What it sees where nothing is judged."""


def triggered(shop: Shop, word: str) -> SignedDocument:
    return shop.nfe(notes=f"SIMULA:{word} no primeiro envio")


@pytest.fixture(autouse=True)
async def in_order(shop: Shop) -> AsyncIterator[None]:
    """Put the switches back after each test."""
    yield
    await shop.reset_switches()


class TestTriggers:
    def test_all_are_met_here(self) -> None:
        met = {word.partition(":")[0] for word in (*KEPT, *NOT_KEPT)} | {"REJEICAO", "FORA_DO_AR"}
        assert met == {trigger.name for trigger in TRIGGERS}

    async def test_a_rejection_is_made_to_order_and_keeps_nothing(self, shop: Shop) -> None:
        document = triggered(shop, "REJEICAO:528")
        for _ in range(2):
            outcome = await shop.sefaz.send(shop.sender, document)
            assert isinstance(outcome, Rejected)
            assert outcome.code == "528"
            assert outcome.message == "Rejeição: Valor do ICMS difere do produto BC e Alíquota"
        assert not isinstance(await shop.sefaz.consult(shop.sender, document.access_key), Authorized)

    async def test_a_duplicity_is_made_to_order(self, shop: Shop) -> None:
        document = triggered(shop, "REJEICAO:539")
        outcome = await shop.sefaz.send(shop.sender, document)
        assert isinstance(outcome, Duplicate)
        assert outcome.code == "539"
        assert outcome.other_key
        assert (outcome.other_key[:35], outcome.protocol is None) == (document.access_key[:35], False)
        assert outcome.other_key != document.access_key

    async def test_an_event_that_was_told_before_is_made_to_order(self, shop: Shop) -> None:
        document = shop.nfe()
        authorized = await shop.issue(document)
        outcome = await shop.cancel(document, authorized.protocol, f"SIMULA:REJEICAO:573 {REASON}")
        assert isinstance(outcome, Duplicate)
        assert outcome.protocol
        assert isinstance(await shop.sefaz.consult(shop.sender, document.access_key), Authorized)

    @pytest.mark.parametrize("word", KEPT)
    async def test_an_authorised_document_whose_answer_is_lost_is_found(self, shop: Shop, word: str) -> None:
        document = triggered(shop, word)
        lost = await shop.sefaz.send(shop.sender, document)
        assert isinstance(lost, NotJudged), lost
        assert (lost.cause, lost.may_have_arrived) == (KEPT[word], True)
        found = await shop.sefaz.consult(shop.sender, document.access_key)
        assert isinstance(found, Authorized)
        assert found.digest == document.digest_value

    @pytest.mark.parametrize("word", NOT_KEPT)
    async def test_a_document_that_was_not_judged_is_authorised_when_sent_again(
        self, shop: Shop, word: str
    ) -> None:
        document = triggered(shop, word)
        failed = await shop.sefaz.send(shop.sender, document)
        assert isinstance(failed, NotJudged), failed
        assert failed.cause is NOT_KEPT[word]
        await shop.issue(document)
        first, second = await shop.journal(document.access_key)
        assert first["digest"] == second["digest"]
        assert (first["fault"], first["code"], second["code"]) == (f"SIMULA:{word}", "", "100")

    @pytest.mark.parametrize(("code", "outage"), [("108", Outage.SHORT), ("109", Outage.WITHOUT_FORECAST)])
    async def test_the_service_is_out_for_one_document(self, shop: Shop, code: str, outage: Outage) -> None:
        document = triggered(shop, f"FORA_DO_AR:{code}")
        outcome = await shop.sefaz.send(shop.sender, document)
        assert isinstance(outcome, Unavailable)
        assert outcome.outage is outage
        await shop.issue(document)

    async def test_act_every_time_when_told_so(self, shop: Shop) -> None:
        document = shop.nfe(notes="SIMULA:HTML:SEMPRE")
        for _ in range(3):
            outcome = await shop.sefaz.send(shop.sender, document)
            assert isinstance(outcome, NotJudged)
            assert outcome.cause is Cause.HTML

    async def test_a_short_delay_is_only_a_delay(self, shop: Shop) -> None:
        await shop.issue(triggered(shop, "DEMORA:50ms"))

    async def test_stand_in_the_reason_of_a_cancellation_too(self, shop: Shop) -> None:
        document = shop.nfe()
        authorized = await shop.issue(document)
        lost = await shop.cancel(document, authorized.protocol, f"SIMULA:RESPOSTA_PERDIDA {REASON}")
        assert isinstance(lost, NotJudged)
        again = await shop.cancel(document, authorized.protocol, f"SIMULA:RESPOSTA_PERDIDA {REASON}")
        assert (type(again), getattr(again, "code", "")) == (Duplicate, "573")

    async def test_stand_in_the_reason_of_voided_numbers_too(self, shop: Shop) -> None:
        number = next_number()
        failed = await shop.void(number, number, reason=f"SIMULA:HTTP:500 {REASON}")
        assert isinstance(failed, NotJudged)
        assert isinstance(await shop.void(number, number, reason=f"SIMULA:HTTP:500 {REASON}"), Authorized)

    async def test_stand_in_a_description_too(self, shop: Shop) -> None:
        item = {"description": "SIMULA:REJEICAO:778", "ncm": "69120000", "quantity": 1, "unitValue": 10}
        outcome = await shop.sefaz.send(shop.sender, shop.nfe(items=[item]))
        assert (type(outcome), getattr(outcome, "code", "")) == (Rejected, "778")


class TestSwitches:
    async def test_every_answer_is_lost(self, shop: Shop) -> None:
        await shop.switch(lostAnswers=1)
        document = shop.nfe()
        assert isinstance(await shop.sefaz.send(shop.sender, document), NotJudged)
        await shop.switch(lostAnswers=0)
        assert isinstance(await shop.sefaz.consult(shop.sender, document.access_key), Authorized)

    async def test_every_request_fails(self, shop: Shop) -> None:
        await shop.switch(failures=1)
        document = shop.nfe()
        failed = await shop.sefaz.send(shop.sender, document)
        assert isinstance(failed, NotJudged)
        assert failed.cause is Cause.HTTP_STATUS
        await shop.switch(failures=0)
        await shop.issue(document)

    async def test_an_authority_that_is_out_says_so_of_itself(self, shop: Shop) -> None:
        await shop.switch(outages={"SVRS": "108"})
        told = await shop.sefaz.status(shop.sender, "65", "RJ")
        assert isinstance(told, Unavailable)
        assert told.outage is Outage.SHORT

    async def test_many_consults_of_one_key_are_never_sent_by_us(self, shop: Shop) -> None:
        document = shop.nfe()
        await shop.issue(document)
        asked = [await shop.sefaz.consult(shop.sender, document.access_key) for _ in range(12)]
        assert [type(one) for one in asked[:9]] == [Authorized] * 9
        assert [type(one) for one in asked[9:]] == [Throttled] * 3
        sent = [one for one in await shop.journal(document.access_key) if "Consulta" in one["service"]]
        assert len(sent) == 9

    async def test_documents_sent_at_once_are_all_authorised(self, shop: Shop) -> None:
        documents = [shop.nfe() for _ in range(20)]
        outcomes = await asyncio.gather(*map(shop.issue, documents))
        assert len({outcome.protocol for outcome in outcomes}) == len(documents)


class TestJournal:
    async def test_tells_all_that_was_sent_about_a_document(self, shop: Shop) -> None:
        document = shop.nfe()
        authorized = await shop.issue(document)
        await shop.sefaz.consult(shop.sender, document.access_key)
        await shop.cancel(document, authorized.protocol)
        entries = await shop.journal(document.access_key)
        assert [(one["service"], one["status"], one["code"]) for one in entries] == [
            ("NFeAutorizacao4", 200, "100"),
            ("NFeConsultaProtocolo4", 200, "100"),
            ("NFeRecepcaoEvento4", 200, "135"),
        ]

    async def test_tells_what_arrived_although_nobody_was_answered(self, shop: Shop) -> None:
        document = triggered(shop, "RESPOSTA_PERDIDA")
        await shop.sefaz.send(shop.sender, document)
        [entry] = await shop.journal(document.access_key)
        assert (entry["status"], entry["code"]) == (0, "100")
        assert entry["message"] == "Autorizado o uso da NF-e"


class TestState:
    async def test_a_latency_makes_everything_late(self, shop: Shop) -> None:
        await shop.switch(latencySeconds=3)
        told = await shop.sefaz.status(shop.sender, "55", STATE)
        assert isinstance(told, NotJudged)
        assert told.cause is Cause.TIMEOUT
