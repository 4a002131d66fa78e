"""An attempt of unknown result that was superseded: in the end the sale has one document."""

from datetime import timedelta
from typing import Any
from uuid import UUID

import pytest

from carimbo.fiscal.identity.certificate import A1Certificate
from carimbo.fiscal.outcome import (
    Cause,
    Denied,
    Duplicate,
    NotJudged,
    Outage,
    Outcome,
    Processing,
    Rejected,
    Throttled,
    Unavailable,
)
from carimbo.fiscal.printout import DocumentPrint, EventPrint
from carimbo.storage.work import WorkKey, WorkKind
from claimed_rows import advance_row
from integration.issuing.printer import Recorder, ask_event, pdf_of
from integration.issuing.scripted import (
    AT_WORK,
    LOST,
    UNKNOWN,
    Line,
    Script,
    ScriptedWorker,
    authorizing,
    canceling,
    registering,
)
from support import data_of

ANOTHER = Duplicate(code="562", message="Código numérico difere do cadastrado", is_another=True)
DENIED = Denied(code="302", message="Denegado", protocol="135260000000003")
TOO_LATE = Rejected(code="501", message="Prazo de cancelamento superior ao previsto")
OURS = authorizing(version=0)


async def superseded_attempt(worker: ScriptedWorker, *lines: Line, first: Line = LOST) -> dict[str, Any]:
    """Returns a document that is authorized in contingency after an attempt of unknown result.

    Its authority is available again, and requests in flight have arrived. The other lines stay in the script.
    """
    worker.script.begin(first, authorizing(), *lines)
    document, system = await worker.shop.create(), worker.shop.system
    key = WorkKey(WorkKind.DOCUMENT, worker.shop.caller.subscription_id, UUID(document["id"]))
    await advance_row(worker.advancer, key)
    await worker.go_into_contingency()
    await worker.end_pause(document)
    document = await worker.advance(document)
    assert (document["status"], document["number"], document["accessKey"][34]) == ("authorized", 2, "6")
    worker.script.calls.clear()
    worker.script.condition = AT_WORK
    worker.script.passed = 2 * system.settings.in_flight_limit
    return document


async def settle(worker: ScriptedWorker, document: dict[str, Any], steps: int = 1) -> timedelta | None:
    """Queries the first attempt; returns when it is due again."""
    (row,) = await worker.shop.system.fetch("select id from strays where document_id = $1", document["id"])
    return await worker.advance_row(WorkKind.SUPERSEDED, row["id"], steps)


async def first_attempt(worker: ScriptedWorker, document: dict[str, Any]) -> dict[str, Any]:
    (row,) = await worker.shop.system.fetch(
        "select * from emissions where document_id = $1 and ordinal = 1", document["id"]
    )
    return dict(row)


async def state_of(worker: ScriptedWorker, document: dict[str, Any]) -> str:
    return str((await first_attempt(worker, document))["state"])


async def cancellations(worker: ScriptedWorker, document: dict[str, Any]) -> list[UUID]:
    """Returns the cancellations of the document's first attempt."""
    rows = await worker.shop.system.fetch(
        "select id from event_filings where document_id = $1 and emission = 1", document["id"]
    )
    return [row["id"] for row in rows]


async def gaps(worker: ScriptedWorker) -> list[tuple[int, str, bool]]:
    (series,) = data_of(await worker.shop.get("/numbering"))
    return [(gap["numberStart"], gap["reason"], gap["voidable"]) for gap in series["gaps"]]


class TestAuthorizedAttempt:
    async def test_attempt_that_was_authorized_is_canceled_and_the_document_stays(
        self, worker: ScriptedWorker
    ) -> None:
        document = await superseded_attempt(worker, OURS, registering())
        assert await settle(worker, document) is None
        assert worker.script.consulted == [worker.script.sent[0].access_key]
        (event,) = await cancellations(worker, document)
        await worker.advance_row(WorkKind.EVENT, event)
        assert worker.script.calls == ["consult", "register_event"]
        assert worker.script.sent[0].access_key.encode() in worker.script.filed[0]
        assert await state_of(worker, document) == "canceled"
        assert await worker.shop.read(document) == document

    async def test_attempt_that_was_authorized_is_stored_with_its_protocol(
        self, worker: ScriptedWorker
    ) -> None:
        document = await superseded_attempt(worker, OURS)
        await settle(worker, document)
        attempt = await first_attempt(worker, document)
        assert (attempt["state"], attempt["protocol"]) == ("authorized", "135260000000001")
        assert attempt["authorized_at"] is not None
        async with worker.shop.system.database.autocommit(worker.shop.caller.subscription_id) as tenant:
            kept = await tenant.archive.get(UUID(document["id"]), f"authorization/{attempt['digest']}")
        assert kept
        assert attempt["access_key"].encode() in kept

    async def test_canceled_attempt_is_no_gap_and_appears_in_the_history(
        self, worker: ScriptedWorker
    ) -> None:
        document = await superseded_attempt(worker, OURS, registering())
        assert await gaps(worker) == [(1, "unknownFate", False)]
        await settle(worker, document)
        (event,) = await cancellations(worker, document)
        await worker.advance_row(WorkKind.EVENT, event)
        assert await gaps(worker) == []
        event_record = (await worker.shop.events(document))[-1]
        assert (event_record["id"], event_record["type"], event_record["status"]) == (
            str(event),
            "cancellation",
            "authorized",
        )

    async def test_cancellation_of_the_attempt_has_its_own_sequence(self, worker: ScriptedWorker) -> None:
        document = await superseded_attempt(worker, OURS)
        await settle(worker, document)
        async with worker.shop.system.database.autocommit(worker.shop.caller.subscription_id) as tenant:
            (first,) = await cancellations(worker, document)
            filing = await tenant.event_filings.get(first)
        assert filing is not None
        assert (filing.emission, filing.sequence) == (1, 1)

    async def test_printout_of_the_cancellation_shows_the_canceled_attempt(
        self, worker: ScriptedWorker, printer: Recorder
    ) -> None:
        printer.renderer = Blank()
        record = await superseded_attempt(worker, OURS, registering())
        await settle(worker, record)
        (event,) = await cancellations(worker, record)
        await worker.advance_row(WorkKind.EVENT, event)
        attempt = await first_attempt(worker, record)
        pdf_of(await ask_event(worker.shop, record, event), f"Cancelamento-{attempt['access_key']}.pdf")
        (order,) = printer.events
        assert attempt["access_key"].encode() in order.document
        assert record["accessKey"].encode() not in order.document


class TestOtherwiseSettledAttempt:
    @pytest.mark.parametrize(
        ("line", "state"),
        [
            (canceling, "canceled"),
            (DENIED, "denied"),
            (authorizing(version=0, digest="AAAA"), "foreign"),
            (ANOTHER, "foreign"),
        ],
    )
    async def test_attempt_that_is_not_ours_any_more_is_not_canceled_and_uses_its_number(
        self, worker: ScriptedWorker, line: Line, state: str
    ) -> None:
        document = await superseded_attempt(worker, line)
        assert await settle(worker, document) is None
        assert await state_of(worker, document) == state
        assert await cancellations(worker, document) == []
        assert await gaps(worker) == []
        assert await worker.shop.read(document) == document

    async def test_number_of_an_unknown_attempt_is_a_gap_to_be_voided(self, worker: ScriptedWorker) -> None:
        document = await superseded_attempt(worker, UNKNOWN)
        assert await settle(worker, document) is None
        assert await state_of(worker, document) == "signed"
        assert await cancellations(worker, document) == []
        assert await gaps(worker) == [(1, "unknownToAuthority", True)]

    async def test_attempt_that_was_canceled_elsewhere_keeps_its_protocol(
        self, worker: ScriptedWorker
    ) -> None:
        document = await superseded_attempt(worker, canceling)
        await settle(worker, document)
        assert (await first_attempt(worker, document))["protocol"] == "135260000000001"


class TestUnansweredAttempt:
    @pytest.mark.parametrize(
        "outcome",
        [
            LOST,
            NotJudged(cause=Cause.CONNECTION, detail="refused", may_have_arrived=False),
            NotJudged(cause=Cause.UNDECIDED, detail="999", code="999", message="Erro"),
            Unavailable(code="108", message="Paralisado", outage=Outage.SHORT),
        ],
    )
    async def test_attempt_is_queried_again_until_its_result_is_known(
        self, worker: ScriptedWorker, outcome: Outcome
    ) -> None:
        document = await superseded_attempt(worker, outcome, outcome, UNKNOWN)
        assert await settle(worker, document) is not None
        assert await state_of(worker, document) == "sent"
        assert await gaps(worker) == [(1, "unknownFate", False)]
        assert await settle(worker, document, steps=3) is None
        assert worker.script.calls == 3 * ["consult"]
        assert await state_of(worker, document) == "signed"

    async def test_query_waits_as_long_as_the_authority_asks_for(self, worker: ScriptedWorker) -> None:
        hour = timedelta(hours=1)

        def throttled(script: Script) -> Throttled:
            return Throttled(code="656", message="Consumo indevido", until=script.now() + hour)

        document = await superseded_attempt(worker, throttled)
        again_in = await settle(worker, document)
        assert again_in is not None
        assert again_in > hour - timedelta(minutes=1)
        assert await state_of(worker, document) == "sent"

    async def test_query_waits_for_a_certificate(
        self, worker: ScriptedWorker, certificate: A1Certificate
    ) -> None:
        document = await superseded_attempt(worker, UNKNOWN)
        shop = worker.shop
        await shop.caller.http.delete(shop.path("/certificate"))
        assert await settle(worker, document) is not None
        assert worker.script.calls == []
        await shop.set_certificate(certificate)
        assert await settle(worker, document) is None
        assert await state_of(worker, document) == "signed"

    async def test_attempt_is_not_queried_while_the_authority_is_out(self, worker: ScriptedWorker) -> None:
        """The status of an authority may be queried more often than a key."""
        document = await superseded_attempt(worker, UNKNOWN)
        worker.script.condition = LOST
        assert await settle(worker, document) is not None
        assert worker.script.calls == []
        worker.script.condition = AT_WORK
        assert await settle(worker, document) is None
        assert worker.script.calls == ["consult"]

    async def test_unknown_attempt_may_still_arrive(self, worker: ScriptedWorker) -> None:
        document = await superseded_attempt(worker, UNKNOWN, OURS)
        arrived, worker.script.passed = worker.script.passed, timedelta(0)
        (row,) = await worker.shop.system.fetch(
            "select id from strays where document_id = $1", document["id"]
        )
        key = WorkKey(WorkKind.SUPERSEDED, worker.shop.caller.subscription_id, row["id"])
        assert await advance_row(worker.advancer, key) is not None
        assert await state_of(worker, document) == "sent"
        worker.script.passed = arrived
        await worker.shop.system.fetch("update strays set next_action_at = now() where id = $1", key.id)
        assert await settle(worker, document) is None
        assert await state_of(worker, document) == "authorized"

    async def test_attempt_in_a_lot_is_queried_by_its_receipt(self, worker: ScriptedWorker) -> None:
        """The authority does not know the key of a document that it has not judged yet."""
        later = Processing(code="103", message="Lote recebido", receipt="351000000000001", wait_seconds=60)
        document = await superseded_attempt(worker, OURS, first=later)
        await settle(worker, document)
        assert worker.script.calls == ["receipt"]


class TestCancellationOfTheAttempt:
    async def test_refused_cancellation_of_the_attempt_stays_in_the_history(
        self, worker: ScriptedWorker
    ) -> None:
        document = await superseded_attempt(worker, OURS, TOO_LATE)
        await settle(worker, document)
        (event,) = await cancellations(worker, document)
        await worker.advance_row(WorkKind.EVENT, event)
        event_record = (await worker.shop.events(document))[-1]
        assert (event_record["type"], event_record["authorityCode"]) == ("cancellation", "501")
        assert await state_of(worker, document) == "authorized"

    async def test_cancellation_of_the_attempt_waits_for_a_certificate(
        self, worker: ScriptedWorker, certificate: A1Certificate
    ) -> None:
        """It would not be requested a second time."""
        document = await superseded_attempt(worker, OURS, registering())
        await settle(worker, document)
        (event,) = await cancellations(worker, document)
        await worker.shop.caller.http.delete(worker.shop.path("/certificate"))
        assert await worker.advance_row(WorkKind.EVENT, event, steps=1) is not None
        await worker.shop.set_certificate(certificate)
        await worker.advance_row(WorkKind.EVENT, event)
        assert await state_of(worker, document) == "canceled"


class Blank:
    """Draws an empty file, for orders with invented XML."""

    def document(self, order: DocumentPrint) -> bytes:
        return b"%PDF-1.7"

    def event(self, order: EventPrint) -> bytes:
        return b"%PDF-1.7"
