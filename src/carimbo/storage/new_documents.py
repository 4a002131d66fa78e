"""A new document: its values, its turn among those that wait, and the SQL that inserts it."""

from collections.abc import Sequence
from dataclasses import dataclass, fields
from datetime import date
from decimal import Decimal
from uuid import UUID

from carimbo.storage.companies import company_in_use_sql
from carimbo.storage.document_events import insert_events_sql
from carimbo.storage.sql import NamedSql

# Start-time fair queueing: the turn of a document is higher than the turns of its company's waiting
# documents, and at least the lowest turn of all. So the tenth document of one company competes with the tenth
# of another, and a company that sends ten thousand at once does not delay the others. A paused document has
# turn 0: it does not wait in line. With min() and max() the planner may read all waiting documents, so `order
# by ... limit 1`.
NEXT_TURN = """
    greatest(
        (select turn from documents where next_action_at is not null and is_urgent = $3 and turn > 0
         order by turn limit 1),
        (select turn from documents
         where subscription_id = $1 and company_id = $2 and next_action_at is not null and is_urgent = $3
         order by turn desc limit 1),
        0
    ) + 1
"""
"""SQL of the next turn of a subscription's ($1) company ($2), among documents that are urgent or not ($3)."""


@dataclass(frozen=True, kw_only=True)
class NewDocument:
    """A document to store."""

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
    """Whether a caller requested this document, and not a sale that needs it."""
    request: str
    """The JSON from which the document is made."""
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
    """The current attempt: 1 if one is stored together with the document, 0 if there is none yet."""


_INSERTED = tuple(
    field.name for field in fields(NewDocument) if field.name not in ("company_id", "is_urgent")
)
_GENERATED = (
    "version, posted_version, rejection, created_at, queued_at, first_queued_at, next_action_at, attempts,"
    " parked_reason, replaced_by, facts, created_by"
)


def _insert_sql(*, queued: bool) -> NamedSql:
    """Returns SQL that inserts a document with its first events and, if it is queued, its turn."""
    schedule = f"{NEXT_TURN}, now(), now(), now()" if queued else "0, null, null, null"
    return NamedSql(f"""
        with company as ({company_in_use_sql("$1", "$2")}),
        added as (
            insert into documents (turn, next_action_at, queued_at, first_queued_at, subscription_id,
                company_id, is_urgent, created_by, {", ".join(_INSERTED)})
            select {schedule}, $1, $2, $3, :actor::jsonb, {", ".join(f":{name}" for name in _INSERTED)}
            from company
            returning *
        ), history as ({insert_events_sql("added", ":actor")})
        select {_GENERATED} from added
    """)


INSERT_DOCUMENT = {queued: _insert_sql(queued=queued) for queued in (True, False)}
