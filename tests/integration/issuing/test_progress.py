"""`progress`: why a document is still in process: an answer, a timeout or a refused certificate."""

from datetime import UTC, datetime
from uuid import UUID

import pytest

from carimbo.fiscal.identity.certificate import A1Certificate
from carimbo.fiscal.outcome import Cause, NotJudged, Processing
from integration.issuing.scripted import LOST, OUT, UNKNOWN, ScriptedWorker, authorizing
from integration.issuing.system import System
from support import data_of


class TestProgress:
    async def test_new_document_has_no_attempts_and_no_answer(self, worker: ScriptedWorker) -> None:
        document = await worker.shop.create()
        progress = document["progress"]
        assert (progress["attempts"], progress["lastAnswer"]) == (0, None)
        assert progress["since"] == progress["nextAttemptAt"] is not None
        assert await worker.shop.read(document) == document

    async def test_progress_shows_the_last_answer_and_the_next_attempt(self, worker: ScriptedWorker) -> None:
        worker.script.begin(OUT, OUT)
        before = datetime.now(UTC)
        created = await worker.shop.create()
        document = await worker.advance(created)
        progress = document["progress"]
        assert document["status"] == "processing"
        assert progress["since"] == created["progress"]["since"]
        assert progress["attempts"] == 2
        answer = progress["lastAnswer"]
        assert (answer["code"], answer["message"]) == ("109", "Serviço paralisado sem previsão")
        assert before < datetime.fromisoformat(answer["at"]) < datetime.now(UTC)
        assert datetime.fromisoformat(progress["nextAttemptAt"]) > datetime.fromisoformat(answer["at"])

    async def test_progress_shows_why_there_is_no_answer(self, worker: ScriptedWorker) -> None:
        silence = NotJudged(cause=Cause.TIMEOUT, detail="sp.example: a resposta não veio a tempo")
        worker.script.begin(silence)
        document = await worker.advance(await worker.shop.create())
        answer = document["progress"]["lastAnswer"]
        assert answer["code"] == "TIMEOUT"
        assert answer["message"].endswith("sp.example: a resposta não veio a tempo")

    async def test_progress_counts_requests_that_are_answered_at_once(self, worker: ScriptedWorker) -> None:
        waiting = Processing(code="105", message="Lote em processamento", receipt="351", wait_seconds=9)
        worker.script.begin(LOST, UNKNOWN, waiting)
        document = await worker.advance(await worker.shop.create())
        progress = document["progress"]
        assert (progress["attempts"], progress["lastAnswer"]["code"]) == (3, "105")

    async def test_settled_document_has_no_progress(self, worker: ScriptedWorker) -> None:
        worker.script.begin(OUT, authorizing())
        document = await worker.advance(await worker.shop.create())
        assert (document["status"], document["progress"]) == ("authorized", None)

    async def test_progress_begins_again_when_a_document_is_emitted_again(
        self, worker: ScriptedWorker, system: System
    ) -> None:
        worker.script.begin(OUT)
        document = await worker.advance(await worker.shop.create())
        await system.fetch(
            "update documents set status = 'rejected', next_action_at = null where id = $1",
            UUID(document["id"]),
        )
        assert (await worker.shop.emit(document)).status_code == 202
        progress = (await worker.shop.read(document))["progress"]
        assert (progress["attempts"], progress["lastAnswer"]) == (0, None)
        assert progress["since"] > document["progress"]["since"]

    async def test_progress_shows_that_a_document_is_parked(
        self, worker: ScriptedWorker, system: System
    ) -> None:
        document = await worker.shop.create()
        await system.fetch(
            "update documents set parked_reason = 'KeyError()', next_action_at = null where id = $1",
            UUID(document["id"]),
        )
        progress = (await worker.shop.read(document))["progress"]
        assert (progress["lastAnswer"]["code"], progress["nextAttemptAt"]) == ("SET_ASIDE", None)
        assert "KeyError" not in progress["lastAnswer"]["message"]

    @pytest.mark.parametrize(("attempts", "code"), [(1, None), (2, "INTERNAL_FAILURE")])
    async def test_progress_shows_repeated_internal_failures(
        self, worker: ScriptedWorker, system: System, attempts: int, code: str | None
    ) -> None:
        document = await worker.shop.create()
        await system.fetch("update documents set attempts = $2 where id = $1", UUID(document["id"]), attempts)
        answer = (await worker.shop.read(document))["progress"]["lastAnswer"]
        assert (answer and answer["code"]) == code

    async def test_progress_shows_a_missing_certificate_until_there_is_another(
        self, worker: ScriptedWorker, system: System, certificate: A1Certificate
    ) -> None:
        worker.script.begin(LOST)
        document = await worker.advance(await worker.shop.create(), steps=1)
        data_of(await worker.shop.caller.http.delete(worker.shop.path("/certificate")))
        await worker.end_pause(document)
        document = await worker.advance(document, steps=1)
        assert document["progress"]["lastAnswer"]["code"] == "NO_CERTIFICATE"
        await system.fetch(
            "update documents set next_action_at = now() + interval '1 hour' where id = $1",
            UUID(document["id"]),
        )
        await worker.shop.set_certificate(certificate)
        progress = (await worker.shop.read(document))["progress"]
        assert datetime.fromisoformat(progress["nextAttemptAt"]) <= datetime.now(UTC)
