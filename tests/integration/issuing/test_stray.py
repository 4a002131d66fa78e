"""An attempt of unknown fate that another took the place of: in the end the sale has one document."""

from datetime import timedelta
from typing import Any
from uuid import UUID

import pytest

from carimbo.fiscal.certificate import A1Certificate
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
from integration.issuing.printer import Recorder, ask_event, pdf_of
from integration.issuing.scripted import (
    AT_WORK,
    LOST,
    UNKNOWN,
    Line,
    Play,
    Script,
    authorizing,
    canceling,
    registering,
)
from support import data_of

ANOTHER = Duplicate(code="562", message="Código numérico difere do cadastrado", is_another=True)
DENIED = Denied(code="302", message="Denegado", protocol="135260000000003")
TOO_LATE = Rejected(code="501", message="Prazo de cancelamento superior ao previsto")
OURS = authorizing(version=0)


async def left_behind(play: Play, *lines: Line, first: Line = LOST) -> dict[str, Any]:
    """A document that is authorized in contingency after an attempt of unknown fate; the rest is script.

    By then the authority is at work again, and whatever was on its way to it has arrived.
    """
    play.script.begin(first, authorizing(), *lines)
    document, floor = await play.shop.create(), play.shop.floor
    key = WorkKey(WorkKind.DOCUMENT, play.shop.caller.subscription_id, UUID(document["id"]))
    await play.advancer.advance(key)
    await play.go_into_contingency()
    await play.hasten(document)
    document = await play.perform(document)
    assert (document["status"], document["number"], document["accessKey"][34]) == ("authorized", 2, "6")
    play.script.asked.clear()
    play.script.condition = AT_WORK
    play.script.passed = 2 * floor.settings.latest_arrival
    return document


async def settle(play: Play, document: dict[str, Any], steps: int = 1) -> timedelta | None:
    """Ask about the first attempt; tells when that is to be done again."""
    (row,) = await play.shop.floor.fetch("select id from strays where document_id = $1", document["id"])
    return await play.work(WorkKind.STRAY, row["id"], steps)


async def first_attempt(play: Play, document: dict[str, Any]) -> dict[str, Any]:
    (row,) = await play.shop.floor.fetch(
        "select * from emissions where document_id = $1 and ordinal = 1", document["id"]
    )
    return dict(row)


async def state_of(play: Play, document: dict[str, Any]) -> str:
    return str((await first_attempt(play, document))["state"])


async def cancellations(play: Play, document: dict[str, Any]) -> list[UUID]:
    """What is told the authority of the document's attempts."""
    rows = await play.shop.floor.fetch(
        "select id from event_filings where document_id = $1 and emission = 1", document["id"]
    )
    return [row["id"] for row in rows]


async def gaps(play: Play) -> list[tuple[int, str, bool]]:
    (series,) = data_of(await play.shop.get("/numbering"))
    return [(gap["numberStart"], gap["reason"], gap["voidable"]) for gap in series["gaps"]]


class TestAttemptThatTheAuthorityHas:
    async def test_is_canceled_by_us_and_the_document_stays(self, play: Play) -> None:
        document = await left_behind(play, OURS, registering())
        assert await settle(play, document) is None
        assert play.script.consulted == [play.script.sent[0].access_key]
        (event,) = await cancellations(play, document)
        await play.work(WorkKind.EVENT, event)
        assert play.script.asked == ["consult", "register_event"]
        assert play.script.sent[0].access_key.encode() in play.script.filed[0]
        assert await state_of(play, document) == "canceled"
        assert await play.shop.read(document) == document

    async def test_is_kept_with_its_receipt(self, play: Play) -> None:
        document = await left_behind(play, OURS)
        await settle(play, document)
        attempt = await first_attempt(play, document)
        assert (attempt["state"], attempt["protocol"]) == ("authorized", "135260000000001")
        assert attempt["authorized_at"] is not None
        async with play.shop.floor.database.autocommit(play.shop.caller.subscription_id) as tenant:
            kept = await tenant.archive.get(UUID(document["id"]), f"authorization/{attempt['digest']}")
        assert kept
        assert attempt["access_key"].encode() in kept

    async def test_is_no_gap_and_is_told_in_the_history_once_it_is_canceled(self, play: Play) -> None:
        document = await left_behind(play, OURS, registering())
        assert await gaps(play) == [(1, "unknownFate", False)]
        await settle(play, document)
        (event,) = await cancellations(play, document)
        await play.work(WorkKind.EVENT, event)
        assert await gaps(play) == []
        told = (await play.shop.events(document))[-1]
        assert (told["id"], told["type"], told["status"]) == (str(event), "cancellation", "authorized")

    async def test_does_not_keep_the_document_from_being_canceled(self, play: Play) -> None:
        document = await left_behind(play, OURS)
        await settle(play, document)
        async with play.shop.floor.database.autocommit(play.shop.caller.subscription_id) as tenant:
            (first,) = await cancellations(play, document)
            filing = await tenant.event_filings.get(first)
        assert filing is not None
        assert (filing.emission, filing.sequence) == (1, 1)

    async def test_is_the_document_on_the_printout_of_its_cancellation(
        self, play: Play, printer: Recorder
    ) -> None:
        printer.press = Blank()
        record = await left_behind(play, OURS, registering())
        await settle(play, record)
        (event,) = await cancellations(play, record)
        await play.work(WorkKind.EVENT, event)
        attempt = await first_attempt(play, record)
        pdf_of(await ask_event(play.shop, record, event), f"Cancelamento-{attempt['access_key']}.pdf")
        (order,) = printer.events
        assert attempt["access_key"].encode() in order.document
        assert record["accessKey"].encode() not in order.document


class TestAttemptThatIsSettledOtherwise:
    @pytest.mark.parametrize(
        ("line", "state"),
        [
            (canceling, "canceled"),
            (DENIED, "denied"),
            (authorizing(version=0, digest="AAAA"), "foreign"),
            (ANOTHER, "foreign"),
        ],
    )
    async def test_is_not_canceled_and_its_number_is_spent(self, play: Play, line: Line, state: str) -> None:
        document = await left_behind(play, line)
        assert await settle(play, document) is None
        assert await state_of(play, document) == state
        assert await cancellations(play, document) == []
        assert await gaps(play) == []
        assert await play.shop.read(document) == document

    async def test_that_is_unknown_is_a_number_to_be_given_up(self, play: Play) -> None:
        document = await left_behind(play, UNKNOWN)
        assert await settle(play, document) is None
        assert await state_of(play, document) == "signed"
        assert await cancellations(play, document) == []
        assert await gaps(play) == [(1, "unknownToAuthority", True)]

    async def test_that_was_canceled_keeps_the_protocol_of_its_authorization(self, play: Play) -> None:
        document = await left_behind(play, canceling)
        await settle(play, document)
        assert (await first_attempt(play, document))["protocol"] == "135260000000001"


class TestAttemptOfUnknownFate:
    @pytest.mark.parametrize(
        "outcome",
        [
            LOST,
            NotJudged(cause=Cause.CONNECTION, detail="refused", may_have_arrived=False),
            NotJudged(cause=Cause.UNDECIDED, detail="999", code="999", message="Erro"),
            Unavailable(code="108", message="Paralisado", outage=Outage.SHORT),
        ],
    )
    async def test_is_asked_about_again_until_it_is_known(self, play: Play, outcome: Outcome) -> None:
        document = await left_behind(play, outcome, outcome, UNKNOWN)
        assert await settle(play, document) is not None
        assert await state_of(play, document) == "sent"
        assert await gaps(play) == [(1, "unknownFate", False)]
        assert await settle(play, document, steps=3) is None
        assert play.script.asked == 3 * ["consult"]
        assert await state_of(play, document) == "signed"

    async def test_waits_as_long_as_the_authority_wants(self, play: Play) -> None:
        hour = timedelta(hours=1)

        def throttled(script: Script) -> Throttled:
            return Throttled(code="656", message="Consumo indevido", until=script.now() + hour)

        document = await left_behind(play, throttled)
        again_in = await settle(play, document)
        assert again_in is not None
        assert again_in > hour - timedelta(minutes=1)
        assert await state_of(play, document) == "sent"

    async def test_waits_for_a_certificate(self, play: Play, certificate: A1Certificate) -> None:
        document = await left_behind(play, UNKNOWN)
        shop = play.shop
        await shop.caller.http.delete(shop.path("/certificate"))
        assert await settle(play, document) is not None
        assert play.script.asked == []
        await shop.certify(certificate)
        assert await settle(play, document) is None
        assert await state_of(play, document) == "signed"

    async def test_is_not_asked_about_while_the_authority_is_out(self, play: Play) -> None:
        """One may ask for its status more often than for a key."""
        document = await left_behind(play, UNKNOWN)
        play.script.condition = LOST
        assert await settle(play, document) is not None
        assert play.script.asked == []
        play.script.condition = AT_WORK
        assert await settle(play, document) is None
        assert play.script.asked == ["consult"]

    async def test_may_still_be_on_its_way_when_it_is_not_there_yet(self, play: Play) -> None:
        document = await left_behind(play, UNKNOWN, OURS)
        arrived, play.script.passed = play.script.passed, timedelta(0)
        (row,) = await play.shop.floor.fetch("select id from strays where document_id = $1", document["id"])
        key = WorkKey(WorkKind.STRAY, play.shop.caller.subscription_id, row["id"])
        assert await play.advancer.advance(key) is not None
        assert await state_of(play, document) == "sent"
        play.script.passed = arrived
        await play.shop.floor.fetch("update strays set next_action_at = now() where id = $1", key.id)
        assert await settle(play, document) is None
        assert await state_of(play, document) == "authorized"

    async def test_of_a_lot_that_is_to_be_judged_later_is_asked_by_its_receipt(self, play: Play) -> None:
        """Asked by its key, the authority does not know yet what it is still to judge."""
        later = Processing(code="103", message="Lote recebido", receipt="351000000000001", wait_seconds=60)
        document = await left_behind(play, OURS, first=later)
        await settle(play, document)
        assert play.script.asked == ["receipt"]


class TestCancellationOfTheAttempt:
    async def test_that_is_refused_is_not_lost_from_sight(self, play: Play) -> None:
        document = await left_behind(play, OURS, TOO_LATE)
        await settle(play, document)
        (event,) = await cancellations(play, document)
        await play.work(WorkKind.EVENT, event)
        told = (await play.shop.events(document))[-1]
        assert (told["type"], told["authorityCode"]) == ("cancellation", "501")
        assert await state_of(play, document) == "authorized"

    async def test_waits_for_a_certificate(self, play: Play, certificate: A1Certificate) -> None:
        """Nobody would ask for it a second time."""
        document = await left_behind(play, OURS, registering())
        await settle(play, document)
        (event,) = await cancellations(play, document)
        await play.shop.caller.http.delete(play.shop.path("/certificate"))
        assert await play.work(WorkKind.EVENT, event, steps=1) is not None
        await play.shop.certify(certificate)
        await play.work(WorkKind.EVENT, event)
        assert await state_of(play, document) == "canceled"


class Blank:
    """Draws nothing, for orders whose files an authority never wrote."""

    def document(self, order: DocumentPrint) -> bytes:
        return b"%PDF-1.7"

    def event(self, order: EventPrint) -> bytes:
        return b"%PDF-1.7"
