"""Traffic with the authorities: when the newest documents of each company were authorized."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from carimbo.storage.connection import Connection

_READ_OF_TYPE = 10
"""How many of the newest documents of a company and type are read."""
# Bounded: some index entries for each company and type, however many documents there are.
_LAST_AUTHORIZATIONS = f"""
    select u.company_id, u.type, e.environment, e.emission_type, max(e.authorized_at) as authorized_at
    from unnest($2::uuid[], $3::text[]) as u (company_id, type)
    cross join lateral (
        select id, emission from documents
        where subscription_id = $1 and company_id = u.company_id and type = u.type
        order by created_at desc, id desc limit {_READ_OF_TYPE}
    ) as d
    join emissions e on e.subscription_id = $1 and e.document_id = d.id and e.ordinal = d.emission
    where e.authorized_at is not null
    group by u.company_id, u.type, e.environment, e.emission_type
"""


@dataclass(frozen=True)
class LastAuthorization:
    """When an authority last authorized a document of a company, as far as its newest documents show."""

    company_id: UUID
    type: str
    environment: str
    emission_type: str
    authorized_at: datetime


async def last_authorizations(
    connection: Connection, subscription_id: UUID, company_ids: Sequence[UUID], types: Sequence[str]
) -> list[LastAuthorization]:
    """Returns the last authorizations of pairs of a company and a document type."""
    rows = await connection.fetch(_LAST_AUTHORIZATIONS, subscription_id, company_ids, types)
    return [LastAuthorization(**row) for row in rows]
