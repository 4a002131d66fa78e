"""A document as it is stored at first: row, history and what wakes a worker in one statement."""

from collections.abc import Sequence
from dataclasses import dataclass, fields
from datetime import date
from decimal import Decimal
from uuid import UUID

from carimbo.storage.companies import CompanyNotInUse, held_company
from carimbo.storage.connection import Connection, Row
from carimbo.storage.document_events import NewEvent, event_columns, events_told
from carimbo.storage.jobs import job_added
from carimbo.storage.order_keys import claiming_keys
from carimbo.storage.turns import NEXT_TURN
from carimbo.storage.work import WorkKind


@dataclass(frozen=True, kw_only=True)
class NewDocument:
    """A document to be stored."""

    id: UUID
    company_id: UUID
    type: str
    environment: str
    status: str
    namespace: str
    idempotency_key: str | None
    """The `Idempotency-Key` of its request."""
    external_id: str | None
    sale_id: UUID | None = None
    is_direct: bool = True
    """Whether a caller asked for it, and not for a sale that needs it."""
    request: str
    """The JSON that the document is made of."""
    posted_request: str | None = None
    """The JSON as the caller sent it, if the request was filled from the catalog."""
    recipient_tax_id: str | None = None
    recipient_name: str | None = None
    amount: Decimal
    warnings: Sequence[str]
    reviewed_revision: int
    reviewed_on: date
    allowance_period: str | None
    is_urgent: bool
    emission: int = 0
    """The attempt in force: 1 where one is written beside it, 0 where there is none yet."""


_INSERTED = tuple(
    field.name for field in fields(NewDocument) if field.name not in ("company_id", "is_urgent")
)
_GENERATED = (
    "version, posted_version, rejection, created_at, queued_at, first_queued_at, next_action_at, attempts,"
    " parked_reason, replaced_by, facts"
)


def _insertion(*, queued: bool) -> str:
    """SQL that stores a document with its first events and, if it is to go, the job that wakes a worker."""
    first_event = 4 + len(_INSERTED)
    arguments = ", ".join(f"${position}" for position in range(4, first_event))
    placed = f"{NEXT_TURN}, now(), now(), now()" if queued else "0, null, null, null"
    woken = f", woken as ({job_added(WorkKind.DOCUMENT, 'added')})" if queued else ""
    return f"""
        with company as ({held_company("$1", "$2")}),
        added as (
            insert into documents (turn, next_action_at, queued_at, first_queued_at, subscription_id,
                company_id, is_urgent, {", ".join(_INSERTED)})
            select {placed}, $1, $2, $3, {arguments} from company
            returning *
        ), told as ({events_told("added", first_event)}){woken}
        select {_GENERATED} from added
    """


_INSERTIONS = {queued: _insertion(queued=queued) for queued in (True, False)}


async def insert(
    connection: Connection,
    subscription_id: UUID,
    document: NewDocument,
    events: Sequence[NewEvent],
    *,
    queued: bool,
) -> Row:
    """Store a document and return the values that the database generated.

    Raises OrderKeyTaken if another order has one of its keys, and CompanyNotInUse.
    """
    with claiming_keys():
        row: Row | None = await connection.fetchrow(
            _INSERTIONS[queued],
            subscription_id, document.company_id, document.is_urgent,
            *(getattr(document, name) for name in _INSERTED), *event_columns(events),
        )  # fmt: skip
    if row is None:
        raise CompanyNotInUse(document.company_id)
    return row
