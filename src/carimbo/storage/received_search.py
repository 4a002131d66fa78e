"""Filters and searches the received documents of a company."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from carimbo.fiscal.identity.tax_ids import normalize
from carimbo.storage.connection import Connection, only

_MAX_DIGITS = 18
"""Every number with so many digits fits into a bigint."""


@dataclass(frozen=True, kw_only=True)
class ReceivedFilter:
    """A filter of a company's received documents of one service; None matches all."""

    service: str
    environment: str
    status: str | None = None
    situation: str | None = None
    role: str | None = None
    issued_from: datetime | None = None
    issued_before: datetime | None = None
    search: str | None = None

    @property
    def is_counted(self) -> bool:
        """Whether the counters by status suffice to count the matches."""
        return self == ReceivedFilter(service=self.service, environment=self.environment, status=self.status)


# As in document_search.py: a search reads the names of its company alone.
_SEARCH = """(
    recipient_words(company_id, issuer_name) @@ (
        select string_agg('''' || $2::uuid || ':' || left(searchable(word), 200) || ''':*', ' & ')
        from regexp_split_to_table({text}::text, '\\s+') as word where searchable(word) <> ''
    )::tsquery
    or subscription_id = $1 and company_id = $2 and issuer_tax_id = {code}
    or subscription_id = $1 and company_id = $2 and environment = $4 and access_key = {code}
    or subscription_id = $1 and company_id = $2 and number = {number}
)"""
_PAGE = """
    with matches as {materialized} (
        select id, issued_at from received_documents
        where subscription_id = $1 and company_id = $2 and service = $3 and environment = $4 {conditions}
    )
    select ({total}) as total, array(
        select id from matches order by issued_at desc, id desc offset {offset} limit {size}
    ) as ids
"""
_COUNTERS = """
    select coalesce(sum(documents), 0)::bigint from received_counts
    where subscription_id = $1 and company_id = $2 and service = $3 and environment = $4 {status}
"""


async def find_received(
    connection: Connection,
    subscription_id: UUID,
    company_id: UUID,
    wanted: ReceivedFilter,
    offset: int,
    size: int,
) -> tuple[list[UUID], int]:
    """Returns the ids of a page, the newest issued first, and the number of all matches."""
    conditions, values = _conditions(wanted)
    count = _COUNTERS.format(status="and status = $5" if wanted.status else "")
    first = 5 + len(values)
    sql = _PAGE.format(
        materialized="materialized" if wanted.search else "not materialized",
        conditions=conditions,
        total=count if wanted.is_counted else "select count(*) from matches",
        offset=f"${first}",
        size=f"${first + 1}",
    )
    statement = await connection.prepare(sql)
    match = only(
        await statement.fetchrow(
            subscription_id, company_id, wanted.service, wanted.environment, *values, offset, size
        )
    )
    return match["ids"], match["total"]


def _conditions(wanted: ReceivedFilter) -> tuple[str, list[Any]]:
    """Returns the SQL conditions of a filter from $5 on, and their values."""
    conditions, values = "", list[Any]()
    parts = (
        ("status = {}", wanted.status),
        ("situation = {}", wanted.situation),
        ("role = {}", wanted.role),
        ("issued_at >= {}", wanted.issued_from),
        ("issued_at < {}", wanted.issued_before),
    )
    for condition, value in parts:
        if value is not None:
            values.append(value)
            conditions += f" and {condition.format(f'${4 + len(values)}')}"
    if wanted.search is not None:
        plain = normalize(wanted.search)
        is_number = plain.isascii() and plain.isdigit() and len(plain) <= _MAX_DIGITS
        first = 5 + len(values)
        conditions += " and " + _SEARCH.format(text=f"${first}", code=f"${first + 1}", number=f"${first + 2}")
        values += [wanted.search, plain, int(plain) if is_number else None]
    return conditions, values
