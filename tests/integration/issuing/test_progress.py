"""A document that stays in processing says why, be it an answer, a silence or a refused certificate."""

from datetime import UTC, datetime
from uuid import UUID

import pytest

from carimbo.fiscal.certificate import A1Certificate
from carimbo.fiscal.outcome import Cause, NotJudged, Processing
from integration.issuing.floor import Floor
from integration.issuing.scripted import LOST, OUT, UNKNOWN, Play, authorizing
from support import data_of


class TestProgress:
    async def test_of_a_document_that_nobody_has_begun_with_has_no_answer(self, play: Play) -> None:
        document = await play.shop.create()
        progress = document["progress"]
        assert (progress["attempts"], progress["lastAnswer"]) == (0, None)
        assert progress["since"] == progress["nextAttemptAt"] is not None
        assert await play.shop.read(document) == document

    async def test_tells_the_last_answer_and_the_next_attempt(self, play: Play) -> None:
        play.script.begin(OUT, OUT)
        before = datetime.now(UTC)
        created = await play.shop.create()
        document = await play.perform(created)
        progress = document["progress"]
        assert document["status"] == "processing"
        assert progress["since"] == created["progress"]["since"]
        assert progress["attempts"] == 2
        answer = progress["lastAnswer"]
        assert (answer["code"], answer["message"]) == ("109", "Serviço paralisado sem previsão")
        assert before < datetime.fromisoformat(answer["at"]) < datetime.now(UTC)
        assert datetime.fromisoformat(progress["nextAttemptAt"]) > datetime.fromisoformat(answer["at"])

    async def test_tells_why_there_is_no_answer(self, play: Play) -> None:
        silence = NotJudged(cause=Cause.TIMEOUT, detail="sp.example: a resposta não veio a tempo")
        play.script.begin(silence)
        document = await play.perform(await play.shop.create())
        answer = document["progress"]["lastAnswer"]
        assert answer["code"] == "TIMEOUT"
        assert answer["message"].endswith("sp.example: a resposta não veio a tempo")

    async def test_counts_questions_that_are_answered_at_once(self, play: Play) -> None:
        waiting = Processing(code="105", message="Lote em processamento", receipt="351", wait_seconds=9)
        play.script.begin(LOST, UNKNOWN, waiting)
        document = await play.perform(await play.shop.create())
        progress = document["progress"]
        assert (progress["attempts"], progress["lastAnswer"]["code"]) == (3, "105")

    async def test_is_over_with_the_verdict(self, play: Play) -> None:
        play.script.begin(OUT, authorizing())
        document = await play.perform(await play.shop.create())
        assert (document["status"], document["progress"]) == ("authorized", None)

    async def test_begins_anew_when_a_document_is_emitted_again(self, play: Play, floor: Floor) -> None:
        play.script.begin(OUT)
        document = await play.perform(await play.shop.create())
        await floor.fetch(
            "update documents set status = 'rejected', next_action_at = null where id = $1",
            UUID(document["id"]),
        )
        assert (await play.shop.emit(document)).status_code == 202
        progress = (await play.shop.read(document))["progress"]
        assert (progress["attempts"], progress["lastAnswer"]) == (0, None)
        assert progress["since"] > document["progress"]["since"]

    async def test_of_a_document_that_was_set_aside_says_so(self, play: Play, floor: Floor) -> None:
        document = await play.shop.create()
        await floor.fetch(
            "update documents set parked_reason = 'KeyError()', next_action_at = null where id = $1",
            UUID(document["id"]),
        )
        progress = (await play.shop.read(document))["progress"]
        assert (progress["lastAnswer"]["code"], progress["nextAttemptAt"]) == ("SET_ASIDE", None)
        assert "KeyError" not in progress["lastAnswer"]["message"]

    @pytest.mark.parametrize(("attempts", "code"), [(1, None), (2, "INTERNAL_FAILURE")])
    async def test_of_a_document_that_our_own_failures_delay_says_so(
        self, play: Play, floor: Floor, attempts: int, code: str | None
    ) -> None:
        document = await play.shop.create()
        await floor.fetch("update documents set attempts = $2 where id = $1", UUID(document["id"]), attempts)
        answer = (await play.shop.read(document))["progress"]["lastAnswer"]
        assert (answer and answer["code"]) == code

    async def test_of_a_company_that_lost_its_certificate_says_so_until_it_has_another(
        self, play: Play, floor: Floor, certificate: A1Certificate
    ) -> None:
        play.script.begin(LOST)
        document = await play.perform(await play.shop.create(), steps=1)
        data_of(await play.shop.caller.http.delete(play.shop.path("/certificate")))
        await play.hasten(document)
        document = await play.perform(document, steps=1)
        assert document["progress"]["lastAnswer"]["code"] == "NO_CERTIFICATE"
        await floor.fetch(
            "update documents set next_action_at = now() + interval '1 hour' where id = $1",
            UUID(document["id"]),
        )
        await play.shop.certify(certificate)
        progress = (await play.shop.read(document))["progress"]
        assert datetime.fromisoformat(progress["nextAttemptAt"]) <= datetime.now(UTC)
