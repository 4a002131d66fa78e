"""Documents that were attempted and authorized, for tests of events and inutilizations."""

from dataclasses import replace
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

from carimbo.fiscal.lifecycle import EmissionState, Status
from carimbo.storage.documents import Document
from carimbo.storage.emissions import EmissionRow
from carimbo.storage.event_filings import EventFiling
from carimbo.storage.filings import FilingVerdict
from carimbo.storage.identifiers import new_id
from carimbo.storage.issuing import EmissionRoute, IssuingSteps, NumericCodes, SignedEmission, Verdict
from carimbo.storage.work import Lease, WorkKey, WorkKind
from claimed_rows import claim_row
from integration.storage.document_rows import NOTHING_SPENT, Shop
from integration.storage.neighbours import new_cancellation

CODES = NumericCodes("12345678", "87654321")
NOON = datetime(2026, 11, 10, 12, tzinfo=UTC)
AUTHORIZED = Verdict(
    status=Status.AUTHORIZED,
    emission_state=EmissionState.AUTHORIZED,
    protocol="135260000000001",
    authorized_at=NOON,
)


async def authorized(shop: Shop) -> Document:
    """Returns a document that was authorized at the first attempt."""
    document = await shop.added()
    lease = await shop.claimed(document)
    async with shop.database.connection() as connection:
        steps = IssuingSteps(connection, lease)
        await steps.take_number(shop.number_series, 1, CODES, EmissionRoute("1"), [])
        await steps.keep_signed(1, new_signed(), EmissionState.SENT, [])
        await steps.conclude(1, AUTHORIZED, NOTHING_SPENT, [])
    return document


async def authorized_at_second_attempt(shop: Shop) -> Document:
    """Returns a document that was authorized in contingency, after an attempt whose outcome is unknown."""
    document = await shop.added()
    lease = await shop.claimed(document)
    async with shop.database.connection() as connection:
        steps = IssuingSteps(connection, lease)
        await steps.take_number(shop.number_series, 1, CODES, EmissionRoute("1"), [])
        await steps.keep_signed(1, new_signed(), EmissionState.SENT, [])
        await steps.take_number(
            shop.number_series, 2, CODES, EmissionRoute("6"), [], supersedes_previous=True
        )
        await steps.keep_signed(2, new_signed(), EmissionState.SENT, [])
        await steps.conclude(2, AUTHORIZED, NOTHING_SPENT, [])
    return document


def new_signed() -> SignedEmission:
    """Returns a signed attempt, a different one at every call."""
    name = new_id()
    return SignedEmission(
        issued_at=NOON,
        access_key=f"{name.int:044d}"[-44:],
        digest=str(name),
        file_name=f"signed/{name}",
        xml=b"<NFe/>",
    )


async def attempt_of(shop: Shop, document: Document, ordinal: int = 1) -> EmissionRow:
    async with shop.database.autocommit(shop.subscription_id) as tenant:
        emission = await tenant.emissions.get(document.id, ordinal)
    assert emission is not None
    return emission


async def claimed(shop: Shop, work_kind: WorkKind, row_id: UUID) -> Lease:
    """Claims a row that is due."""
    async with shop.database.connection() as connection:
        lease = await claim_row(connection, WorkKey(work_kind, shop.subscription_id, row_id))
    assert lease is not None
    return lease


async def expire_lease(shop: Shop, lease: Lease) -> None:
    """Lets a lease expire."""
    async with shop.database.connection() as connection:
        await connection.execute(
            f"update {lease.key.table} set lease_until = now() where id = $1", lease.key.id
        )


async def add_filing(shop: Shop, document: Document, **changes: Any) -> EventFiling:
    """Stores an event that is to be registered for a document."""
    new = replace(new_cancellation(shop.company_id, document.id), **changes)
    async with shop.database.autocommit(shop.subscription_id) as tenant:
        stored = await tenant.event_filings.add(new)
    assert stored is not None
    return stored


async def concluded(shop: Shop, filing: EventFiling, verdict: FilingVerdict) -> None:
    """Concludes an event."""
    async with shop.database.filing_steps(await claimed(shop, WorkKind.EVENT, filing.id)) as steps:
        await steps.conclude(verdict)
