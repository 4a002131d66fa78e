"""The next number of each series, and the numbers that no document uses."""

from dataclasses import dataclass, fields
from datetime import datetime
from uuid import UUID

from carimbo.storage.connection import Connection
from carimbo.storage.emissions import NumberSeries


@dataclass(frozen=True)
class NumberSequence:
    """A series of a company, with its next number."""

    company_id: UUID
    document_type: str
    environment: str
    series: int
    next_number: int


@dataclass(frozen=True)
class UnusedNumbers:
    """Numbers that no attempt has taken, or the number of an attempt that did not become a document."""

    first_number: int
    last_number: int
    document_id: UUID | None
    state: str | None
    """The state of the attempt; None if there is none."""
    emission_type: str | None
    dated_at: datetime
    """When the attempt was issued; if that is unknown, when the next number of the series was issued."""
    emission_type_above: str | None
    """The emission type of the next number of the series."""
    was_refused: bool
    """Whether an authority refused to void some of them."""


@dataclass(frozen=True)
class UnusedPage:
    """The lowest unused numbers, and how many rows of unused numbers there are in all."""

    numbers: list[UnusedNumbers]
    total: int


_COLUMNS = tuple(field.name for field in fields(UnusedNumbers))
_NUMBERING = (
    "{of}.subscription_id = $1 and {of}.company_id = $2 and {of}.document_type = $3"
    " and {of}.environment = $4 and {of}.series = $5"
)
_OF_EMISSIONS, _OF_RANGES = _NUMBERING.format(of="e"), _NUMBERING.format(of="i")
_ATTEMPTS = "emissions e join documents d on d.subscription_id = e.subscription_id and d.id = e.document_id"
# The first part reads only the index of numbers, the second one the index of the few unsettled attempts.
_UNUSED = f"""
    with filed as (
        select coalesce(range_agg(numbers) filter (where state <> 'refused'), '{{}}') as inutilized,
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
        from filed, taken, unnest(int8multirange(int8range(number + 1, next_number)) - inutilized) as rest
        where next_number > number + 1
        union all
        select e.number, e.number, e.document_id, e.state, e.emission_type, e.issued_at, d.created_at
        from filed, {_ATTEMPTS}
        where {_OF_EMISSIONS} and e.state in ('numbered', 'signed', 'sent', 'rejected')
            and (e.ordinal <> d.emission or d.status = 'rejected') and not e.number <@ inutilized
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
    """The series in use of one subscription's companies."""

    def __init__(self, connection: Connection, subscription_id: UUID) -> None:
        self._connection = connection
        self._subscription_id = subscription_id

    async def all(self, company_id: UUID) -> list[NumberSequence]:
        """Returns every series of a company whose next number was taken or set."""
        rows = await self._connection.fetch(
            "select company_id, document_type, environment, series, next_number from number_sequences"
            " where subscription_id = $1 and company_id = $2 and next_number > 1"
            " order by document_type, environment, series",
            self._subscription_id, company_id,
        )  # fmt: skip
        return [NumberSequence(**row) for row in rows]

    async def unused(self, numbering: NumberSequence, limit: int) -> UnusedPage:
        """Returns the lowest numbers of a series that were skipped or whose attempt became no document."""
        rows = await self._connection.fetch(
            _UNUSED,
            self._subscription_id, numbering.company_id, numbering.document_type, numbering.environment,
            numbering.series, limit, numbering.next_number,
        )  # fmt: skip
        numbers = [UnusedNumbers(**{name: row[name] for name in _COLUMNS}) for row in rows]
        return UnusedPage(numbers, rows[0]["total"] if rows else 0)


async def companies_with_automatic_inutilization(connection: Connection) -> list[tuple[UUID, UUID]]:
    """Returns subscription and id of the companies whose unused numbers are voided automatically."""
    rows = await connection.fetch(_AUTOMATIC)
    return [(row["subscription_id"], row["id"]) for row in rows]


class NumberSequences:
    """Next numbers of one subscription's companies, by document type, environment and series."""

    def __init__(self, connection: Connection, subscription_id: UUID) -> None:
        self._connection = connection
        self._subscription_id = subscription_id

    async def next_number(self, company_id: UUID, document_type: str, environment: str, series: int) -> int:
        """Returns the number that the next document will take, without taking it."""
        number: int | None = await self._connection.fetchval(
            """
            select next_number from number_sequences where subscription_id = $1 and company_id = $2
                and document_type = $3 and environment = $4 and series = $5
            """,
            self._subscription_id, company_id, document_type, environment, series,
        )  # fmt: skip
        return 1 if number is None else number

    async def lock(self, company_id: UUID, document_type: str, environment: str, series: int) -> int:
        """Returns the next number, and locks the series until the transaction ends."""
        number: int = await self._connection.fetchval(
            """
            insert into number_sequences as n
                (subscription_id, company_id, document_type, environment, series, next_number)
            values ($1, $2, $3, $4, $5, 1)
            on conflict (subscription_id, company_id, document_type, environment, series)
            do update set next_number = n.next_number returning next_number
            """,
            self._subscription_id, company_id, document_type, environment, series,
        )  # fmt: skip
        return number

    async def set_next_number(
        self, company_id: UUID, document_type: str, environment: str, series: int, number: int
    ) -> None:
        """Sets the next number, which may be lower than before."""
        await self._connection.execute(
            """
            insert into number_sequences
                (subscription_id, company_id, document_type, environment, series, next_number)
            values ($1, $2, $3, $4, $5, $6)
            on conflict (subscription_id, company_id, document_type, environment, series)
            do update set next_number = excluded.next_number
            """,
            self._subscription_id, company_id, document_type, environment, series, number,
        )  # fmt: skip

    async def move_past(self, number_series: NumberSeries, number: int) -> None:
        """Raises the next number above one that was used elsewhere; never lowers it.

        The series is locked until the caller's transaction ends.
        """
        await self._connection.execute(
            """
            insert into number_sequences as n
                (subscription_id, company_id, document_type, environment, series, next_number)
            values ($1, $2, $3, $4, $5, $6)
            on conflict (subscription_id, company_id, document_type, environment, series)
            do update set next_number = greatest(n.next_number, excluded.next_number)
            """,
            self._subscription_id,
            number_series.company_id, number_series.document_type, number_series.environment,
            number_series.series, number + 1,
        )  # fmt: skip
