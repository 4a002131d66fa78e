"""Filters and searches the received documents of a company.

A list says how many documents match, and does not read them all for that: triggers count them by day and by
issuer.
"""

from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from carimbo.fiscal.identity.tax_ids import normalize
from carimbo.storage.connection import Connection, only
from carimbo.storage.keyset import KeysetPage, Position, keyset_page, older_than

_MAX_DIGITS = 18
"""Every number with so many digits fits into a bigint."""
_FEW_ISSUERS = 300
"""Documents of so many issuers are read from the index by issuer, those of more from the index by date."""


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
    def is_search_alone(self) -> bool:
        """Whether the counters by issuer suffice to count the matches of a search."""
        return self == ReceivedFilter(service=self.service, environment=self.environment, search=self.search)


_OF_LIST = "subscription_id = $1 and company_id = $2 and service = $3 and environment = $4"
_SINCE, _BEFORE = "coalesce($5::timestamptz, '-infinity')", "coalesce($6::timestamptz, 'infinity')"
_ISSUED = f"issued_at >= {_SINCE} and issued_at < {_BEFORE}"
# The first midnight (UTC) of the period, and the last one: the whole days between them have counters.
_FIRST_MIDNIGHT = f"date_trunc('day', {_SINCE} + interval '24 hours', 'UTC')"
_LAST_MIDNIGHT = f"date_trunc('day', {_BEFORE}, 'UTC')"
_LIST = f"""
    select (
        select coalesce(sum(documents), 0)::bigint from received_days where {_OF_LIST} {{conditions}}
            and day >= ({_FIRST_MIDNIGHT} at time zone 'UTC')::date
            and day < ({_LAST_MIDNIGHT} at time zone 'UTC')::date
    ) + (
        select count(*) from received_documents where {_OF_LIST} {{conditions}}
            and issued_at >= {_SINCE} and issued_at < least({_FIRST_MIDNIGHT}, {_BEFORE})
    ) + (
        select count(*) from received_documents where {_OF_LIST} {{conditions}}
            and issued_at >= greatest({_FIRST_MIDNIGHT}, {_LAST_MIDNIGHT}) and issued_at < {_BEFORE}
    ) as total, array(
        select id from received_documents where {_OF_LIST} {{conditions}} and {_ISSUED}
        order by issued_at desc, id desc offset {{offset}} limit {{size}}
    ) as ids
"""
# By the beginning of words of the issuer's name, and by tax id, key and number with or without punctuation.
# As in document_search.py, the words of a name have its company as a prefix. With `is true` PostgreSQL reads
# documents in the order of their dates until the page is full; without it, it joins all of them first.
_ISSUERS = f"""
    select tax_id, name, documents from received_issuers
    where recipient_words(company_id, name) @@ (
        select string_agg('''' || $2::uuid || ':' || left(searchable(word), 200) || ''':*', ' & ')
        from regexp_split_to_table($7::text, '\\s+') as word where searchable(word) <> ''
    )::tsquery and {_OF_LIST} or {_OF_LIST} and tax_id = $8
"""
_SEARCH = f"""
    with issuers as materialized ({_ISSUERS}), counted as materialized (
        select count(*) <= {_FEW_ISSUERS} as are_few, coalesce(sum(documents), 0)::bigint as documents
        from issuers
    ), named as materialized (
        select id, issued_at, issuer_tax_id, issuer_name from received_documents
        where {_OF_LIST} {{conditions}} and {_ISSUED} and (access_key = $8 or number = $9)
    ), matches as materialized (
        select id, issued_at from named
        union
        select newest.id, newest.issued_at from issuers, lateral (
            select id, issued_at from received_documents
            where {_OF_LIST} {{conditions}} and {_ISSUED}
                and issuer_tax_id = issuers.tax_id and issuer_name = issuers.name
            order by issued_at desc, id desc limit {{offset}}::bigint + {{size}}::bigint
        ) as newest where (select are_few from counted)
        union
        (
            select id, issued_at from received_documents
            where {_OF_LIST} {{conditions}} and {_ISSUED} and (select not are_few from counted)
                and (issuer_tax_id, issuer_name) in (select tax_id, name from issuers) is true
            order by issued_at desc, id desc limit {{offset}}::bigint + {{size}}::bigint
        )
    )
    select (
        select count(*) from named
        where (issuer_tax_id, issuer_name) not in (select tax_id, name from issuers)
    ) + ({{of_issuers}}) as total, array(
        select id from matches order by issued_at desc, id desc offset {{offset}} limit {{size}}
    ) as ids
"""
_OF_ISSUERS = "select documents from counted"
_OF_ISSUERS_WITH_CONDITIONS = f"""
    select case when are_few then (
        select count(*) from issuers, received_documents
        where {_OF_LIST} {{conditions}} and {_ISSUED}
            and issuer_tax_id = issuers.tax_id and issuer_name = issuers.name
    ) else (
        select count(*) from received_documents
        where {_OF_LIST} {{conditions}} and {_ISSUED}
            and (issuer_tax_id, issuer_name) in (select tax_id, name from issuers)
    ) end from counted
"""


_OLDER = f"""
    select id, issued_at from received_documents
    where {_OF_LIST} and {_ISSUED}{{conditions}} order by issued_at desc, id desc limit {{size}}
"""
_OLDER_OF_SEARCH = f"""
    with issuers as materialized ({_ISSUERS})
    select id, issued_at from received_documents
    where {_OF_LIST} and {_ISSUED}{{conditions}} and (
        access_key = $8 or number = $9 or (issuer_tax_id, issuer_name) in (select tax_id, name from issuers)
    ) order by issued_at desc, id desc limit {{size}}
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
    sql = _LIST if wanted.search is None else _SEARCH
    values = _values(subscription_id, company_id, wanted)
    values += [offset, size]
    skipped, taken = f"${len(values) - 1}", f"${len(values)}"
    conditions = _conditions(wanted, values)
    of_issuers = _OF_ISSUERS if wanted.is_search_alone else _OF_ISSUERS_WITH_CONDITIONS
    sql = sql.format(
        conditions=conditions,
        of_issuers=of_issuers.format(conditions=conditions),
        offset=skipped,
        size=taken,
    )
    # Prepared for one execution, so that PostgreSQL plans it for these values.
    match = only(await (await connection.prepare(sql)).fetchrow(*values))
    return match["ids"], match["total"]


async def find_older_received(
    connection: Connection,
    subscription_id: UUID,
    company_id: UUID,
    wanted: ReceivedFilter,
    after: Position | None,
    size: int,
) -> KeysetPage[UUID]:
    """Returns the ids of the documents after a place in the list, the newest issued first."""
    values = _values(subscription_id, company_id, wanted)
    conditions = _conditions(wanted, values) + older_than(after, "issued_at, id", values)
    sql = _OLDER if wanted.search is None else _OLDER_OF_SEARCH
    statement = await connection.prepare(sql.format(conditions=conditions, size=size))
    rows = await statement.fetch(*values)
    page = keyset_page(rows, size, lambda row: (row["issued_at"], row["id"]))
    return KeysetPage([row["id"] for row in rows], page.next)


def _values(subscription_id: UUID, company_id: UUID, wanted: ReceivedFilter) -> list[Any]:
    """Returns the values that every statement of a list begins with."""
    values: list[Any] = [
        subscription_id, company_id, wanted.service, wanted.environment,
        wanted.issued_from, wanted.issued_before,
    ]  # fmt: skip
    if wanted.search is not None:
        plain = normalize(wanted.search)
        is_number = plain.isascii() and plain.isdigit() and len(plain) <= _MAX_DIGITS
        values += [wanted.search, plain, int(plain) if is_number else None]
    return values


def _conditions(wanted: ReceivedFilter, values: list[Any]) -> str:
    """Returns the SQL conditions of status, situation and role, and adds their values to `values`."""
    conditions = ""
    chosen = (("status", wanted.status), ("situation", wanted.situation), ("role", wanted.role))
    for column, value in chosen:
        if value is not None:
            values.append(value)
            conditions += f" and {column} = ${len(values)}"
    return conditions
