"""Filters and searches a company's documents, and fills the columns that a search needs."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from carimbo.fiscal.identity.tax_ids import normalize
from carimbo.storage.connection import Connection, only
from carimbo.storage.keyset import KeysetPage, Position, keyset_page, older_than

# The subscription is compared once, with the subscription of the company, and again only where an index
# begins with it. With a condition on the company alone, PostgreSQL can read the index by age and no rows.
_OF_SUBSCRIPTION = "exists (select from companies where subscription_id = $1 and id = $2)"
_OF_COMPANY = "subscription_id = $1 and company_id = $2"
_NUMBER = "coalesce({alias}assigned_number, {alias}number)"
# Conditions on the document (d) and on its current attempt (e). If the authority assigns number and key,
# these are the document's; until then, ours are.
_CONDITIONS = {
    "status": "d.status = {value}",
    "external_id": "d.external_id = {value}",
    "created_from": "d.created_at >= {value}",
    "created_before": "d.created_at < {value}",
    "sale_id": "d.sale_id = {value}",
    "recipient_tax_id": "d.subscription_id = $1 and d.recipient_tax_id = {value}",
    # The indexes of both conditions are those of manifests.
    "plate": "d.type = 'mdfe' and plates_in(d.request) @> array[{value}::text]",
    "driver": "d.type = 'mdfe' and (drivers_in(d.request) @> array[{value}::text] or d.subscription_id = $1"
    " and d.id = any(array(select document_id from event_filings where subscription_id = $1"
    " and company_id = $2 and type = 'driverInclusion' and state = 'registered'"
    " and request::jsonb ->> 'taxId' = {value})))",
    "is_open": "(d.status = 'authorized' and not d.facts ? 'closedAt') = {value}",
}
_CONDITIONS_ON_ATTEMPT = {
    "access_key": "e.subscription_id = $1 and (e.access_key = {value} or e.assigned_key = {value})",
    # PostgreSQL evaluates the array first; otherwise the planner may read all documents by age.
    "number": f"{_NUMBER.format(alias='e.')} = {{value}} and d.subscription_id = $1 and d.id = any(array("
    f"select document_id from emissions where {_OF_COMPANY} and {_NUMBER.format(alias='')} = {{value}}))",
    "series": "e.subscription_id = $1 and e.company_id = $2 and e.series = {value}",
}
# A condition for each way to find a document, as no index serves all of them: by the beginning of words of
# the recipient's name, by the caller's own identifier, and by tax id, key and number with or without
# punctuation. Words are split as recipient_words() does (migration 0020), each with its company as a prefix.
# There is no condition on the company around them: with one, the planner may split the names of a whole
# company into words.
_SEARCH = f"""(
    d.recipient_name is not null and recipient_words(d.company_id, d.recipient_name) @@ (
        select string_agg('''' || $2::uuid || ':' || left(searchable(word), 200) || ''':*', ' & ')
        from regexp_split_to_table({{text}}::text, '\\s+') as word where searchable(word) <> ''
    )::tsquery
    or d.company_id = $2 and d.external_id = {{text}}
    or d.subscription_id = $1 and d.company_id = $2 and d.recipient_tax_id = {{code}}
    or d.subscription_id = $1 and d.id = any(array(
        select document_id from emissions
        where {_OF_COMPANY} and (access_key = {{code}} or assigned_key = {{code}})
        union all
        select document_id from emissions where {_OF_COMPANY} and {_NUMBER.format(alias="")} = {{number}}
    ))
)"""
_MAX_DIGITS = 18
"""Every number with so many digits fits into a bigint."""


@dataclass(frozen=True, kw_only=True)
class DocumentFilter:
    """A filter of a company's documents; None matches all."""

    types: Sequence[str] | None = None
    status: str | None = None
    created_from: datetime | None = None
    created_before: datetime | None = None
    external_id: str | None = None
    sale_id: UUID | None = None
    recipient_tax_id: str | None = None
    access_key: str | None = None
    number: int | None = None
    series: int | None = None
    is_open: bool | None = None
    """Whether the document is authorized and was not closed."""
    plate: str | None = None
    """The plate of a vehicle of a manifest."""
    driver: str | None = None
    """The CPF of a driver of a manifest, also of one who was added by an event."""
    search: str | None = None
    """The beginning of words of the recipient's name, or a whole number, key, tax id or external id."""

    @property
    def is_counted(self) -> bool:
        """Whether the counters by type and status suffice to count the matches."""
        return self == DocumentFilter(types=self.types, status=self.status)

    @property
    def has_attempt(self) -> bool:
        """Whether a condition is on the current attempt, and not on the document itself."""
        return (self.access_key, self.number, self.series) != (None, None, None)

    def matching(self, subscription_id: UUID, company_id: UUID) -> tuple[str, list[Any]]:
        """Returns the SQL condition of the filter, and its values.

        It has only the parts that the filter uses: a plan for all possible parts is slow.
        """
        conditions = [_OF_SUBSCRIPTION]
        values: list[Any] = [subscription_id, company_id]
        for name, condition in (_CONDITIONS | _CONDITIONS_ON_ATTEMPT).items():
            value = getattr(self, name)
            if value is not None:
                values.append(value)
                conditions.append(condition.format(value=f"${len(values)}"))
        if self.types is not None:
            # With `=` for a single type, its documents are read from an index by age.
            values.append(self.types[0] if len(self.types) == 1 else self.types)
            match = "= ${}" if len(self.types) == 1 else "= any(${})"
            conditions.append(f"d.type {match.format(len(values))}")
        if self.search is None:
            conditions.append("d.company_id = $2")
        else:
            plain = normalize(self.search)
            is_number = plain.isascii() and plain.isdigit() and len(plain) <= _MAX_DIGITS
            first = len(values) + 1
            conditions.append(_SEARCH.format(text=f"${first}", code=f"${first + 1}", number=f"${first + 2}"))
            values += [self.search, plain, int(plain) if is_number else None]
        return " and ".join(conditions), values


CURRENT_ATTEMPT = (
    "emissions e on e.subscription_id = d.subscription_id and e.document_id = d.id and e.ordinal = d.emission"
)
"""SQL that joins the current attempt (e) of a document (d)."""
_MATCH = """
    with matches as {materialized} (
        select d.id, d.created_at from documents d {attempt} where {matching}
    )
    select ({total}) as total, array(
        select id from matches order by created_at desc, id desc offset {offset} limit {size}
    ) as ids
"""
_COUNT = "select count(*) from matches"
_COUNTERS = (
    "select coalesce(sum(documents), 0)::bigint from document_counts d"
    " where d.subscription_id = $1 and {matching}"
)


async def find_page(
    connection: Connection,
    subscription_id: UUID,
    company_id: UUID,
    wanted: DocumentFilter,
    offset: int,
    size: int,
) -> tuple[list[UUID], int]:
    """Returns the ids of a page and the total count, which comes from the counters if they suffice."""
    matching, values = wanted.matching(subscription_id, company_id)
    sql = _MATCH.format(
        matching=matching,
        attempt=f"join {CURRENT_ATTEMPT}" if wanted.has_attempt else "",
        # No index returns the matches of a search by age. All matches are read, so read them only once.
        materialized="materialized" if wanted.search is not None else "not materialized",
        total=(_COUNTERS if wanted.is_counted else _COUNT).format(matching=matching),
        offset=f"${len(values) + 1}",
        size=f"${len(values) + 2}",
    )
    # Prepared for one execution, so that PostgreSQL plans it for these values. A plan for any values may
    # read all documents of a company to find those of a rare series.
    statement = await connection.prepare(sql)
    row = only(await statement.fetchrow(*values, offset, size))
    return row["ids"], row["total"]


_OLDER = """
    with matches as {materialized} (
        select d.id, d.created_at from documents d {attempt} where {matching}{beyond}
    )
    select id, created_at from matches order by created_at desc, id desc limit {size}
"""


async def find_older(
    connection: Connection,
    subscription_id: UUID,
    company_id: UUID,
    wanted: DocumentFilter,
    after: Position | None,
    size: int,
) -> KeysetPage[UUID]:
    """Returns the ids of the documents after a place in the list, newest first."""
    matching, values = wanted.matching(subscription_id, company_id)
    sql = _OLDER.format(
        beyond=older_than(after, "d.created_at, d.id", values),
        matching=matching,
        attempt=f"join {CURRENT_ATTEMPT}" if wanted.has_attempt else "",
        materialized="materialized" if wanted.search is not None else "not materialized",
        size=size,
    )
    # Prepared for one execution, as in `find_page`.
    rows = await (await connection.prepare(sql)).fetch(*values)
    page = keyset_page(rows, size, lambda row: (row["created_at"], row["id"]))
    return KeysetPage([row["id"] for row in rows], page.next)


_AT_ONCE = 500
# Locked rows are skipped: to wait for them while other rows are locked could end in a deadlock.
_FILL = """
    with held as (
        select subscription_id, id, recipient_in(request) as recipient from documents
        where (subscription_id, id) in (select * from unnest($1::uuid[], $2::uuid[]))
        for no key update skip locked
    ), filled as (
        update documents d set recipient_tax_id = tax_id_of(recipient), recipient_name = recipient ->> 'name'
        from held
        where d.subscription_id = held.subscription_id and d.id = held.id and recipient is not null
            and d.recipient_tax_id is null and d.recipient_name is null
    )
    select count(*) from held
"""


async def fill_recipients(connection: Connection, at_once: int = _AT_ONCE) -> bool:
    """Fills the recipient columns of documents that were stored before these columns existed.

    Returns whether there may be more documents. Fills the next batch in the caller's transaction, unless
    another worker does so now. If a document is locked, the next call tries the same batch again.
    """
    progress = await connection.fetchrow(
        "select after_subscription_id, after_document_id from recipient_filling for update skip locked"
    )
    if progress is None:
        return False
    page = await connection.fetch(
        "select subscription_id, id from documents where (subscription_id, id) > ($1, $2)"
        " order by subscription_id, id limit $3",
        progress["after_subscription_id"], progress["after_document_id"], at_once,
    )  # fmt: skip
    if not page:
        await connection.execute("delete from recipient_filling")
        return False
    owners, ids = [row["subscription_id"] for row in page], [row["id"] for row in page]
    if await connection.fetchval(_FILL, owners, ids) == len(page):
        await connection.execute(
            "update recipient_filling set after_subscription_id = $1, after_document_id = $2",
            owners[-1], ids[-1],
        )  # fmt: skip
    return True
