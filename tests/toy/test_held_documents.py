"""Documents that an operator sets aside after a restore: held, taken up again, or closed."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

import pytest

from carimbo.main.worker import advancer_of
from carimbo.service.dismissal import dismiss
from carimbo.service.errors import Code, Refusal
from carimbo.service.parked import hold_all, resume_parked
from carimbo.storage import work
from carimbo.storage.jobs import enqueue
from carimbo.storage.work import LeaseLost, WorkKey, WorkKind
from integration.issuing.actions import cancel, events_of, parking_reasons, usage
from integration.issuing.floor import Floor
from integration.issuing.number_ledger import ledger, shown
from integration.issuing.shop import NewShop, Shop, accepted, own_number
from support import ABSENT, HELD_UP
from toy.codes import REFUSED, UNANSWERED
from toy.shop import KINDS

REASON = "restaurado de um backup"
WHY = "Emitida em outro sistema, sob o número 41"
MINUTE = timedelta(minutes=1)
LATEST_ARRIVAL = timedelta(hours=1)
"""So long after its lease, nothing of a worker reaches an authority any more."""
of_every_type = pytest.mark.parametrize("kind", KINDS)


def key_of(shop: Shop, document: dict[str, Any]) -> WorkKey:
    return WorkKey(WorkKind.DOCUMENT, shop.caller.subscription_id, UUID(document["id"]))


async def resume(shop: Shop, document: dict[str, Any]) -> dict[str, Any]:
    """Take a document up again, and wait for its outcome."""
    assert await resume_parked(shop.floor.database, UUID(document["id"])) == 1
    return await shop.settled(document)


async def close(shop: Shop, document: dict[str, Any], reason: str = WHY) -> dict[str, Any]:
    """Dismiss a document, and read what has become of it."""
    await dismiss(shop.floor.database, UUID(document["id"]), reason, datetime.now(UTC), LATEST_ARRIVAL)
    return await shop.read(document)


async def refused(shop: Shop, document: dict[str, Any]) -> Refusal:
    """Tries to dismiss a document, and returns the refusal."""
    with pytest.raises(Refusal) as raised:
        await close(shop, document)
    return raised.value


async def come_to(shop: Shop, step: str, kind: str = "toy") -> dict[str, Any]:
    """Returns a document whose worker failed after a step; no other worker may run."""

    def fail(reached: str, _subject: str) -> None:
        if reached == step:
            raise InterruptedError(step)

    floor, document = shop.floor, await shop.create(kind)
    advancer = advancer_of(floor.settings, replace(floor.means, reached=fail))
    assert await advancer.advance(key_of(shop, document)) is not None
    return document


async def held(shop: Shop, kind: str = "toy", **changes: Any) -> dict[str, Any]:
    """Returns a held document that no worker has begun with."""
    async with shop.floor.standstill():
        document = await shop.create(kind, **changes)
        await hold_all(shop.floor.database, REASON)
    return document


async def held_with_number(shop: Shop, kind: str) -> dict[str, Any]:
    """A document that has a number and is not signed, held."""
    async with shop.floor.standstill():
        document = await come_to(shop, "numbered", kind)
        await hold_all(shop.floor.database, REASON)
    return await shop.read(document)


async def set_aside(shop: Shop, document: dict[str, Any], reason: str = "broken") -> None:
    """Park a document, whatever it is about."""
    await shop.floor.fetch(
        "update documents set next_action_at = null, lease_until = null, parked_reason = $2 where id = $1",
        UUID(document["id"]), reason,
    )  # fmt: skip


async def give_up(shop: Shop, document: dict[str, Any], ago: timedelta) -> None:
    """Let the authority have said so long ago that it does not have a document."""
    await shop.floor.fetch(
        "update emissions set state = 'signed', unknown_at = now() - $2::interval where document_id = $1",
        UUID(document["id"]), ago,
    )  # fmt: skip


@asynccontextmanager
async def signing(shop: Shop, document: dict[str, Any]) -> AsyncIterator[None]:
    """A worker that writes, for the length of a block, that a document is signed and sent."""
    async with shop.floor.database.transaction() as connection:
        of_document = UUID(document["id"])
        await connection.execute("select from documents where id = $1 for no key update", of_document)
        await connection.execute("update emissions set state = 'sent' where document_id = $1", of_document)
        yield


class TestHeld:
    @of_every_type
    async def test_is_not_issued_until_it_is_resumed(self, shop: Shop, kind: str) -> None:
        document = await held(shop, kind)
        assert (await shop.issue(kind))["status"] == "authorized"
        assert await shop.read(document) | {"progress": None} == document | {"progress": None}
        assert await parking_reasons(shop, document) == [REASON]
        assert (await resume(shop, document))["status"] == "authorized"
        assert [event["type"] for event in await shop.events(document)][:3] == ["created", "queued", "queued"]

    @of_every_type
    async def test_with_a_number_keeps_it(self, shop: Shop, kind: str) -> None:
        document = await held_with_number(shop, kind)
        assert await parking_reasons(shop, document) == [REASON]
        resumed = await resume(shop, document)
        assert (resumed["status"], own_number(resumed)) == ("authorized", own_number(document))

    async def test_may_be_signed_already_while_its_authority_is_out(self, floor: Floor, shop: Shop) -> None:
        """It may have gone another way since the backup, under a key that we do not have."""
        document = await shop.create(notes=UNANSWERED)
        mine = f"where document_id = '{UUID(document['id'])}'"
        await floor.until(f"exists (select from emissions {mine} and state = 'signed')")
        async with floor.standstill():
            await hold_all(floor.database, REASON)
        assert await parking_reasons(shop, document) == [REASON]

    async def test_may_belong_to_any_subscription(self, floor: Floor, shop: Shop, new_shop: NewShop) -> None:
        other = await new_shop()
        async with floor.standstill():
            mine, theirs = await shop.create(), await other.create()
            counts = await hold_all(floor.database, "outro motivo")
        assert counts.documents >= 2
        assert await parking_reasons(shop, mine) == await parking_reasons(other, theirs) == ["outro motivo"]

    async def test_keeps_the_reason_that_it_was_parked_for(self, floor: Floor, shop: Shop) -> None:
        async with floor.standstill():
            document = await shop.create()
            await set_aside(shop, document)
            await hold_all(floor.database, REASON)
            again = await hold_all(floor.database, REASON)
        assert await parking_reasons(shop, document) == ["broken"]
        assert again.documents == 0

    async def test_is_taken_away_from_the_worker_that_holds_its_lease(self, floor: Floor, shop: Shop) -> None:
        async with floor.standstill():
            document = await shop.create()
            async with floor.database.connection() as connection:
                lease = await work.claim(connection, key_of(shop, document), MINUTE)
                assert lease is not None
                await hold_all(floor.database, REASON)
                with pytest.raises(LeaseLost):
                    await work.renew(connection, lease, MINUTE)
        assert (await resume(shop, document))["status"] == "authorized"

    async def test_does_not_wait_for_an_earlier_job_when_it_is_resumed(
        self, floor: Floor, shop: Shop
    ) -> None:
        async with floor.standstill():
            document = await come_to(shop, "numbered")
            await floor.fetch("delete from pgqueuer")
            async with floor.database.connection() as connection:
                assert await enqueue(connection, key_of(shop, document), 60 * MINUTE)
            await hold_all(floor.database, REASON)
        assert (await resume(shop, document))["status"] == "authorized"


class TestNotHeld:
    async def test_is_a_document_that_was_sent(self, floor: Floor, shop: Shop) -> None:
        async with floor.standstill():
            document = await come_to(shop, "signed")
            await hold_all(floor.database, REASON)
            assert await parking_reasons(shop, document) == []
        assert (await shop.settled(document))["status"] == "authorized"

    async def test_is_a_document_that_is_being_sent(self, floor: Floor, shop: Shop) -> None:
        async with floor.standstill():
            document = await come_to(shop, "numbered")
            async with asyncio.TaskGroup() as group, signing(shop, document):
                group.create_task(hold_all(floor.database, REASON))
                await floor.until(f"{HELD_UP} >= 1")
            assert await parking_reasons(shop, document) == []

    async def test_is_a_document_that_is_not_processed(self, floor: Floor, shop: Shop) -> None:
        settled = [await shop.issue(), await shop.issue(notes=REFUSED)]
        draft = await shop.create(transmit="later")
        async with floor.standstill():
            await hold_all(floor.database, REASON)
        for document in [*settled, draft]:
            assert await parking_reasons(shop, document) == []
            assert await shop.read(document) == document


class TestDismissed:
    @of_every_type
    async def test_is_rejected_and_published(self, shop: Shop, kind: str) -> None:
        document = await close(shop, await held(shop, kind))
        assert document["status"] == "rejected"
        rejection = document["rejection"]
        assert (rejection["code"], rejection["message"]) == ("DISMISSED", WHY)
        assert (rejection["field"], rejection["retryable"]) == (None, False)
        last = (await shop.events(document))[-1]
        assert (last["type"], last["status"]) == ("rejected", "rejected")
        assert [event["event"] for event in await events_of(shop.caller)] == [f"{kind}.rejected"]

    async def test_is_not_parked_any_more(self, floor: Floor, shop: Shop) -> None:
        document = await held(shop)
        await close(shop, document)
        (row,) = await floor.fetch("select * from documents where id = $1", UUID(document["id"]))
        assert [row[name] for name in ("parked_reason", "next_action_at", "lease_until")] == [None] * 3
        assert await resume_parked(floor.database, UUID(document["id"])) == 0
        assert (await refused(shop, document)).code is Code.NOT_FOUND

    async def test_gives_its_place_in_the_plan_back(self, new_shop: NewShop) -> None:
        shop = await new_shop(plan="trial")
        document = await held(shop)
        assert await usage(shop) == {"total": (0, 1)}
        await close(shop, document)
        assert await usage(shop) == {"total": (0, 0)}

    @of_every_type
    async def test_leaves_a_gap_until_it_is_emitted_again(self, shop: Shop, kind: str) -> None:
        document = await close(shop, await held_with_number(shop, kind))
        number = own_number(document)
        assert await shown(shop, kind) == [(number, number, "neverSent", document["id"], kind == "toy")]
        accepted(await shop.emit(document))
        emitted = await shop.settled(document)
        assert (emitted["status"], own_number(emitted), emitted["rejection"]) == ("authorized", number, None)
        assert await shown(shop, kind) == []

    async def test_leaves_no_gap_if_it_had_no_number(self, shop: Shop) -> None:
        document = await close(shop, await held(shop))
        assert await ledger(shop) == []
        accepted(await shop.emit(document))
        assert (await shop.settled(document))["status"] == "authorized"


class TestNotDismissed:
    async def test_is_a_document_that_the_authority_may_have(self, floor: Floor, shop: Shop) -> None:
        async with floor.standstill():
            document = await come_to(shop, "signed")
            await set_aside(shop, document)
        assert "A autoridade pode ter este documento" in (await refused(shop, document)).message
        assert await parking_reasons(shop, document) == ["broken"]
        assert (await resume(shop, document))["status"] == "authorized"

    async def test_is_a_document_that_the_authority_may_still_get(self, floor: Floor, shop: Shop) -> None:
        async with floor.standstill():
            document = await come_to(shop, "signed")
            await set_aside(shop, document)
            await give_up(shop, document, LATEST_ARRIVAL / 2)
            assert "ainda recebê-lo" in (await refused(shop, document)).message
            await give_up(shop, document, LATEST_ARRIVAL)
            assert (await close(shop, document))["status"] == "rejected"

    async def test_is_a_document_that_is_not_parked(self, shop: Shop) -> None:
        document = await shop.issue()
        for which in (document, {"id": ABSENT}):
            assert (await refused(shop, which)).message == "Não há nada posto de lado com este id."
        assert await shop.read(document) == document

    @pytest.mark.usefixtures("short_wait")
    async def test_is_an_event(self, floor: Floor, shop: Shop) -> None:
        document = await shop.issue()
        async with floor.standstill():
            assert (await cancel(shop, document)).status_code == 202
            (event,) = await floor.fetch(
                "update event_filings set next_action_at = null, parked_reason = 'broken'"
                " where document_id = $1 returning id",
                UUID(document["id"]),
            )
        assert "resume" in (await refused(shop, {"id": str(event["id"])})).message
        assert await resume_parked(floor.database, event["id"]) == 1


class TestLease:
    async def test_of_a_slow_worker_is_lost_to_the_next(self, floor: Floor, shop: Shop) -> None:
        async with floor.standstill():
            document = await shop.create()
            async with floor.database.connection() as connection:
                first = await work.claim(connection, key_of(shop, document), timedelta(0))
                second = await work.claim(connection, key_of(shop, document), MINUTE)
                assert first is not None
                assert second is not None
                with pytest.raises(LeaseLost):
                    await work.renew(connection, first, MINUTE)
                await work.renew(connection, second, timedelta(0))
        assert (await shop.settled(document))["status"] == "authorized"
