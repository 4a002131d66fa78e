"""Events that are answered late, oddly or never."""

import asyncio
from collections.abc import Awaitable, Callable
from datetime import timedelta
from typing import Any
from uuid import UUID

import pytest

from carimbo.fiscal.certificate import A1Certificate
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
    Play,
    Script,
    authorizing,
    file_of,
    registered,
    registering,
    row_of,
    state_of,
    without_certificate,
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
of_every_type = pytest.mark.parametrize("kind", KINDS)
REQUESTS = {"cancellation": "{}", "correction": f'{{"correction": "{LETTER}"}}'}


async def issued(play: Play, kind: str = "toy") -> dict[str, Any]:
    """A document that is authorized."""
    play.script.begin(authorizing())
    return await play.perform(await play.shop.create(kind))


async def store_event(play: Play, document: dict[str, Any], event: str = "cancellation") -> UUID:
    """Stores an event of a document that is to be sent."""
    new = NewEventFiling(
        id=new_id(),
        company_id=UUID(play.shop.id),
        document_id=UUID(document["id"]),
        emission=1,
        type=event,
        sequence=1,
        request=REQUESTS[event],
    )
    async with play.shop.floor.database.autocommit(play.shop.caller.subscription_id) as tenant:
        assert await tenant.event_filings.add(new) is not None
    return new.id


async def canceled(play: Play, *lines: Line, kind: str = "toy") -> tuple[dict[str, Any], UUID]:
    """Returns a document and its cancellation after the authority answered by these lines."""
    document = await issued(play, kind)
    play.script.begin(*lines)
    event = await store_event(play, document)
    await play.work(WorkKind.EVENT, event)
    return await play.shop.read(document), event


async def queued(play: Play, document: dict[str, Any]) -> UUID:
    """Waits for an event of a document that was not sent yet, and returns its id."""
    new = f"from event_filings where document_id = '{document['id']}' and state = 'queued'"
    await play.shop.floor.until(f"exists (select {new})")
    (row,) = await play.shop.floor.fetch(f"select id {new}")
    return UUID(str(row["id"]))


async def without_registration(play: Play) -> None:
    """Take the company's state registration away."""
    shop = play.shop
    (registration,) = data_of(await shop.get("/state-registrations"))
    data_of(await shop.caller.http.delete(shop.path(f"/state-registrations/{registration['id']}")))


async def with_an_unwritable_protocol(play: Play) -> None:
    """Let the documents have a protocol that no event can hold."""
    await play.shop.floor.fetch(
        "update emissions set protocol = '1' where company_id = $1", UUID(play.shop.id)
    )


@of_every_type
class TestCancellation:
    @pytest.mark.parametrize(
        ("lines", "asked"),
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
    async def test_that_the_authority_registers_in_the_end_cancels_the_document(
        self, play: Play, kind: str, lines: tuple[Line, ...], asked: list[str]
    ) -> None:
        document, event = await canceled(play, *lines, kind=kind)
        assert (document["status"], await state_of(play, event)) == ("canceled", "registered")
        assert play.script.asked == asked
        assert len(set(play.script.filed)) == 1
        assert await file_of(play, event, "signed") == play.script.filed[0]
        assert await file_of(play, event, "registration")
        assert (await play.shop.events(document))[-1]["id"] == str(event)

    async def test_that_another_system_sent_counts_without_a_receipt(self, play: Play, kind: str) -> None:
        document, event = await canceled(play, CANCELED_BEFORE, registered(digest="AAAA"), kind=kind)
        assert (document["status"], await state_of(play, event)) == ("canceled", "registered")
        assert await file_of(play, event, "registration") is None
        answer = await play.shop.get(f"/{kind}/{document['id']}/events/{event}/xml")
        error_of(answer, 409, "INVALID_STATE")

    async def test_that_the_authority_only_mentions_counts_too(self, play: Play, kind: str) -> None:
        document, event = await canceled(play, CANCELED_BEFORE, CANCELED_SOMEHOW, kind=kind)
        assert (document["status"], await state_of(play, event)) == ("canceled", "registered")
        row = await row_of(play, event)
        assert (row["protocol"], row["authority_code"]) == (None, "101")

    async def test_of_a_document_that_is_not_canceled_after_all_is_sent_again(
        self, play: Play, kind: str
    ) -> None:
        document, _ = await canceled(play, CANCELED_BEFORE, NOT_THERE, registering(), kind=kind)
        assert document["status"] == "canceled"
        assert play.script.asked == ["register_event", "consult_event", "register_event"]

    async def test_of_a_document_that_is_closed_is_sent_again_and_refused(
        self, play: Play, kind: str
    ) -> None:
        """That the document is closed says nothing of a cancellation whose answer was lost."""
        document, event = await canceled(play, LOST, CLOSED, TOO_LATE, kind=kind)
        assert (document["status"], await state_of(play, event)) == ("authorized", "refused")
        assert play.script.asked == ["register_event", "consult_event", "register_event"]

    async def test_that_is_refused_leaves_the_document_authorized(self, play: Play, kind: str) -> None:
        document, event = await canceled(play, TOO_LATE, kind=kind)
        assert (document["status"], await state_of(play, event)) == ("authorized", "refused")
        assert await file_of(play, event, "refusal") == b"<retEvento/>"
        shown = (await play.shop.events(document))[-1]
        assert (shown["id"], shown["status"], shown["authorityCode"]) == (str(event), "rejected", "501")

    async def test_waits_as_long_as_the_authority_asks_for(self, play: Play, kind: str) -> None:
        hour = timedelta(hours=1)

        def throttled(script: Script) -> Outcome:
            return Throttled(code="656", message="Consumo indevido", until=script.now() + hour)

        document = await issued(play, kind)
        play.script.begin(throttled)
        event = await store_event(play, document)
        again_in = await play.work(WorkKind.EVENT, event)
        assert again_in is not None
        assert again_in > hour - timedelta(minutes=1)
        assert await state_of(play, event) == "signed"

    async def test_that_is_settled_is_not_sent_again(self, play: Play, kind: str) -> None:
        document, event = await canceled(play, registering(), kind=kind)
        await play.shop.floor.fetch("update event_filings set next_action_at = now() where id = $1", event)
        assert await play.work(WorkKind.EVENT, event) is None
        assert play.script.asked == ["register_event"]
        assert await play.shop.read(document) == document


@of_every_type
class TestWithoutCertificate:
    async def test_an_event_that_was_not_sent_is_refused(self, play: Play, kind: str) -> None:
        document = await issued(play, kind)
        event = await store_event(play, document)
        await without_certificate(play)
        assert await play.work(WorkKind.EVENT, event) is None
        assert play.script.filed == []
        assert await own_refusal_of(play, event) == ["CERTIFICATE_MISSING"]
        assert (await play.shop.read(document))["status"] == "authorized"

    async def test_an_event_that_certainly_did_not_arrive_is_refused(self, play: Play, kind: str) -> None:
        document = await issued(play, kind)
        play.script.begin(NOT_SENT, registering())
        event = await store_event(play, document)
        await play.work(WorkKind.EVENT, event, steps=1)
        await without_certificate(play)
        assert await play.work(WorkKind.EVENT, event) is None
        assert (await state_of(play, event), len(play.script.filed)) == ("refused", 1)

    async def test_an_event_that_may_have_arrived_waits_for_a_certificate(
        self, play: Play, certificate: A1Certificate, kind: str
    ) -> None:
        document = await issued(play, kind)
        play.script.begin(LOST, registered())
        event = await store_event(play, document)
        await play.work(WorkKind.EVENT, event, steps=1)
        await without_certificate(play)
        assert await play.work(WorkKind.EVENT, event, steps=2) is not None
        assert (await state_of(play, event), play.script.asked) == ("sent", ["register_event"])
        await play.shop.certify(certificate)
        await play.work(WorkKind.EVENT, event)
        assert (await play.shop.read(document))["status"] == "canceled"


class TestEventThatCanNotBeWritten:
    async def test_is_never_sent(self, play: Play) -> None:
        event = await store_event(play, await issued(play))
        await with_an_unwritable_protocol(play)
        assert await play.work(WorkKind.EVENT, event) is None
        assert play.script.filed == []
        assert await own_refusal_of(play, event) == ["225"]
        assert await file_of(play, event, "signed") is None

    async def test_of_a_company_without_state_registration_is_refused(self, play: Play) -> None:
        event = await store_event(play, await issued(play))
        await without_registration(play)
        await play.work(WorkKind.EVENT, event)
        assert await own_refusal_of(play, event) == ["COMPANY_NOT_READY"]
        assert play.script.filed == []

    @pytest.mark.parametrize(
        ("trouble", "code"),
        [
            (without_certificate, "CERTIFICATE_MISSING"),
            (without_registration, "COMPANY_NOT_READY"),
            (with_an_unwritable_protocol, "FISCAL_RULE_VIOLATION"),
        ],
    )
    async def test_is_answered_as_our_own_refusal(
        self, play: Play, trouble: Callable[[Play], Awaitable[None]], code: str
    ) -> None:
        document = await issued(play)
        waiting = asyncio.create_task(cancel(play.shop, document))
        event = await queued(play, document)
        await trouble(play)
        await play.work(WorkKind.EVENT, event)
        assert "authorityCode" not in (error_of(await waiting, 422, code) or {})


class TestCorrection:
    @pytest.mark.parametrize(
        "lines",
        [(registering(),), (DUPLICATE, registered()), (LOST, registered()), (LOST, NOT_THERE, registering())],
    )
    async def test_that_the_authority_has_is_registered(self, play: Play, lines: tuple[Line, ...]) -> None:
        document = await issued(play)
        play.script.begin(*lines)
        event = await store_event(play, document, "correction")
        await play.work(WorkKind.EVENT, event)
        assert await state_of(play, event) == "registered"
        assert await file_of(play, event, "registration")
        assert len(set(play.script.filed)) == 1
        assert (await play.shop.read(document))["status"] == "authorized"

    async def test_with_a_sequence_that_is_taken_is_refused(self, play: Play) -> None:
        document = await issued(play)
        play.script.begin(DUPLICATE, registered(digest="AAAA"))
        event = await store_event(play, document, "correction")
        await play.work(WorkKind.EVENT, event)
        row = await row_of(play, event)
        assert (row["state"], row["authority_code"]) == ("refused", "573")
        assert await file_of(play, event, "registration") is None

    async def test_takes_the_next_sequence_when_it_is_written_again(self, play: Play) -> None:
        document = await issued(play)
        play.script.begin(DUPLICATE, registered(digest="AAAA"), registering())
        await play.work(WorkKind.EVENT, await store_event(play, document, "correction"))
        writing = asyncio.create_task(
            play.shop.post(f"/toy/{document['id']}/correction", {"correction": LETTER})
        )
        await play.work(WorkKind.EVENT, await queued(play, document))
        assert data_of(await writing)["sequence"] == 2


async def own_refusal_of(play: Play, filing_id: UUID) -> list[str]:
    """Why we ourselves refused an event or a range, of which the authority has said nothing."""
    row = await row_of(play, filing_id)
    assert (row["state"], row["authority_code"], row["authority_message"]) == ("refused", None, None)
    return [rule["code"] for rule in row["own_refusal"]]
