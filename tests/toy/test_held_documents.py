"""Documents that an operator parks after a restore: held, resumed, or dismissed."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

import pytest

from carimbo.main.worker import advancer_of
from carimbo.service.errors import ErrorCode, Refusal
from carimbo.service.maintenance import dismiss_document, park_unsent_work, resume_parked
from carimbo.storage import work
from carimbo.storage.work import LeaseLost, WorkKey, WorkKind
from claimed_rows import advance_row, claim_row
from integration.issuing.actions import cancel, events_of, parking_reasons, usage
from integration.issuing.number_ledger import ledger, shown
from integration.issuing.shop import NewShop, Shop, accepted, error_of, own_number
from integration.issuing.system import System
from support import ABSENT, BLOCKED_SESSIONS, data_of
from toy.codes import REFUSED, UNANSWERED
from toy.shop import KINDS

REASON = "restaurado de um backup"
WHY = "Emitida em outro sistema, sob o número 41"
MINUTE = timedelta(minutes=1)
IN_FLIGHT_LIMIT = timedelta(hours=1)
"""How long after its lease a request of a worker may still reach an authority."""
of_every_type = pytest.mark.parametrize("document_type", KINDS)


def key_of(shop: Shop, document: dict[str, Any]) -> WorkKey:
    return WorkKey(WorkKind.DOCUMENT, shop.caller.subscription_id, UUID(document["id"]))


async def resume(shop: Shop, document: dict[str, Any]) -> dict[str, Any]:
    """Resumes a document and waits for its outcome."""
    assert await resume_parked(shop.system.database, UUID(document["id"])) == 1
    return await shop.settled(document)


async def dismiss(shop: Shop, document: dict[str, Any], reason: str = WHY) -> dict[str, Any]:
    """Dismisses a document and reads it again."""
    await dismiss_document(
        shop.system.database, UUID(document["id"]), reason, datetime.now(UTC), IN_FLIGHT_LIMIT
    )
    return await shop.read(document)


async def refused(shop: Shop, document: dict[str, Any]) -> Refusal:
    """Tries to dismiss a document, and returns the refusal."""
    with pytest.raises(Refusal) as raised:
        await dismiss(shop, document)
    return raised.value


async def stopped_after(shop: Shop, step: str, document_type: str = "toy") -> dict[str, Any]:
    """Returns a document whose worker failed after a step; no other worker may run."""

    def fail(step_reached: str, _subject: str) -> None:
        if step_reached == step:
            raise InterruptedError(step)

    system, document = shop.system, await shop.create(document_type)
    advancer = advancer_of(system.settings, replace(system.context, reached=fail))
    assert await advance_row(advancer, key_of(shop, document)) is not None
    return document


async def held(shop: Shop, document_type: str = "toy", **changes: Any) -> dict[str, Any]:
    """Returns a held document that no worker has started."""
    async with shop.system.worker_stopped():
        document = await shop.create(document_type, **changes)
        await park_unsent_work(shop.system.database, REASON)
    return document


async def held_with_number(shop: Shop, document_type: str) -> dict[str, Any]:
    """Returns a held document that has a number and is not signed."""
    async with shop.system.worker_stopped():
        document = await stopped_after(shop, "numbered", document_type)
        await park_unsent_work(shop.system.database, REASON)
    return await shop.read(document)


async def park(shop: Shop, document: dict[str, Any], reason: str = "broken") -> None:
    """Parks a document in any state."""
    await shop.system.fetch(
        "update documents set next_action_at = null, lease_until = null, parked_reason = $2,"
        " held_by_operator = false where id = $1",
        UUID(document["id"]), reason,
    )  # fmt: skip


async def mark_as_unknown(shop: Shop, document: dict[str, Any], ago: timedelta) -> None:
    """Makes the authority have answered some time ago that it does not have the document."""
    await shop.system.fetch(
        "update emissions set state = 'signed', unknown_at = now() - $2::interval where document_id = $1",
        UUID(document["id"]), ago,
    )  # fmt: skip


@asynccontextmanager
async def signing(shop: Shop, document: dict[str, Any]) -> AsyncIterator[None]:
    """Acts as a worker that has marked a document as sent and not committed yet."""
    async with shop.system.database.transaction() as connection:
        of_document = UUID(document["id"])
        await connection.execute("select from documents where id = $1 for no key update", of_document)
        await connection.execute("update emissions set state = 'sent' where document_id = $1", of_document)
        yield


class TestHeld:
    @of_every_type
    async def test_held_document_is_not_issued_until_it_is_resumed(
        self, shop: Shop, document_type: str
    ) -> None:
        document = await held(shop, document_type)
        assert (await shop.issue(document_type))["status"] == "authorized"
        assert await shop.read(document) | {"progress": None} == document | {"progress": None}
        assert await parking_reasons(shop, document) == [REASON]
        assert (await resume(shop, document))["status"] == "authorized"
        assert [event["type"] for event in await shop.events(document)][:3] == ["created", "queued", "queued"]

    @of_every_type
    async def test_held_document_with_a_number_keeps_it(self, shop: Shop, document_type: str) -> None:
        document = await held_with_number(shop, document_type)
        assert await parking_reasons(shop, document) == [REASON]
        resumed = await resume(shop, document)
        assert (resumed["status"], own_number(resumed)) == ("authorized", own_number(document))

    async def test_signed_document_is_held_while_its_authority_is_out(
        self, system: System, shop: Shop
    ) -> None:
        """It may have been sent by another route since the backup, under a key that we do not have."""
        document = await shop.create(notes=UNANSWERED)
        mine = f"where document_id = '{UUID(document['id'])}'"
        await system.until(f"exists (select from emissions {mine} and state = 'signed')")
        async with system.worker_stopped():
            await park_unsent_work(system.database, REASON)
        assert await parking_reasons(shop, document) == [REASON]

    async def test_documents_of_all_subscriptions_are_held(
        self, system: System, shop: Shop, new_shop: NewShop
    ) -> None:
        other = await new_shop()
        async with system.worker_stopped():
            mine, theirs = await shop.create(), await other.create()
            counts = await park_unsent_work(system.database, "outro motivo")
        assert counts.documents >= 2
        assert await parking_reasons(shop, mine) == await parking_reasons(other, theirs) == ["outro motivo"]

    async def test_parked_document_keeps_its_reason(self, system: System, shop: Shop) -> None:
        async with system.worker_stopped():
            document = await shop.create()
            await park(shop, document)
            await park_unsent_work(system.database, REASON)
            again = await park_unsent_work(system.database, REASON)
        assert await parking_reasons(shop, document) == ["broken"]
        assert again.documents == 0

    async def test_document_that_failed_before_is_held_by_the_operator_too(
        self, system: System, shop: Shop
    ) -> None:
        """It may have been resumed and issued after the backup."""
        async with system.worker_stopped():
            document = await shop.create()
            await park(shop, document)
            await park_unsent_work(system.database, REASON)
        answer = await shop.caller.http.post(f"/v1/parked-work/{document['id']}/resume")
        error_of(answer, 409, "INVALID_STATE")
        assert await parking_reasons(shop, document) == ["broken"]
        assert (await resume(shop, document))["status"] == "authorized"

    async def test_document_that_failed_and_was_sent_stays_its_owners(
        self, system: System, shop: Shop
    ) -> None:
        """The authority is asked about it before anything is sent again."""
        async with system.worker_stopped():
            document = await stopped_after(shop, "signed")
            await park(shop, document)
            await park_unsent_work(system.database, REASON)
        data_of(await shop.caller.http.post(f"/v1/parked-work/{document['id']}/resume"))
        assert (await shop.settled(document))["status"] == "authorized"

    async def test_worker_loses_the_lease_of_a_held_document(self, system: System, shop: Shop) -> None:
        async with system.worker_stopped():
            document = await shop.create()
            async with system.database.connection() as connection:
                lease = await claim_row(connection, key_of(shop, document))
                assert lease is not None
                await park_unsent_work(system.database, REASON)
                with pytest.raises(LeaseLost):
                    await work.renew(connection, lease, MINUTE)
        assert (await resume(shop, document))["status"] == "authorized"

    async def test_resumed_document_does_not_wait_for_the_end_of_an_earlier_pause(
        self, system: System, shop: Shop
    ) -> None:
        async with system.worker_stopped():
            document = await stopped_after(shop, "numbered")
            await system.fetch(
                "update documents set next_action_at = now() + interval '1 hour' where id = $1",
                UUID(document["id"]),
            )
            await park_unsent_work(system.database, REASON)
        assert (await resume(shop, document))["status"] == "authorized"


class TestNotHeld:
    async def test_document_that_was_sent_is_not_held(self, system: System, shop: Shop) -> None:
        async with system.worker_stopped():
            document = await stopped_after(shop, "signed")
            await park_unsent_work(system.database, REASON)
            assert await parking_reasons(shop, document) == []
        assert (await shop.settled(document))["status"] == "authorized"

    async def test_document_that_is_being_sent_is_not_held(self, system: System, shop: Shop) -> None:
        async with system.worker_stopped():
            document = await stopped_after(shop, "numbered")
            async with asyncio.TaskGroup() as group, signing(shop, document):
                group.create_task(park_unsent_work(system.database, REASON))
                await system.until(f"{BLOCKED_SESSIONS} >= 1")
            assert await parking_reasons(shop, document) == []

    async def test_document_that_is_not_in_process_is_not_held(self, system: System, shop: Shop) -> None:
        settled = [await shop.issue(), await shop.issue(notes=REFUSED)]
        draft = await shop.create(transmit="later")
        async with system.worker_stopped():
            await park_unsent_work(system.database, REASON)
        for document in [*settled, draft]:
            assert await parking_reasons(shop, document) == []
            assert await shop.read(document) == document


class TestDismissed:
    @of_every_type
    async def test_dismissed_document_is_rejected_and_published(self, shop: Shop, document_type: str) -> None:
        document = await dismiss(shop, await held(shop, document_type))
        assert document["status"] == "rejected"
        rejection = document["rejection"]
        assert (rejection["code"], rejection["message"]) == ("DISMISSED", WHY)
        assert (rejection["field"], rejection["retryable"]) == (None, False)
        last = (await shop.events(document))[-1]
        assert (last["type"], last["status"]) == ("rejected", "rejected")
        assert [event["event"] for event in await events_of(shop.caller)] == [f"{document_type}.rejected"]

    async def test_dismissed_document_is_not_parked_any_more(self, system: System, shop: Shop) -> None:
        document = await held(shop)
        await dismiss(shop, document)
        (row,) = await system.fetch("select * from documents where id = $1", UUID(document["id"]))
        assert [row[name] for name in ("parked_reason", "next_action_at", "lease_until")] == [None] * 3
        assert await resume_parked(system.database, UUID(document["id"])) == 0
        assert (await refused(shop, document)).code is ErrorCode.NOT_FOUND

    async def test_dismissed_document_is_not_counted_in_the_plan(self, new_shop: NewShop) -> None:
        shop = await new_shop(plan="trial")
        document = await held(shop)
        assert await usage(shop) == {"total": (0, 1)}
        await dismiss(shop, document)
        assert await usage(shop) == {"total": (0, 0)}

    @of_every_type
    async def test_number_of_a_dismissed_document_is_a_gap_until_it_is_emitted_again(
        self, shop: Shop, document_type: str
    ) -> None:
        document = await dismiss(shop, await held_with_number(shop, document_type))
        number = own_number(document)
        assert await shown(shop, document_type) == [
            (number, number, "neverSent", document["id"], document_type == "toy")
        ]
        accepted(await shop.emit(document))
        emitted = await shop.settled(document)
        assert (emitted["status"], own_number(emitted), emitted["rejection"]) == ("authorized", number, None)
        assert await shown(shop, document_type) == []

    async def test_dismissed_document_without_a_number_leaves_no_gap(self, shop: Shop) -> None:
        document = await dismiss(shop, await held(shop))
        assert await ledger(shop) == []
        accepted(await shop.emit(document))
        assert (await shop.settled(document))["status"] == "authorized"


class TestNotDismissed:
    async def test_document_that_the_authority_may_have_can_not_be_dismissed(
        self, system: System, shop: Shop
    ) -> None:
        async with system.worker_stopped():
            document = await stopped_after(shop, "signed")
            await park(shop, document)
        assert "A autoridade pode ter este documento" in (await refused(shop, document)).message
        assert await parking_reasons(shop, document) == ["broken"]
        assert (await resume(shop, document))["status"] == "authorized"

    async def test_document_that_may_still_arrive_can_not_be_dismissed(
        self, system: System, shop: Shop
    ) -> None:
        async with system.worker_stopped():
            document = await stopped_after(shop, "signed")
            await park(shop, document)
            await mark_as_unknown(shop, document, IN_FLIGHT_LIMIT / 2)
            assert "ainda recebê-lo" in (await refused(shop, document)).message
            await mark_as_unknown(shop, document, IN_FLIGHT_LIMIT)
            assert (await dismiss(shop, document))["status"] == "rejected"

    async def test_document_that_is_not_parked_can_not_be_dismissed(self, shop: Shop) -> None:
        document = await shop.issue()
        for unparked in (document, {"id": ABSENT}):
            assert (await refused(shop, unparked)).message == "Não há nada posto de lado com este id."
        assert await shop.read(document) == document

    @pytest.mark.usefixtures("short_wait")
    async def test_event_can_not_be_dismissed(self, system: System, shop: Shop) -> None:
        document = await shop.issue()
        async with system.worker_stopped():
            assert (await cancel(shop, document)).status_code == 202
            (event,) = await system.fetch(
                "update event_filings set next_action_at = null, parked_reason = 'broken'"
                " where document_id = $1 returning id",
                UUID(document["id"]),
            )
        assert "só retomado" in (await refused(shop, {"id": str(event["id"])})).message
        assert await resume_parked(system.database, event["id"]) == 1


class TestLease:
    async def test_lease_of_a_slow_worker_is_lost_to_the_next(self, system: System, shop: Shop) -> None:
        async with system.worker_stopped():
            document = await shop.create()
            async with system.database.connection() as connection:
                first = await claim_row(connection, key_of(shop, document), timedelta(0))
                second = await claim_row(connection, key_of(shop, document))
                assert first is not None
                assert second is not None
                with pytest.raises(LeaseLost):
                    await work.renew(connection, first, MINUTE)
                await work.renew(connection, second, timedelta(0))
        assert (await shop.settled(document))["status"] == "authorized"
