"""Inutilizations: ranges of numbers that are voided at an authority."""

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any
from uuid import UUID

from carimbo.storage.actors import Actor, stored_actor
from carimbo.storage.connection import Connection, only
from carimbo.storage.emissions import NumberSeries
from carimbo.storage.filings import Filing
from carimbo.storage.keyset import KeysetPage, Position, keyset_page, older_than
from carimbo.storage.sql import NamedSql


@dataclass(frozen=True, kw_only=True)
class NewInutilization:
    """A range to void."""

    id: UUID
    company_id: UUID
    document_type: str
    environment: str
    series: int
    first_number: int
    last_number: int
    year: int
    justification: str


@dataclass(frozen=True, kw_only=True)
class InutilizationRow(Filing):
    """A range that is voided, or is about to be."""

    document_type: str
    environment: str
    series: int
    first_number: int
    last_number: int
    year: int
    justification: str


@dataclass(frozen=True)
class NumberUse:
    """Why a number can't be voided: the document or the other range that has it."""

    number: int
    document_id: UUID | None
    inutilization_id: UUID | None


_COLUMNS = ", ".join(field.name for field in fields(InutilizationRow))
_INSERTED = tuple(field.name for field in fields(NewInutilization))
_ADD = NamedSql(f"""
    insert into inutilizations (subscription_id, created_by, {", ".join(_INSERTED)})
    values ($1, :actor, {", ".join(f":{name}" for name in _INSERTED)})
    returning {_COLUMNS}
""")
# The authority has no document for the number of a rejected attempt, or of one that was not sent. Such a
# number is in use only if the document is processing or a draft again, or was printed offline (emission type
# 9).
_IN_USE = """
    select e.number, e.document_id, null::uuid as inutilization_id
    from emissions e join documents d on d.subscription_id = e.subscription_id and d.id = e.document_id
    where e.subscription_id = $1 and e.company_id = $2 and e.document_type = $3 and e.environment = $4
        and e.series = $5 and e.number between $6 and $7
        and (e.state not in ('numbered', 'signed', 'rejected') or e.emission_type = '9'
            or (d.emission = e.ordinal and d.status in ('processing', 'pending')))
    union all
    select greatest(first_number, $6), null, id from inutilizations
    where subscription_id = $1 and company_id = $2 and document_type = $3 and environment = $4
        and series = $5 and state <> 'refused' and first_number <= $7 and last_number >= $6
    order by number limit 1
"""


class Inutilizations:
    """Ranges of one subscription's companies."""

    def __init__(self, connection: Connection, subscription_id: UUID, actor: Actor | None) -> None:
        self._connection = connection
        self._subscription_id = subscription_id
        self._actor = actor

    async def add(self, inutilization: NewInutilization) -> InutilizationRow:
        """Inserts a range that is due now."""
        row = await self._connection.fetchrow(
            _ADD.text, self._subscription_id, *_ADD.arguments(self._values(inutilization))
        )
        return InutilizationRow(**only(row))

    async def first_use(self, inutilization: NewInutilization) -> NumberUse | None:
        """Returns the first number of a range that can't be voided, or None."""
        row = await self._connection.fetchrow(
            _IN_USE,
            self._subscription_id, inutilization.company_id, inutilization.document_type,
            inutilization.environment, inutilization.series, inutilization.first_number,
            inutilization.last_number,
        )  # fmt: skip
        return row and NumberUse(**row)

    async def highest_number(self, number_series: NumberSeries) -> int:
        """Returns the highest number of a series that is voided, or is about to be; 0 if none."""
        number: int | None = await self._connection.fetchval(
            "select max(last_number) from inutilizations where subscription_id = $1 and company_id = $2"
            " and document_type = $3 and environment = $4 and series = $5 and state <> 'refused'",
            self._subscription_id, number_series.company_id, number_series.document_type,
            number_series.environment, number_series.series,
        )  # fmt: skip
        return number or 0

    async def get(self, inutilization_id: UUID) -> InutilizationRow | None:
        """Returns a range of any company of the subscription, or None."""
        row = await self._connection.fetchrow(
            f"select {_COLUMNS} from inutilizations where subscription_id = $1 and id = $2",
            self._subscription_id, inutilization_id,
        )  # fmt: skip
        return row and InutilizationRow(**row)

    async def page(
        self, company_id: UUID, document_types: Sequence[str], offset: int, size: int
    ) -> list[InutilizationRow]:
        """Returns a page of a company's ranges of some types, newest first."""
        rows = await self._connection.fetch(
            f"select {_COLUMNS} from inutilizations where subscription_id = $1 and company_id = $2"
            " and document_type = any($3) order by created_at desc, id desc offset $4 limit $5",
            self._subscription_id, company_id, document_types, offset, size,
        )  # fmt: skip
        return [InutilizationRow(**row) for row in rows]

    async def older(
        self, company_id: UUID, after: Position | None, size: int
    ) -> KeysetPage[InutilizationRow]:
        """Returns the ranges of all types after a place in a company's list, newest first."""
        values = [self._subscription_id, company_id]
        beyond = older_than(after, "created_at, id", values)
        rows = await self._connection.fetch(
            f"select {_COLUMNS} from inutilizations where subscription_id = $1 and company_id = $2{beyond}"
            f" order by created_at desc, id desc limit {size}",
            *values,
        )
        ranges = [InutilizationRow(**row) for row in rows]
        return keyset_page(ranges, size, lambda row: (row.created_at, row.id))

    async def count(self, company_id: UUID, document_types: Sequence[str]) -> int:
        """Returns how many ranges of some types a company has."""
        total: int = await self._connection.fetchval(
            "select count(*) from inutilizations where subscription_id = $1 and company_id = $2"
            " and document_type = any($3)",
            self._subscription_id, company_id, document_types,
        )  # fmt: skip
        return total

    def _values(self, inutilization: NewInutilization) -> dict[str, Any]:
        return {**vars(inutilization), "actor": stored_actor(self._actor)}
