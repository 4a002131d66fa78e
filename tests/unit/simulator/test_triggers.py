"""Triggers: their syntax, and the effect of each one."""

import asyncio

import pytest
from lxml import etree

from carimbo.simulator.http import HTML, ConnectionClosed, Reply
from carimbo.simulator.program.site import Site
from carimbo.simulator.program.triggers import MAX_PAUSE_SECONDS, TRIGGERS, Trigger, triggers_in
from unit.simulator.sample_family import KEY, OTHER_KEY, code_sent, holds, last_entry, send, switch

SOAP = "{http://www.w3.org/2003/05/soap-envelope}"


async def reply_to(site: Site, text: str, key: str = KEY) -> Reply:
    reply = await send(site, text, key)
    assert isinstance(reply, Reply)
    return reply


def words(*texts: str) -> list[str]:
    return [found_trigger.word for found_trigger in triggers_in(texts)]


class TestGrammar:
    @pytest.mark.parametrize("trigger", TRIGGERS, ids=lambda trigger: str(trigger.name))
    def test_every_example_is_parsed(self, trigger: Trigger) -> None:
        [match] = triggers_in((f"Venda; {trigger.sample}.",))
        assert (match.trigger, match.word, match.always) == (trigger, trigger.sample, False)

    def test_trigger_may_be_anywhere_in_any_text(self) -> None:
        texts = ("LOJA", "CANETA SIMULA:DEMORA:5s", "nota: SIMULA:HTTP:503,SIMULA:REJEICAO:539 fim")
        assert words(*texts) == ["SIMULA:REJEICAO:539", "SIMULA:HTTP:503", "SIMULA:DEMORA:5s"]

    @pytest.mark.parametrize(
        ("text", "argument", "always"),
        [
            ("SIMULA:HTML:SEMPRE", "", True),
            ("SIMULA:HTTP:500:SEMPRE", "500", True),
            ("SIMULA:HTML", "", False),
        ],
    )
    def test_always_counts_only_as_the_last_part_of_a_trigger(
        self, text: str, argument: str, always: bool
    ) -> None:
        [match] = triggers_in((text,))
        assert (match.argument, match.always) == (argument, always)

    @pytest.mark.parametrize(
        "text",
        [
            "simula:html",
            "SIMULA:NADA",
            "SIMULA:HTMLS",
            "SIMULA:HTML:503",
            "DISSIMULA:HTML",
            "SIMULA:HTTP",
            "SIMULA:HTTP:200",
            "SIMULA:HTTP:5031",
            "SIMULA:REJEICAO",
            "SIMULA:FORA_DO_AR:107",
            "SIMULA:DEMORA:121s",
            "SIMULA:DEMORA:5",
            "SIMULA:DEMORA:120001ms",
        ],
    )
    def test_invalid_trigger_is_ignored(self, text: str) -> None:
        assert words(text) == []

    @pytest.mark.parametrize(
        ("argument", "seconds"),
        [("5s", 5), ("250ms", 0.25), ("2S", 2), (f"{MAX_PAUSE_SECONDS}s", MAX_PAUSE_SECONDS)],
    )
    def test_pause_is_in_seconds_or_milliseconds(self, argument: str, seconds: float) -> None:
        [match] = triggers_in((f"SIMULA:DEMORA:{argument}",))
        assert match.pause == seconds


class TestRejection:
    async def test_rejection_trigger_refuses_every_time_and_stores_nothing(self, site: Site) -> None:
        for _ in range(2):
            assert await code_sent(site, "SIMULA:REJEICAO:539") == "539"
            assert (last_entry(site).code, last_entry(site).fault) == ("539", "SIMULA:REJEICAO:539")
        assert not holds(site)

    async def test_rejection_with_a_code_of_no_refusal_is_ignored(self, site: Site) -> None:
        assert words("SIMULA:REJEICAO:150") == ["SIMULA:REJEICAO:150"]
        assert await code_sent(site, "SIMULA:REJEICAO:150") == "100"


class TestOutOfService:
    @pytest.mark.parametrize("code", ["108", "109"])
    async def test_out_of_service_trigger_acts_once_and_stores_nothing(self, site: Site, code: str) -> None:
        text = f"SIMULA:FORA_DO_AR:{code}"
        assert await code_sent(site, text) == code
        assert not holds(site)
        assert await code_sent(site, text) == "100"


class TestHttpStatus:
    @pytest.mark.parametrize("status", [403, 500, 503, 599])
    async def test_http_status_trigger_answers_with_a_page_and_judges_nothing(
        self, site: Site, status: int
    ) -> None:
        reply = await reply_to(site, f"SIMULA:HTTP:{status}")
        assert (reply.status, reply.media_type) == (status, HTML)
        assert str(status).encode() in reply.body
        assert not holds(site)
        entry = last_entry(site)
        assert (entry.code, entry.fault, entry.status) == ("", f"SIMULA:HTTP:{status}", status)
        assert entry.message == "Responde com esse status de HTTP e uma página de erro."

    async def test_http_status_trigger_acts_once(self, site: Site) -> None:
        assert (await reply_to(site, "SIMULA:HTTP:503")).status == 503
        assert await code_sent(site, "SIMULA:HTTP:503") == "100"


class TestWebPage:
    async def test_web_page_trigger_answers_with_status_200_and_judges_nothing(self, site: Site) -> None:
        reply = await reply_to(site, "SIMULA:HTML")
        assert (reply.status, reply.media_type) == (200, HTML)
        assert b"<h1>" in reply.body
        assert not holds(site)
        assert await code_sent(site, "SIMULA:HTML") == "100"


class TestSoapFault:
    async def test_soap_fault_trigger_answers_in_soap_12_and_judges_nothing(self, site: Site) -> None:
        reply = await reply_to(site, "SIMULA:FALHA_SOAP")
        assert (reply.status, reply.media_type) == (500, "application/soap+xml; charset=utf-8")
        fault = etree.fromstring(reply.body).find(f"{SOAP}Body/{SOAP}Fault")
        assert fault is not None
        assert fault.findtext(f"{SOAP}Code/{SOAP}Value") == "soap:Receiver"
        assert fault.findtext(f"{SOAP}Reason/{SOAP}Text")
        assert not holds(site)
        assert await code_sent(site, "SIMULA:FALHA_SOAP") == "100"


class TestLostAnswer:
    async def test_lost_answer_trigger_judges_and_closes_the_connection(self, site: Site) -> None:
        assert await send(site, "SIMULA:RESPOSTA_PERDIDA") == ConnectionClosed()
        assert holds(site)
        assert (last_entry(site).code, last_entry(site).status) == ("100", 0)
        assert await code_sent(site, "SIMULA:RESPOSTA_PERDIDA") == "204"


class TestCutAnswer:
    async def test_cut_answer_trigger_judges_and_sends_half_of_the_answer(self, site: Site) -> None:
        reply = await reply_to(site, "SIMULA:CORTADA")
        assert reply.cut
        assert b"100" in reply.body
        assert holds(site)
        assert await code_sent(site, "SIMULA:CORTADA") == "204"


class TestEmptyAnswer:
    async def test_empty_answer_trigger_judges_and_sends_no_body(self, site: Site) -> None:
        reply = await reply_to(site, "SIMULA:RESPOSTA_VAZIA")
        assert (reply.status, reply.body) == (200, b"")
        assert holds(site)
        assert await code_sent(site, "SIMULA:RESPOSTA_VAZIA") == "204"


class TestDelay:
    async def test_delay_trigger_judges_before_the_pause_every_time(
        self, site: Site, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        held: list[bool] = []

        async def sleep(_: float) -> None:
            held.append(holds(site))

        monkeypatch.setattr(asyncio, "sleep", sleep)
        assert await code_sent(site, "SIMULA:DEMORA:5s") == "100"
        assert await code_sent(site, "SIMULA:DEMORA:5s") == "204"
        assert held == [True, True]

    async def test_delay_trigger_adds_to_the_latency(self, site: Site, slept: list[float]) -> None:
        switch(site, latencySeconds=1)
        await send(site, "SIMULA:DEMORA:500ms")
        assert slept == [1.5]
        assert last_entry(site).fault == "SIMULA:DEMORA:500ms"

    async def test_delay_trigger_combines_with_another_trigger(self, site: Site, slept: list[float]) -> None:
        reply = await reply_to(site, "SIMULA:DEMORA:2s SIMULA:HTTP:503")
        assert (reply.status, slept) == (503, [2])
        assert last_entry(site).fault == "SIMULA:HTTP:503 SIMULA:DEMORA:2s"


class TestRepetition:
    @pytest.mark.parametrize("word", [trigger.sample for trigger in TRIGGERS if not trigger.repeats])
    async def test_trigger_with_always_acts_every_time(self, site: Site, word: str) -> None:
        for _ in range(3):
            await send(site, f"{word}:SEMPRE")
            assert last_entry(site).fault == word

    async def test_each_document_has_its_own_first_time(self, site: Site) -> None:
        for key in (KEY, OTHER_KEY):
            assert await send(site, "SIMULA:RESPOSTA_PERDIDA", key) == ConnectionClosed()

    async def test_lots_of_other_documents_have_their_own_first_time(self, site: Site) -> None:
        third = OTHER_KEY.replace("002", "003")
        for keys in (f"{KEY},{OTHER_KEY}", f"{OTHER_KEY},{third}"):
            assert (await reply_to(site, "SIMULA:HTML", keys)).media_type == HTML

    async def test_document_keeps_its_first_time_in_every_lot(self, site: Site) -> None:
        await send(site, "SIMULA:HTML", f"{KEY},{OTHER_KEY}")
        assert await code_sent(site, "SIMULA:HTML", f"{OTHER_KEY},{KEY}") == "100"
        assert await code_sent(site, "SIMULA:HTML", KEY) == "204"

    async def test_triggers_of_one_document_act_one_after_the_other(self, site: Site) -> None:
        """A client that recovers correctly ends with its document authorized."""
        text = "SIMULA:HTML SIMULA:HTTP:500 SIMULA:HTTP:503"
        statuses = [(await reply_to(site, text)).status for _ in range(3)]
        assert statuses == [500, 503, 200]
        assert not holds(site)
        assert await code_sent(site, text) == "100"

    async def test_simulated_failure_does_not_use_up_a_trigger(self, site: Site) -> None:
        switch(site, failures=1)
        await send(site, "SIMULA:RESPOSTA_PERDIDA")
        switch(site, failures=0)
        assert await send(site, "SIMULA:RESPOSTA_PERDIDA") == ConnectionClosed()
