"""Receptions: what of the journal each company has read, and which companies may ask."""

from dataclasses import replace
from datetime import timedelta
from typing import Any
from uuid import UUID

import pytest

from carimbo.service.receiving.decision import BLOCK, MAX_PAUSE
from carimbo.storage.database import Database
from carimbo.storage.queue import claim_due
from carimbo.storage.receptions import Reception, advance_reading, askers_of, pause_reception
from carimbo.storage.streams import delete_old_pages, pages_after, repair_times
from carimbo.storage.work import Lease, LeaseLost, WorkKind
from integration.storage.document_rows import Shop, open_shop
from integration.storage.neighbours import SUMMARY
from integration.storage.stream_rows import (
    ENVIRONMENT,
    HOUR,
    MINUTE,
    SERVICE,
    Stream,
    about,
    asker_of,
    change_reception,
    only_stream,
    open_new_stream,
    page_answer,
    reception_row,
)

OLD, KEEP = timedelta(days=101), timedelta(days=100)
FUTURE = "now() + interval '10 days'"
_TIMES = ("asked_at", "refused_at", "next_action_at")


@pytest.fixture
async def stream(rows_database: Database) -> Stream:
    return await only_stream(rows_database)


async def claimed(database: Database, reception: Reception) -> Lease:
    async with database.connection() as connection:
        leases = await claim_due(connection, WorkKind.RECEPTION, 10, MINUTE, with_suspect=True)
    (lease,) = [lease for lease in leases if lease.key.id == reception.id]
    return lease


async def read_page(database: Database, lease: Lease, ordinal: int) -> None:
    async with database.transaction() as connection:
        await advance_reading(connection, lease, ordinal)


async def due_after(database: Database, lease: Lease, after: timedelta | None) -> timedelta | None:
    """Releases a reception; returns in what time it is due, or None if it sleeps."""
    async with database.transaction() as connection:
        await pause_reception(connection, lease, after, "a1")
        value: timedelta | None = await connection.fetchval(
            "select next_action_at - now() from receptions where id = $1", lease.key.id
        )
    return value


async def delete_pages(stream: Stream) -> list[int]:
    """Deletes old pages, and returns the numbers of those that are left."""
    async with stream.database.connection() as connection:
        await delete_old_pages(connection, KEEP)
        return [page.ordinal for page in await pages_after(connection, stream.id, 0, 100)]


class TestStart:
    async def test_second_subscription_that_comes_late_gets_the_whole_journal(self, stream: Stream) -> None:
        first = await stream.follow()
        await stream.add_pages(3)
        await change_reception(stream.database, first, "pages_due = 3, pages_read = 3")
        second = await stream.follow()
        assert (second.pages_due, second.pages_read) == (3, 0)
        row = await reception_row(stream.database, second)
        assert row["next_action_at"] <= row["now"]

    @pytest.mark.parametrize(("kept", "pages_read"), [(2, 3), (0, 3)])
    async def test_late_subscription_does_not_wait_for_pages_that_were_deleted(
        self, stream: Stream, kept: int, pages_read: int
    ) -> None:
        await stream.add_pages(3, OLD)
        await stream.add_pages(kept)
        await delete_pages(stream)
        reception = await stream.follow()
        assert (reception.pages_due, reception.pages_read) == (3 + kept, pages_read)

    async def test_company_that_follows_again_goes_on_where_it_stopped(self, stream: Stream) -> None:
        shop = await stream.follow()
        await stream.add_pages(3)
        await change_reception(
            stream.database,
            shop,
            "is_active = false, pages_read = 2, parked_reason = 'x', next_action_at = null",
        )
        row = await reception_row(stream.database, shop)
        again = await stream.follow(row["subscription_id"], shop.company_id)
        assert again.id == shop.id
        assert (again.is_active, again.pages_due, again.pages_read) == (True, 3, 2)
        assert again.parked_reason is None
        row = await reception_row(stream.database, shop)
        assert row["next_action_at"] <= row["now"]

    async def test_company_that_changed_its_stream_reads_the_new_journal_from_the_start(
        self, stream: Stream
    ) -> None:
        await stream.add_pages(3)
        reception = await stream.follow()
        await change_reception(stream.database, reception, "pages_read = 3")
        other = await open_new_stream(stream.database, "12ABC34501DE35")
        await other.add_pages(1)
        row = await reception_row(stream.database, reception)
        moved = await other.follow(row["subscription_id"], reception.company_id)
        assert (moved.stream_id, moved.pages_due, moved.pages_read) == (other.id, 1, 0)


class TestPause:
    async def test_reception_that_has_read_everything_sleeps(self, stream: Stream) -> None:
        await stream.add_pages(1)
        reception = await stream.follow()
        lease = await claimed(stream.database, reception)
        await read_page(stream.database, lease, 1)
        assert await due_after(stream.database, lease, None) is None

    async def test_reception_with_summaries_is_due_when_they_are_to_be_acknowledged(
        self, stream: Stream
    ) -> None:
        lease = await claimed(stream.database, await stream.follow())
        assert await due_after(stream.database, lease, HOUR) == HOUR

    async def test_page_that_came_meanwhile_makes_the_reception_due_again(self, stream: Stream) -> None:
        reception = await stream.follow()
        lease = await claimed(stream.database, reception)
        await stream.store(await stream.claimed(), page_answer(asker_of(reception.id)))
        assert await due_after(stream.database, lease, None) == timedelta(0)
        assert await due_after(stream.database, await claimed(stream.database, reception), HOUR) == timedelta(
            0
        )

    async def test_page_that_the_company_may_not_read_yet_does_not_make_it_due(self, stream: Stream) -> None:
        reception = await stream.follow()
        lease = await claimed(stream.database, reception)
        await stream.store(await stream.claimed(), page_answer())
        assert await due_after(stream.database, lease, None) is None

    async def test_company_that_stopped_meanwhile_is_not_due_again(self, stream: Stream) -> None:
        await stream.add_pages(1)
        reception = await stream.follow()
        lease = await claimed(stream.database, reception)
        row = await reception_row(stream.database, reception)
        async with stream.database.tenant(row["subscription_id"]) as tenant:
            await tenant.receptions.stop(reception.company_id, SERVICE, ENVIRONMENT)
        assert await due_after(stream.database, lease, HOUR) is None

    async def test_worker_whose_lease_was_taken_over_reads_no_page(self, stream: Stream) -> None:
        await stream.add_pages(1)
        reception = await stream.follow()
        lease = await claimed(stream.database, reception)
        await change_reception(stream.database, reception, "lease_until = now() - interval '1 second'")
        await claimed(stream.database, reception)
        with pytest.raises(LeaseLost):
            await read_page(stream.database, lease, 1)
        with pytest.raises(LeaseLost):
            await due_after(stream.database, lease, HOUR)
        assert (await reception_row(stream.database, reception))["pages_read"] == 0


class TestWake:
    async def test_new_certificate_makes_the_reception_due(self, stream: Stream) -> None:
        reception = await stream.follow()
        await change_reception(stream.database, reception, "next_action_at = null")
        assert await self._woken(stream.database, reception)

    @pytest.mark.parametrize("state", ["is_active = false", "parked_reason = 'x'"])
    async def test_stopped_or_parked_reception_is_not_made_due(self, stream: Stream, state: str) -> None:
        reception = await stream.follow()
        await change_reception(stream.database, reception, f"{state}, next_action_at = null")
        assert not await self._woken(stream.database, reception)

    async def _woken(self, database: Database, reception: Reception) -> bool:
        row = await reception_row(database, reception)
        async with database.tenant(row["subscription_id"]) as tenant:
            await tenant.receptions.wake(reception.company_id)
        row = await reception_row(database, reception)
        return row["next_action_at"] is not None


class TestAskers:
    async def test_companies_that_follow_may_ask_those_with_the_longest_certificate_first(
        self, database: Database, shop: Shop, other_shop: Shop
    ) -> None:
        stream = await open_new_stream(database, "12ABC34501DE36")
        short, long = await self._follow(stream, shop, 30), await self._follow(stream, other_shop, 300)
        assert await self._askers(stream) == [long.id, short.id]
        refused = f"refused_fingerprint = '{SUMMARY.fingerprint}'"
        await change_reception(
            database,
            long,
            f"{refused}, refused_at = now() - interval '23 hours'",
        )
        assert await self._askers(stream) == [short.id]
        await change_reception(database, long, "refused_at = now() - interval '25 hours'")
        await change_reception(database, long, "refused_fingerprint = 'another', refused_at = now()")
        await change_reception(database, short, "is_active = false")
        assert await self._askers(stream) == [long.id]

    async def test_certificate_that_the_authority_has_not_answered_asks_first(
        self, database: Database, shop: Shop, other_shop: Shop
    ) -> None:
        stream = await open_new_stream(database, "12ABC34501DE38")
        new, proved = await self._follow(stream, shop, 30), await self._follow(stream, other_shop, 300)
        await change_reception(database, proved, f"proved_fingerprint = '{SUMMARY.fingerprint}'")
        assert await self._askers(stream) == [new.id, proved.id]
        # It may be the reason why a question got no answer, and it has no more than one first question a day.
        await stream.change("unanswered = 1")
        assert await self._askers(stream) == [proved.id, new.id]
        await stream.change("unanswered = 0")
        await stream.begin(await stream.claimed(), new.id)
        assert await self._askers(stream) == [proved.id, new.id]
        await change_reception(database, new, "asked_at = now() - interval '25 hours'")
        assert await self._askers(stream) == [new.id, proved.id]

    async def test_proved_certificates_ask_in_turn(
        self, database: Database, shop: Shop, other_shop: Shop
    ) -> None:
        stream = await open_new_stream(database, "12ABC34501DE39")
        first, second = await self._follow(stream, shop, 300), await self._follow(stream, other_shop, 30)
        for reception in (first, second):
            await change_reception(database, reception, f"proved_fingerprint = '{SUMMARY.fingerprint}'")
        assert await self._askers(stream) == [first.id, second.id]
        await stream.begin(await stream.claimed(), first.id)
        assert await self._askers(stream) == [second.id, first.id]

    async def test_renewed_certificate_of_a_company_that_was_answered_asks_at_once_and_once(
        self, database: Database, shop: Shop, other_shop: Shop
    ) -> None:
        stream = await open_new_stream(database, "12ABC34501DE40")
        renewed, other = await self._follow(stream, shop, 30), await self._follow(stream, other_shop, 300)
        for reception in (renewed, other):
            await change_reception(database, reception, f"proved_fingerprint = '{SUMMARY.fingerprint}'")
        await self._ask(stream, renewed.id, SUMMARY.fingerprint)
        assert await self._askers(stream) == [other.id, renewed.id]
        await self._replace_certificate(shop, "a2")
        assert await self._askers(stream) == [renewed.id, other.id]
        # Its question gets no answer that proves it: the others go on.
        await self._ask(stream, renewed.id, "a2")
        assert await self._askers(stream) == [other.id, renewed.id]
        await self._replace_certificate(shop, "a3")
        assert await self._askers(stream) == [renewed.id, other.id]

    async def test_certificates_that_are_replaced_again_and_again_leave_others_their_hours(
        self, database: Database, shop: Shop, other_shop: Shop, subscription_id: UUID
    ) -> None:
        """Anybody can make certificates with the CNPJ of others. None of these is ever answered."""
        stream = await open_new_stream(database, "12ABC34501DE42")
        third = await open_shop(database, subscription_id, "12ABC34501DE43")
        false_shops = {(await self._follow(stream, each, 300)).id: each for each in (shop, third)}
        proved = await self._follow(stream, other_shop, 30)
        await change_reception(database, proved, f"proved_fingerprint = '{SUMMARY.fingerprint}'")
        turns: list[UUID] = []
        for hour in range(26):
            for false_shop in false_shops.values():
                await self._replace_certificate(false_shop, f"false {hour}")
            turns.append((await self._askers(stream))[0])
            await self._ask(stream, turns[-1], f"false {hour}")
            await stream.run(
                "update receptions set asked_at = asked_at - interval '61 minutes' where stream_id = $1"
            )
        assert [turns.count(reception_id) for reception_id in false_shops] == [2, 2]
        assert turns.count(proved.id) == 22

    async def test_company_without_a_certificate_or_that_was_deleted_may_not_ask(
        self, database: Database, shop: Shop, subscription_id: UUID
    ) -> None:
        stream = await open_new_stream(database, "12ABC34501DE37")
        without = await open_shop(database, subscription_id, "12ABC34501DE35")
        await stream.follow(subscription_id, without.company_id)
        await self._follow(stream, shop, 30)
        async with database.tenant(subscription_id) as tenant:
            await tenant.companies.delete(shop.company_id)
        assert await self._askers(stream) == []

    async def _follow(self, stream: Stream, shop: Shop, days: int) -> Reception:
        async with stream.database.tenant(shop.subscription_id) as tenant:
            await tenant.certificates.put(shop.company_id, SUMMARY)
            await tenant.connection.execute(
                "update certificates set expires_at = now() + $2 * interval '1 day' where company_id = $1",
                shop.company_id, days,
            )  # fmt: skip
        return await stream.follow(shop.subscription_id, shop.company_id)

    async def _replace_certificate(self, shop: Shop, fingerprint: str) -> None:
        async with shop.database.tenant(shop.subscription_id) as tenant:
            await tenant.certificates.put(shop.company_id, replace(SUMMARY, fingerprint=fingerprint))

    async def _ask(self, stream: Stream, reception_id: UUID, fingerprint: str) -> None:
        """Asks for a page in the name of a company; the answer proves nothing."""
        await stream.change(
            "is_asked = false, ask_at = now(), next_action_at = now(), lease_until = null, attempts = 0"
        )
        assert await stream.begin(await stream.claimed(), reception_id, fingerprint)

    async def _askers(self, stream: Stream) -> list[UUID]:
        async with stream.database.connection() as connection:
            return [asker.reception_id for asker in await askers_of(connection, stream.id)]


class TestRepair:
    """Times that were stored while the clock of the database was ahead by days."""

    async def test_company_that_was_asked_for_in_the_future_was_asked_for_now(self, stream: Stream) -> None:
        row = await self._repaired(stream, f"asked_at = {FUTURE}, refused_at = {FUTURE}")
        for name in _TIMES:
            assert about(row["now"] - row[name], timedelta(0)), name

    async def test_reception_that_is_due_impossibly_late_is_due_now(self, stream: Stream) -> None:
        past = "asked_at = now() - interval '1 hour', refused_at = now() - interval '2 hours'"
        row = await self._repaired(stream, f"{past}, next_action_at = {FUTURE}")
        ages = [row["now"] - row[name] for name in _TIMES]
        assert all(about(age, hours * HOUR) for age, hours in zip(ages, (1, 2, 0), strict=True)), ages

    async def test_times_that_are_possible_stay(self, stream: Stream) -> None:
        past = "asked_at = now() - interval '1 hour', refused_at = now() - interval '2 hours'"
        row = await self._repaired(stream, f"{past}, next_action_at = now() + interval '11 hours'")
        ages = [row["now"] - row[name] for name in _TIMES]
        assert all(about(age, hours * HOUR) for age, hours in zip(ages, (1, 2, -11), strict=True)), ages

    @pytest.mark.parametrize(
        ("changes", "empty"),
        [
            (f"asked_at = {FUTURE}, next_action_at = null, parked_reason = 'x'", "next_action_at"),
            (f"asked_at = {FUTURE}, next_action_at = null, is_active = false", "next_action_at"),
            (f"next_action_at = {FUTURE}", "asked_at"),
            (f"asked_at = {FUTURE}", "refused_at"),
        ],
    )
    async def test_time_that_is_not_set_stays_so(self, stream: Stream, changes: str, empty: str) -> None:
        """A parked or stopped reception is not due, and a company that has never asked still asks first."""
        assert (await self._repaired(stream, changes))[empty] is None

    async def _repaired(self, stream: Stream, changes: str) -> dict[str, Any]:
        reception = await stream.follow()
        await change_reception(stream.database, reception, changes)
        async with stream.database.connection() as connection:
            await repair_times(connection, MAX_PAUSE, BLOCK)
        return await reception_row(stream.database, reception)


class TestDeleteOldPages:
    async def test_old_pages_are_deleted_except_those_that_a_company_has_not_read(
        self, stream: Stream
    ) -> None:
        reception, stopped = await stream.follow(), await stream.follow()
        await stream.add_pages(3, OLD)
        await stream.add_pages(1)
        await change_reception(stream.database, reception, "pages_due = 4, pages_read = 2")
        await change_reception(stream.database, stopped, "pages_due = 4, is_active = false")
        assert await delete_pages(stream) == [3, 4]
        await change_reception(stream.database, reception, "pages_read = 4")
        assert await delete_pages(stream) == [4]
