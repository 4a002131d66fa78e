"""Events whose answers are late, unusual or lost."""

import asyncio
from collections.abc import Awaitable, Callable
from datetime import timedelta
from typing import Any
from uuid import UUID

import pytest

from carimbo.fiscal.identity.certificate import A1Certificate
from carimbo.fiscal.outcome import (
    Canceled,
    Closed,
    Duplicate,
    Outcome,
    Rejected,
    Throttled,
    Unknown,
)
from carimbo.storage.event_filings import NewEventFiling
from carimbo.storage.identifiers import new_id
from carimbo.storage.work import WorkKind
from integration.issuing.actions import LETTER, cancel
from integration.issuing.scripted import (
    LOST,
    NOT_SENT,
    OUT,
    Line,
    Script,
    ScriptedWorker,
    authorizing,
    file_of,
    registered,
    registering,
    remove_certificate,
    row_of,
    state_of,
)
from integration.issuing.shop import error_of
from support import data_of
from toy.shop import KINDS

NOT_THERE = Unknown(code="100", message="Autorizado o uso da NF-e")
DUPLICATE = Duplicate(code="573", message="Rejeição: Duplicidade de evento")
CANCELED_BEFORE = Canceled(code="420", message="Rejeição: Cancelamento para NF-e já cancelada")
CANCELED_SOMEHOW = Canceled(code="101", message="Cancelamento de NF-e homologado")
CLOSED = Closed(code="132", message="Encerrado")
TOO_LATE = Rejected(code="501", message="Rejeição: Prazo de cancelamento", answer_xml=b"<retEvento/>")
of_every_type = pytest.mark.parametrize("document_type", KINDS)
REQUESTS = {"cancellation": "{}", "correction": f'{{"correction": "{LETTER}"}}'}


async def issued(worker: ScriptedWorker, document_type: str = "toy") -> dict[str, Any]:
    """Returns an authorized document."""
    worker.script.begin(authorizing())
    return await worker.advance(await worker.shop.create(document_type))


async def store_event(worker: ScriptedWorker, document: dict[str, Any], event: str = "cancellation") -> UUID:
    """Adds an event of a document that is still to be sent."""
    new = NewEventFiling(
        id=new_id(),
        company_id=UUID(worker.shop.id),
        document_id=UUID(document["id"]),
        emission=1,
        type=event,
        sequence=1,
        request=REQUESTS[event],
    )
    async with worker.shop.system.database.autocommit(worker.shop.caller.subscription_id) as tenant:
        assert await tenant.event_filings.add(new) is not None
    return new.id


async def canceled(
    worker: ScriptedWorker, *lines: Line, document_type: str = "toy"
) -> tuple[dict[str, Any], UUID]:
    """Returns a document and its cancellation after the authority answered by these lines."""
    document = await issued(worker, document_type)
    worker.script.begin(*lines)
    event = await store_event(worker, document)
    await worker.advance_row(WorkKind.EVENT, event)
    return await worker.shop.read(document), event


async def queued(worker: ScriptedWorker, document: dict[str, Any]) -> UUID:
    """Waits for an event of a document that was not sent yet, and returns its id."""
    new = f"from event_filings where document_id = '{document['id']}' and state = 'queued'"
    await worker.shop.system.until(f"exists (select {new})")
    (row,) = await worker.shop.system.fetch(f"select id {new}")
    return UUID(str(row["id"]))


async def remove_registration(worker: ScriptedWorker) -> None:
    """Removes the company's state registration."""
    shop = worker.shop
    (registration,) = data_of(await shop.get("/state-registrations"))
    data_of(await shop.caller.http.delete(shop.path(f"/state-registrations/{registration['id']}")))


async def make_the_protocol_unwritable(worker: ScriptedWorker) -> None:
    """Gives the documents a protocol that no event can contain."""
    await worker.shop.system.fetch(
        "update emissions set protocol = '1' where company_id = $1", UUID(worker.shop.id)
    )


@of_every_type
class TestCancellation:
    @pytest.mark.parametrize(
        ("lines", "calls"),
        [
            ((registering(),), ["register_event"]),
            ((LOST, registered()), ["register_event", "consult_event"]),
            ((LOST, NOT_THERE, registering()), ["register_event", "consult_event", "register_event"]),
            ((LOST, LOST, registered()), ["register_event", "consult_event", "consult_event"]),
            ((DUPLICATE, registered()), ["register_event", "consult_event"]),
            ((OUT, registering()), ["register_event", "register_event"]),
            ((NOT_SENT, registering()), ["register_event", "register_event"]),
        ],
    )
    async def test_cancellation_that_is_registered_in_the_end_cancels_the_document(
        self, worker: ScriptedWorker, document_type: str, lines: tuple[Line, ...], calls: list[str]
    ) -> None:
        document, event = await canceled(worker, *lines, document_type=document_type)
        assert (document["status"], await state_of(worker, event)) == ("canceled", "registered")
        assert worker.script.calls == calls
        assert len(set(worker.script.filed)) == 1
        assert await file_of(worker, event, "signed") == worker.script.filed[0]
        assert await file_of(worker, event, "registration")
        assert (await worker.shop.events(document))[-1]["id"] == str(event)

    async def test_cancellation_by_another_system_cancels_the_document_without_a_file(
        self, worker: ScriptedWorker, document_type: str
    ) -> None:
        document, event = await canceled(
            worker, CANCELED_BEFORE, registered(digest="AAAA"), document_type=document_type
        )
        assert (document["status"], await state_of(worker, event)) == ("canceled", "registered")
        assert await file_of(worker, event, "registration") is None
        answer = await worker.shop.get(f"/{document_type}/{document['id']}/events/{event}/xml")
        error_of(answer, 409, "INVALID_STATE")

    async def test_cancellation_that_only_the_documents_status_shows_counts(
        self, worker: ScriptedWorker, document_type: str
    ) -> None:
        document, event = await canceled(
            worker, CANCELED_BEFORE, CANCELED_SOMEHOW, document_type=document_type
        )
        assert (document["status"], await state_of(worker, event)) == ("canceled", "registered")
        row = await row_of(worker, event)
        assert (row["protocol"], row["authority_code"]) == (None, "101")

    async def test_cancellation_that_the_authority_does_not_have_is_sent_again(
        self, worker: ScriptedWorker, document_type: str
    ) -> None:
        document, _ = await canceled(
            worker, CANCELED_BEFORE, NOT_THERE, registering(), document_type=document_type
        )
        assert document["status"] == "canceled"
        assert worker.script.calls == ["register_event", "consult_event", "register_event"]

    async def test_cancellation_of_a_closed_document_is_sent_again_and_refused(
        self, worker: ScriptedWorker, document_type: str
    ) -> None:
        """The closing proves nothing about a cancellation whose answer was lost."""
        document, event = await canceled(worker, LOST, CLOSED, TOO_LATE, document_type=document_type)
        assert (document["status"], await state_of(worker, event)) == ("authorized", "refused")
        assert worker.script.calls == ["register_event", "consult_event", "register_event"]

    async def test_refused_cancellation_leaves_the_document_authorized(
        self, worker: ScriptedWorker, document_type: str
    ) -> None:
        document, event = await canceled(worker, TOO_LATE, document_type=document_type)
        assert (document["status"], await state_of(worker, event)) == ("authorized", "refused")
        assert await file_of(worker, event, "refusal") == b"<retEvento/>"
        shown = (await worker.shop.events(document))[-1]
        assert (shown["id"], shown["status"], shown["authorityCode"]) == (str(event), "rejected", "501")

    async def test_event_waits_as_long_as_the_authority_asks_for(
        self, worker: ScriptedWorker, document_type: str
    ) -> None:
        hour = timedelta(hours=1)

        def throttled(script: Script) -> Outcome:
            return Throttled(code="656", message="Consumo indevido", until=script.now() + hour)

        document = await issued(worker, document_type)
        worker.script.begin(throttled)
        event = await store_event(worker, document)
        again_in = await worker.advance_row(WorkKind.EVENT, event)
        assert again_in is not None
        assert again_in > hour - timedelta(minutes=1)
        assert await state_of(worker, event) == "signed"

    async def test_settled_event_is_not_sent_again(self, worker: ScriptedWorker, document_type: str) -> None:
        document, event = await canceled(worker, registering(), document_type=document_type)
        await worker.shop.system.fetch("update event_filings set next_action_at = now() where id = $1", event)
        assert await worker.advance_row(WorkKind.EVENT, event) is None
        assert worker.script.calls == ["register_event"]
        assert await worker.shop.read(document) == document


@of_every_type
class TestWithoutCertificate:
    async def test_unsent_event_is_refused_without_a_certificate(
        self, worker: ScriptedWorker, document_type: str
    ) -> None:
        document = await issued(worker, document_type)
        event = await store_event(worker, document)
        await remove_certificate(worker)
        assert await worker.advance_row(WorkKind.EVENT, event) is None
        assert worker.script.filed == []
        assert await own_refusal_of(worker, event) == ["CERTIFICATE_MISSING"]
        assert (await worker.shop.read(document))["status"] == "authorized"

    async def test_event_that_did_not_arrive_is_refused_without_a_certificate(
        self, worker: ScriptedWorker, document_type: str
    ) -> None:
        document = await issued(worker, document_type)
        worker.script.begin(NOT_SENT, registering())
        event = await store_event(worker, document)
        await worker.advance_row(WorkKind.EVENT, event, steps=1)
        await remove_certificate(worker)
        assert await worker.advance_row(WorkKind.EVENT, event) is None
        assert (await state_of(worker, event), len(worker.script.filed)) == ("refused", 1)

    async def test_event_that_may_have_arrived_waits_for_a_certificate(
        self, worker: ScriptedWorker, certificate: A1Certificate, document_type: str
    ) -> None:
        document = await issued(worker, document_type)
        worker.script.begin(LOST, registered())
        event = await store_event(worker, document)
        await worker.advance_row(WorkKind.EVENT, event, steps=1)
        await remove_certificate(worker)
        assert await worker.advance_row(WorkKind.EVENT, event, steps=2) is not None
        assert (await state_of(worker, event), worker.script.calls) == (
            "sent",
            ["register_event"],
        )
        await worker.shop.set_certificate(certificate)
        await worker.advance_row(WorkKind.EVENT, event)
        assert (await worker.shop.read(document))["status"] == "canceled"


class TestUnwritableEvent:
    async def test_event_that_can_not_be_written_is_never_sent(self, worker: ScriptedWorker) -> None:
        event = await store_event(worker, await issued(worker))
        await make_the_protocol_unwritable(worker)
        assert await worker.advance_row(WorkKind.EVENT, event) is None
        assert worker.script.filed == []
        assert await own_refusal_of(worker, event) == ["225"]
        assert await file_of(worker, event, "signed") is None

    async def test_event_of_a_company_without_a_state_registration_is_refused(
        self, worker: ScriptedWorker
    ) -> None:
        event = await store_event(worker, await issued(worker))
        await remove_registration(worker)
        await worker.advance_row(WorkKind.EVENT, event)
        assert await own_refusal_of(worker, event) == ["COMPANY_NOT_READY"]
        assert worker.script.filed == []

    @pytest.mark.parametrize(
        ("trouble", "code"),
        [
            (remove_certificate, "CERTIFICATE_MISSING"),
            (remove_registration, "COMPANY_NOT_READY"),
            (make_the_protocol_unwritable, "FISCAL_RULE_VIOLATION"),
        ],
    )
    async def test_event_that_can_not_be_written_is_answered_with_our_own_error(
        self, worker: ScriptedWorker, trouble: Callable[[ScriptedWorker], Awaitable[None]], code: str
    ) -> None:
        document = await issued(worker)
        waiting = asyncio.create_task(cancel(worker.shop, document))
        event = await queued(worker, document)
        await trouble(worker)
        await worker.advance_row(WorkKind.EVENT, event)
        assert "authorityCode" not in (error_of(await waiting, 422, code) or {})


class TestCorrection:
    @pytest.mark.parametrize(
        "lines",
        [(registering(),), (DUPLICATE, registered()), (LOST, registered()), (LOST, NOT_THERE, registering())],
    )
    async def test_correction_that_the_authority_has_is_registered(
        self, worker: ScriptedWorker, lines: tuple[Line, ...]
    ) -> None:
        document = await issued(worker)
        worker.script.begin(*lines)
        event = await store_event(worker, document, "correction")
        await worker.advance_row(WorkKind.EVENT, event)
        assert await state_of(worker, event) == "registered"
        assert await file_of(worker, event, "registration")
        assert len(set(worker.script.filed)) == 1
        assert (await worker.shop.read(document))["status"] == "authorized"

    async def test_correction_with_a_used_sequence_is_refused(self, worker: ScriptedWorker) -> None:
        document = await issued(worker)
        worker.script.begin(DUPLICATE, registered(digest="AAAA"))
        event = await store_event(worker, document, "correction")
        await worker.advance_row(WorkKind.EVENT, event)
        row = await row_of(worker, event)
        assert (row["state"], row["authority_code"]) == ("refused", "573")
        assert await file_of(worker, event, "registration") is None

    async def test_correction_takes_the_next_sequence_when_requested_again(
        self, worker: ScriptedWorker
    ) -> None:
        document = await issued(worker)
        worker.script.begin(DUPLICATE, registered(digest="AAAA"), registering())
        await worker.advance_row(WorkKind.EVENT, await store_event(worker, document, "correction"))
        writing = asyncio.create_task(
            worker.shop.post(f"/toy/{document['id']}/correction", {"correction": LETTER})
        )
        await worker.advance_row(WorkKind.EVENT, await queued(worker, document))
        assert data_of(await writing)["sequence"] == 2


async def own_refusal_of(worker: ScriptedWorker, filing_id: UUID) -> list[str]:
    """Returns the codes of our own refusal of an event or a range; the authority has not answered."""
    row = await row_of(worker, filing_id)
    assert (row["state"], row["authority_code"], row["authority_message"]) == ("refused", None, None)
    return [rule["code"] for rule in row["own_refusal"]]
