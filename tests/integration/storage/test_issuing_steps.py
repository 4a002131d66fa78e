"""Issuing steps are atomic, and written only by the current holder of the lease."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import asyncpg
import pytest

from carimbo.fiscal.lifecycle import EmissionState, Status
from carimbo.storage import work
from carimbo.storage.document_events import NewEvent
from carimbo.storage.documents import Document
from carimbo.storage.emissions import EmissionRow
from carimbo.storage.issuing import (
    AllowanceChange,
    EmissionRoute,
    IssuingSteps,
    NumericCodes,
    SignedEmission,
    Verdict,
)
from carimbo.storage.queue import claim_due
from carimbo.storage.subscriptions import Usage
from carimbo.storage.work import Lease, LeaseLost, WorkKind
from claimed_rows import claim_row
from integration.storage.document_rows import NOTHING_SPENT, Shop

NOW = datetime(2026, 11, 10, 12, tzinfo=UTC)
HOUR = timedelta(hours=1)
CODES = NumericCodes("12345678", "87654321")
SIGNED = SignedEmission(
    issued_at=NOW,
    access_key="35" + 42 * "1",
    digest="abc=",
    file_name="signed/abc=",
    xml=b"<NFe>\xc3\xa7</NFe>",
)
AUTHORIZED = Verdict(
    status=Status.AUTHORIZED,
    emission_state=EmissionState.AUTHORIZED,
    protocol="135260000000001",
    authorized_at=NOW,
    files={"authorization/abc=": b"<protNFe/>"},
)
REJECTED_BEFORE_SENDING = Verdict(status=Status.REJECTED, rejection={"code": "COMPANY_NOT_READY"})
HAPPENED = NewEvent(type="consulted", status="processing", authority_code="100", authority_message="Ok")
Step = Callable[[IssuingSteps, Shop], Awaitable[Any]]


async def number(steps: IssuingSteps, shop: Shop) -> EmissionRow:
    return await steps.take_number(shop.number_series, 1, CODES, EmissionRoute("1"), [HAPPENED])


async def sign(steps: IssuingSteps, _: Shop) -> None:
    await steps.keep_signed(1, SIGNED, EmissionState.SENT, [HAPPENED])


async def note(steps: IssuingSteps, _: Shop) -> None:
    await steps.write_state(1, EmissionState.SIGNED, tries=2, events=[HAPPENED])


async def pause(steps: IssuingSteps, _: Shop) -> None:
    await steps.write_state(1, EmissionState.SENT, tries=2, receipt="351", pause=HOUR, events=[HAPPENED])


async def conclude(steps: IssuingSteps, _: Shop) -> None:
    await steps.conclude(1, AUTHORIZED, AllowanceChange("2026-11", used=1), [HAPPENED])


EVERY_STEP = [number, sign, note, pause, conclude]


async def take(shop: Shop, lease: Lease, step: Step) -> Any:
    async with shop.database.connection() as connection:
        return await step(IssuingSteps(connection, lease), shop)


async def numbered(shop: Shop) -> tuple[Document, Lease]:
    """Returns a document that has its number, and our lease on it."""
    document = await shop.added(allowance_period="2026-11")
    lease = await shop.claimed(document)
    await take(shop, lease, number)
    return document, lease


async def emission_of(shop: Shop, document: Document) -> EmissionRow:
    emission = (await shop.read(document.id)).emission
    assert emission is not None
    return emission


async def written_rows(shop: Shop, document: Document) -> list[Any]:
    """Returns everything that a step may write."""
    async with shop.database.autocommit(shop.subscription_id) as tenant:
        return [
            await tenant.documents.get(document.id),
            await tenant.document_events.all(document.id),
            await tenant.archive.get(document.id, SIGNED.file_name),
            await tenant.archive.get(document.id, "authorization/abc="),
            await tenant.number_sequences.next_number(shop.company_id, "nfe", "production", 1),
            await tenant.allowances.usage("2026-11"),
            await shop.row_of(document),
        ]


async def expire_lease(shop: Shop, lease: Lease) -> None:
    async with shop.database.connection() as connection:
        await connection.execute("update documents set lease_until = now() where id = $1", lease.key.id)


class TestLeaseLost:
    @pytest.mark.parametrize("step", EVERY_STEP)
    async def test_a_worker_that_was_overtaken_writes_nothing(self, shop: Shop, step: Step) -> None:
        document = await shop.added()
        lease = await shop.claimed(document)
        await expire_lease(shop, lease)
        await shop.claimed(document)
        before = await written_rows(shop, document)
        with pytest.raises(LeaseLost, match=str(lease.key)):
            await take(shop, lease, step)
        assert await written_rows(shop, document) == before

    @pytest.mark.parametrize("step", EVERY_STEP)
    async def test_a_worker_that_released_its_lease_writes_nothing(self, shop: Shop, step: Step) -> None:
        document = await shop.added()
        lease = await shop.claimed(document)
        async with shop.database.transaction() as connection:
            await work.conclude(connection, lease)
        before = await written_rows(shop, document)
        with pytest.raises(LeaseLost):
            await take(shop, lease, step)
        assert await written_rows(shop, document) == before

    @pytest.mark.parametrize("step", EVERY_STEP)
    async def test_a_late_worker_that_was_not_overtaken_may_write(self, shop: Shop, step: Step) -> None:
        document = await shop.added()
        lease = await shop.claimed(document)
        await expire_lease(shop, lease)
        await take(shop, lease, step)
        async with shop.database.autocommit(shop.subscription_id) as tenant:
            assert HAPPENED.type in {event.type for event in await tenant.document_events.all(document.id)}


class TestTakeNumber:
    async def test_the_document_keeps_its_number(self, shop: Shop) -> None:
        document = await shop.added()
        taken = await take(shop, await shop.claimed(document), number)
        assert await emission_of(shop, document) == taken
        assert (taken.ordinal, taken.series, taken.number, taken.state) == (1, 1, 1, EmissionState.NUMBERED)
        assert (taken.numeric_code, taken.emission_type, taken.access_key) == ("12345678", "1", None)

    async def test_the_series_continues_from_the_configured_number(self, shop: Shop) -> None:
        async with shop.database.tenant(shop.subscription_id) as tenant:
            await tenant.number_sequences.set_next_number(shop.company_id, "nfe", "production", 1, 77)
        document, _ = await numbered(shop)
        assert (await emission_of(shop, document)).number == 77

    @pytest.mark.parametrize(
        "other", [{"series": 2}, {"environment": "homologation"}, {"document_type": "nfce"}]
    )
    async def test_every_series_type_and_environment_has_its_own_numbers(
        self, shop: Shop, other: dict[str, Any]
    ) -> None:
        await numbered(shop)
        lease = await shop.claimed(await shop.added())
        async with shop.database.connection() as connection:
            number_series = replace(shop.number_series, **other)
            emission = await IssuingSteps(connection, lease).take_number(
                number_series, 1, CODES, EmissionRoute("1"), []
            )
        assert emission.number == 1

    @pytest.mark.parametrize("taken", [12345678, 112345678, 5])
    async def test_the_second_code_is_used_if_the_first_equals_the_number(
        self, shop: Shop, taken: int
    ) -> None:
        """Rule 897: an access key whose code equals its number could be guessed."""
        async with shop.database.tenant(shop.subscription_id) as tenant:
            await tenant.number_sequences.set_next_number(shop.company_id, "nfe", "production", 1, taken)
        codes = replace(CODES, first=f"{taken % 10**8:08}")
        lease = await shop.claimed(await shop.added())
        async with shop.database.connection() as connection:
            emission = await IssuingSteps(connection, lease).take_number(
                shop.number_series, 1, codes, EmissionRoute("1"), []
            )
        assert (emission.number, emission.numeric_code) == (taken, CODES.second)

    async def test_a_step_with_a_number_in_use_writes_nothing(self, shop: Shop) -> None:
        await numbered(shop)
        async with shop.database.tenant(shop.subscription_id) as tenant:
            await tenant.number_sequences.set_next_number(shop.company_id, "nfe", "production", 1, 1)
        document = await shop.added()
        lease = await shop.claimed(document)
        before = await written_rows(shop, document)
        with pytest.raises(asyncpg.UniqueViolationError):
            await take(shop, lease, number)
        assert await written_rows(shop, document) == before


class TestKeepSigned:
    async def test_the_signed_bytes_and_their_identifiers_are_stored(self, shop: Shop) -> None:
        document, lease = await numbered(shop)
        await take(shop, lease, sign)
        emission = await emission_of(shop, document)
        assert (emission.state, emission.issued_at) == (EmissionState.SENT, NOW)
        assert (emission.access_key, emission.digest) == (SIGNED.access_key, SIGNED.digest)
        async with shop.database.autocommit(shop.subscription_id) as tenant:
            assert await tenant.archive.get(document.id, SIGNED.file_name) == SIGNED.xml

    async def test_every_signed_version_is_kept(self, shop: Shop) -> None:
        document, lease = await numbered(shop)
        other = replace(SIGNED, digest="def=", file_name="signed/def=", xml=b"<other/>")
        async with shop.database.connection() as connection:
            for version in (SIGNED, other):
                await IssuingSteps(connection, lease).keep_signed(1, version, EmissionState.SENT, [])
        async with shop.database.autocommit(shop.subscription_id) as tenant:
            assert await tenant.archive.get(document.id, SIGNED.file_name) == SIGNED.xml
            assert await tenant.archive.get(document.id, other.file_name) == other.xml
        assert (await emission_of(shop, document)).digest == "def="

    async def test_two_documents_cannot_have_the_same_access_key(self, shop: Shop) -> None:
        _, lease = await numbered(shop)
        await take(shop, lease, sign)
        _, other_lease = await numbered(shop)
        with pytest.raises(asyncpg.UniqueViolationError):
            await take(shop, other_lease, sign)


class TestWriteState:
    async def test_the_lease_is_kept_without_a_pause(self, shop: Shop) -> None:
        document, lease = await numbered(shop)
        await take(shop, lease, note)
        emission = await emission_of(shop, document)
        assert (emission.state, emission.tries, emission.receipt) == (EmissionState.SIGNED, 2, None)
        async with shop.database.transaction() as connection:
            await work.renew(connection, lease, HOUR)

    async def test_nobody_can_claim_a_document_during_a_pause(self, shop: Shop) -> None:
        document, lease = await numbered(shop)
        await take(shop, lease, pause)
        emission, row = await emission_of(shop, document), await shop.row_of(document)
        assert (emission.state, emission.tries, emission.receipt) == (EmissionState.SENT, 2, "351")
        assert (row["lease_until"], row["attempts"]) == (None, 0)
        async with shop.database.connection() as connection:
            assert timedelta(0) < row["next_action_at"] - await connection.fetchval("select now()") <= HOUR
            assert await claim_row(connection, lease.key) is None


class TestConclude:
    async def test_a_conclusion_writes_everything_in_one_statement(self, shop: Shop) -> None:
        document, lease = await numbered(shop)
        await take(shop, lease, sign)
        async with shop.database.tenant(shop.subscription_id) as tenant:
            await tenant.allowances.reserve("2026-11", 10)
        async with shop.database.connection() as connection:
            allowance_change = AllowanceChange("2026-11", used=1, released=1)
            await IssuingSteps(connection, lease).conclude(1, AUTHORIZED, allowance_change, [HAPPENED])
        stored, emission = await shop.read(document.id), await emission_of(shop, document)
        assert (stored.status, stored.rejection, stored.allowance_period) == (Status.AUTHORIZED, None, None)
        assert (emission.state, emission.protocol) == (EmissionState.AUTHORIZED, AUTHORIZED.protocol)
        assert (emission.authorized_at, emission.tries, emission.digest) == (NOW, 0, SIGNED.digest)
        async with shop.database.autocommit(shop.subscription_id) as tenant:
            assert await tenant.archive.get(document.id, "authorization/abc=") == b"<protNFe/>"
            assert await tenant.allowances.usage("2026-11") == Usage(used=1, reserved=0)

    async def test_a_concluded_document_is_not_due_any_more(self, shop: Shop) -> None:
        document, lease = await numbered(shop)
        await take(shop, lease, conclude)
        row = await shop.row_of(document)
        assert (row["next_action_at"], row["lease_until"], row["attempts"]) == (None, None, 0)

    async def test_the_verdict_may_be_about_an_earlier_version(self, shop: Shop) -> None:
        document, lease = await numbered(shop)
        await take(shop, lease, sign)
        async with shop.database.connection() as connection:
            verdict = replace(AUTHORIZED, digest="earlier=")
            await IssuingSteps(connection, lease).conclude(1, verdict, NOTHING_SPENT, [])
        assert (await emission_of(shop, document)).digest == "earlier="

    @pytest.mark.parametrize("has_number", [False, True])
    async def test_a_document_rejected_before_sending_keeps_its_attempt_unchanged(
        self, shop: Shop, has_number: bool
    ) -> None:
        document = await shop.added()
        lease = await shop.claimed(document)
        before = await take(shop, lease, number) if has_number else None
        async with shop.database.connection() as connection:
            await IssuingSteps(connection, lease).conclude(1, REJECTED_BEFORE_SENDING, NOTHING_SPENT, [])
        stored = await shop.read(document.id)
        assert (stored.status, stored.rejection) == (Status.REJECTED, REJECTED_BEFORE_SENDING.rejection)
        assert stored.emission == before

    async def test_a_conclusion_with_an_invalid_allowance_changes_nothing(self, shop: Shop) -> None:
        document, lease = await numbered(shop)
        before = await written_rows(shop, document)
        with pytest.raises(asyncpg.CheckViolationError):
            async with shop.database.connection() as connection:
                allowance_change = AllowanceChange("2026-11", released=1)
                await connection.execute(
                    "insert into allowances (subscription_id, period) values ($1, $2)",
                    shop.subscription_id, "2026-11",
                )  # fmt: skip
                await IssuingSteps(connection, lease).conclude(1, AUTHORIZED, allowance_change, [HAPPENED])
        assert await written_rows(shop, document) == before

    async def test_only_one_of_two_simultaneous_conclusions_succeeds(self, shop: Shop) -> None:
        document, lease = await numbered(shop)
        outcomes = await asyncio.gather(
            *(take(shop, lease, conclude) for _ in range(2)), return_exceptions=True
        )
        assert sorted(type(outcome).__name__ for outcome in outcomes) == ["LeaseLost", "NoneType"]
        async with shop.database.autocommit(shop.subscription_id) as tenant:
            assert await tenant.allowances.usage("2026-11") == Usage(used=1, reserved=0)
            event_types = [event.type for event in await tenant.document_events.all(document.id)]
        assert event_types.count(HAPPENED.type) == 2


async def claim_among_all(shop: Shop, document: Document) -> Lease:
    """Claims everything that is due, as other tests leave documents, and returns the lease of one."""
    async with shop.database.connection() as connection:
        leases = await claim_due(connection, WorkKind.DOCUMENT, 1000, HOUR, with_suspect=True)
    return next(lease for lease in leases if lease.key.id == document.id)


async def test_a_claim_reads_the_document(shop: Shop) -> None:
    document = await shop.added(external_id="order-1", request='{"amount": 1.10}', warnings=["a"])

    assert (await claim_among_all(shop, document)).document == await shop.read(document.id)


async def test_a_claim_does_not_read_a_document_with_an_attempt(shop: Shop) -> None:
    document, lease = await numbered(shop)
    async with shop.database.transaction() as connection:
        await work.release(connection, lease)

    assert (await claim_among_all(shop, document)).document is None
