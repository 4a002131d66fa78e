"""Every trigger and every switch of the simulator, as our own client sees it over TLS."""

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
from carimbo.fiscal.signed_documents import SignedDocument
from carimbo.simulator.program.triggers import TRIGGERS
from integration.simulator.shop import REASON, STATE, Shop, next_number

KEPT = {
    "RESPOSTA_PERDIDA": Cause.CONNECTION,
    "CORTADA": Cause.UNREADABLE,
    "RESPOSTA_VAZIA": Cause.EMPTY,
    "DEMORA:3s": Cause.TIMEOUT,
}
"""Triggers after which the document is authorized but the answer is lost, with the cause that we see."""
NOT_KEPT = {
    "HTTP:503": Cause.HTTP_STATUS,
    "HTML": Cause.HTML,
    "FALHA_SOAP": Cause.FAULT,
}
"""Triggers after which nothing is judged, with the cause that we see."""


def triggered(shop: Shop, word: str) -> SignedDocument:
    return shop.nfe(notes=f"SIMULA:{word} no primeiro envio")


@pytest.fixture(autouse=True)
async def reset_switches(shop: Shop) -> AsyncIterator[None]:
    """Resets the switches after each test."""
    yield
    await shop.reset_switches()


class TestTriggers:
    def test_every_trigger_is_tested_here(self) -> None:
        met = {word.partition(":")[0] for word in (*KEPT, *NOT_KEPT)} | {"REJEICAO", "FORA_DO_AR"}
        assert met == {trigger.name for trigger in TRIGGERS}

    async def test_a_requested_rejection_stores_nothing(self, shop: Shop) -> None:
        document = triggered(shop, "REJEICAO:528")
        for _ in range(2):
            outcome = await shop.sefaz.send(shop.sender, document)
            assert isinstance(outcome, Rejected)
            assert outcome.code == "528"
            assert outcome.message == "Rejeição: Valor do ICMS difere do produto BC e Alíquota"
        assert not isinstance(await shop.sefaz.consult(shop.sender, document.access_key), Authorized)

    async def test_a_duplicate_can_be_requested(self, shop: Shop) -> None:
        document = triggered(shop, "REJEICAO:539")
        outcome = await shop.sefaz.send(shop.sender, document)
        assert isinstance(outcome, Duplicate)
        assert outcome.code == "539"
        assert outcome.other_key
        assert (outcome.other_key[:35], outcome.protocol is None) == (document.access_key[:35], False)
        assert outcome.other_key != document.access_key

    async def test_a_duplicate_event_can_be_requested(self, shop: Shop) -> None:
        document = shop.nfe()
        authorized = await shop.issue(document)
        outcome = await shop.cancel(document, authorized.protocol, f"SIMULA:REJEICAO:573 {REASON}")
        assert isinstance(outcome, Duplicate)
        assert outcome.protocol
        assert isinstance(await shop.sefaz.consult(shop.sender, document.access_key), Authorized)

    @pytest.mark.parametrize("word", KEPT)
    async def test_an_authorized_document_whose_answer_is_lost_is_found(self, shop: Shop, word: str) -> None:
        document = triggered(shop, word)
        lost = await shop.sefaz.send(shop.sender, document)
        assert isinstance(lost, NotJudged), lost
        assert (lost.cause, lost.may_have_arrived) == (KEPT[word], True)
        consulted = await shop.sefaz.consult(shop.sender, document.access_key)
        assert isinstance(consulted, Authorized)
        assert consulted.digest == document.digest_value

    @pytest.mark.parametrize("word", NOT_KEPT)
    async def test_a_document_that_was_not_judged_is_authorized_when_sent_again(
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

    async def test_a_trigger_may_act_every_time(self, shop: Shop) -> None:
        document = shop.nfe(notes="SIMULA:HTML:SEMPRE")
        for _ in range(3):
            outcome = await shop.sefaz.send(shop.sender, document)
            assert isinstance(outcome, NotJudged)
            assert outcome.cause is Cause.HTML

    async def test_a_document_is_authorized_after_a_short_delay(self, shop: Shop) -> None:
        await shop.issue(triggered(shop, "DEMORA:50ms"))

    async def test_the_reason_of_a_cancellation_may_have_a_trigger(self, shop: Shop) -> None:
        document = shop.nfe()
        authorized = await shop.issue(document)
        lost = await shop.cancel(document, authorized.protocol, f"SIMULA:RESPOSTA_PERDIDA {REASON}")
        assert isinstance(lost, NotJudged)
        again = await shop.cancel(document, authorized.protocol, f"SIMULA:RESPOSTA_PERDIDA {REASON}")
        assert (type(again), getattr(again, "code", "")) == (Duplicate, "573")

    async def test_the_reason_of_an_inutilization_may_have_a_trigger(self, shop: Shop) -> None:
        number = next_number()
        failed = await shop.inutilize(number, number, reason=f"SIMULA:HTTP:500 {REASON}")
        assert isinstance(failed, NotJudged)
        assert isinstance(
            await shop.inutilize(number, number, reason=f"SIMULA:HTTP:500 {REASON}"), Authorized
        )

    async def test_the_description_of_an_item_may_have_a_trigger(self, shop: Shop) -> None:
        item = {"description": "SIMULA:REJEICAO:778", "ncm": "69120000", "quantity": 1, "unitValue": 10}
        outcome = await shop.sefaz.send(shop.sender, shop.nfe(items=[item]))
        assert (type(outcome), getattr(outcome, "code", "")) == (Rejected, "778")


class TestSwitches:
    async def test_a_switch_loses_every_answer(self, shop: Shop) -> None:
        await shop.switch(lostAnswers=1)
        document = shop.nfe()
        assert isinstance(await shop.sefaz.send(shop.sender, document), NotJudged)
        await shop.switch(lostAnswers=0)
        assert isinstance(await shop.sefaz.consult(shop.sender, document.access_key), Authorized)

    async def test_a_switch_fails_every_request(self, shop: Shop) -> None:
        await shop.switch(failures=1)
        document = shop.nfe()
        failed = await shop.sefaz.send(shop.sender, document)
        assert isinstance(failed, NotJudged)
        assert failed.cause is Cause.HTTP_STATUS
        await shop.switch(failures=0)
        await shop.issue(document)

    async def test_an_authority_that_is_out_reports_it(self, shop: Shop) -> None:
        await shop.switch(outages={"SVRS": "108"})
        answer = await shop.sefaz.status(shop.sender, "65", "RJ")
        assert isinstance(answer, Unavailable)
        assert answer.outage is Outage.SHORT

    async def test_our_client_limits_the_queries_of_one_key(self, shop: Shop) -> None:
        document = shop.nfe()
        await shop.issue(document)
        answers = [await shop.sefaz.consult(shop.sender, document.access_key) for _ in range(12)]
        assert [type(answer) for answer in answers[:9]] == [Authorized] * 9
        assert [type(answer) for answer in answers[9:]] == [Throttled] * 3
        sent = [entry for entry in await shop.journal(document.access_key) if "Consulta" in entry["service"]]
        assert len(sent) == 9

    async def test_documents_sent_simultaneously_are_all_authorized(self, shop: Shop) -> None:
        documents = [shop.nfe() for _ in range(20)]
        outcomes = await asyncio.gather(*map(shop.issue, documents))
        assert len({outcome.protocol for outcome in outcomes}) == len(documents)


class TestJournal:
    async def test_the_journal_has_all_requests_about_a_document(self, shop: Shop) -> None:
        document = shop.nfe()
        authorized = await shop.issue(document)
        await shop.sefaz.consult(shop.sender, document.access_key)
        await shop.cancel(document, authorized.protocol)
        entries = await shop.journal(document.access_key)
        assert [(entry["service"], entry["status"], entry["code"]) for entry in entries] == [
            ("NFeAutorizacao4", 200, "100"),
            ("NFeConsultaProtocolo4", 200, "100"),
            ("NFeRecepcaoEvento4", 200, "135"),
        ]

    async def test_the_journal_has_requests_whose_answer_was_lost(self, shop: Shop) -> None:
        document = triggered(shop, "RESPOSTA_PERDIDA")
        await shop.sefaz.send(shop.sender, document)
        [entry] = await shop.journal(document.access_key)
        assert (entry["status"], entry["code"]) == (0, "100")
        assert entry["message"] == "Autorizado o uso da NF-e"


class TestState:
    async def test_a_switch_delays_every_answer(self, shop: Shop) -> None:
        await shop.switch(latencySeconds=3)
        answer = await shop.sefaz.status(shop.sender, "55", STATE)
        assert isinstance(answer, NotJudged)
        assert answer.cause is Cause.TIMEOUT
