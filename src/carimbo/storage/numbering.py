"""What became of the numbers of each series: those that nobody uses."""

from dataclasses import dataclass, fields
from datetime import datetime
from uuid import UUID

from carimbo.storage.connection import Connection


@dataclass(frozen=True)
class Numbering:
    """One series of a company, with the number that comes next."""

    company_id: UUID
    document_type: str
    environment: str
    series: int
    next_number: int


@dataclass(frozen=True)
class UnusedNumbers:
    """Numbers that no attempt has taken, or the number of one attempt that did not become a document."""

    first_number: int
    last_number: int
    document_id: UUID | None
    state: str | None
    """The attempt's; None when there is none."""
    emission_type: str | None
    dated_at: datetime
    """When the attempt was issued or, as far as that is not known, what came next in the series."""
    emission_type_above: str | None
    """The emission type of what came next in the series."""
    was_refused: bool
    """Whether an authority would not let some of them be given up."""


@dataclass(frozen=True)
class UnusedPage:
    """The lowest numbers that nobody uses, and how many such rows there are in all."""

    found: list[UnusedNumbers]
    total: int


_COLUMNS = tuple(field.name for field in fields(UnusedNumbers))
_NUMBERING = (
    "{of}.subscription_id = $1 and {of}.company_id = $2 and {of}.document_type = $3"
    " and {of}.environment = $4 and {of}.series = $5"
)
_OF_EMISSIONS, _OF_RANGES = _NUMBERING.format(of="e"), _NUMBERING.format(of="i")
_ATTEMPTS = "emissions e join documents d on d.subscription_id = e.subscription_id and d.id = e.document_id"
# The first part reads nothing but the index of numbers, the second one that of the few that are not settled.
_UNUSED = f"""
    with filed as (
        select coalesce(range_agg(numbers) filter (where state <> 'refused'), '{{}}') as voided,
            coalesce(range_agg(numbers) filter (where state = 'refused'), '{{}}') as refused
        from inutilizations i, int8range(i.first_number, i.last_number, '[]') as numbers
        where {_OF_RANGES}
    ), taken as (
        select e.number, lead(e.number, 1, $7) over (order by e.number) as next_number
        from emissions e where {_OF_EMISSIONS}
    ), unused as (
        select lower(rest) as first_number, upper(rest) - 1 as last_number, null::uuid as document_id,
            null as state, null as emission_type, null::timestamptz as issued_at,
            null::timestamptz as created_at
        from filed, taken, unnest(int8multirange(int8range(number + 1, next_number)) - voided) as rest
        where next_number > number + 1
        union all
        select e.number, e.number, e.document_id, e.state, e.emission_type, e.issued_at, d.created_at
        from filed, {_ATTEMPTS}
        where {_OF_EMISSIONS} and e.state in ('numbered', 'signed', 'sent', 'rejected')
            and (e.ordinal <> d.emission or d.status = 'rejected') and not e.number <@ voided
        union all
        select e.number, e.number, e.document_id, e.state, e.emission_type, e.issued_at, d.created_at
        from strays s, {_ATTEMPTS}
        where s.subscription_id = $1 and s.company_id = $2 and s.document_id = e.document_id
            and s.emission = e.ordinal and {_OF_EMISSIONS} and e.state = 'authorized'
            and e.ordinal <> d.emission
    ), page as (
        select *, count(*) over () as total from unused order by first_number limit $6
    )
    select page.first_number, page.last_number, page.document_id, page.state, page.emission_type,
        coalesce(page.issued_at, above.issued_at, page.created_at, above.created_at, now()) as dated_at,
        above.emission_type as emission_type_above,
        int8range(page.first_number, page.last_number, '[]') && filed.refused as was_refused,
        page.total
    from filed, page left join lateral (
        select e.issued_at, e.emission_type, d.created_at from {_ATTEMPTS}
        where {_OF_EMISSIONS} and e.number > page.last_number order by e.number limit 1
    ) as above on true
    order by page.first_number
"""
_AUTOMATIC = """
    select subscription_id, id from companies
    where deleted_at is null and settings #>> '{numbering,inutilizeGaps}' = 'automatic'
    order by subscription_id, id
"""


class Numberings:
    """The series of one subscription's companies."""

    def __init__(self, connection: Connection, subscription_id: UUID) -> None:
        self._connection = connection
        self._subscription_id = subscription_id

    async def all(self, company_id: UUID) -> list[Numbering]:
        """Every series that has been used or set: whoever takes a number moves its counter."""
        rows = await self._connection.fetch(
            "select company_id, document_type, environment, series, next_number from number_sequences"
            " where subscription_id = $1 and company_id = $2 and next_number > 1"
            " order by document_type, environment, series",
            self._subscription_id, company_id,
        )  # fmt: skip
        return [Numbering(**row) for row in rows]

    async def unused(self, numbering: Numbering, most: int) -> UnusedPage:
        """The lowest numbers of a series that were passed over, or that an attempt took in vain."""
        rows = await self._connection.fetch(
            _UNUSED,
            self._subscription_id, numbering.company_id, numbering.document_type, numbering.environment,
            numbering.series, most, numbering.next_number,
        )  # fmt: skip
        found = [UnusedNumbers(**{name: row[name] for name in _COLUMNS}) for row in rows]
        return UnusedPage(found, rows[0]["total"] if rows else 0)


async def automatic_companies(connection: Connection) -> list[tuple[UUID, UUID]]:
    """Which companies, of which subscriptions, want their unused numbers given up without being asked."""
    rows = await connection.fetch(_AUTOMATIC)
    return [(row["subscription_id"], row["id"]) for row in rows]
