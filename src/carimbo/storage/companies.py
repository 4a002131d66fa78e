"""The companies of a subscription."""

from collections.abc import Collection
from dataclasses import dataclass, fields
from datetime import datetime
from decimal import Decimal
from typing import Any
from uuid import UUID

from carimbo.fiscal.local_time import CAPITAL
from carimbo.storage.connection import Connection, Row
from carimbo.storage.keyset import KeysetPage, Position, keyset_page, newer_than
from carimbo.storage.sql import json_object, search_condition


@dataclass(frozen=True)
class CompanyRow:
    """A company, that is one CNPJ. Use cases define the JSON in `address`, `ibs_cbs_regime`, `settings`."""

    id: UUID
    tax_id: str
    legal_name: str
    trade_name: str | None
    email: str | None
    phone: str | None
    address: dict[str, Any] | None
    tax_regime: str | None
    municipal_registration: str | None
    cnae_code: str | None
    pis_cofins_regime: str | None
    simples_rate: Decimal | None
    simples_iss_regime: int | None
    ibs_cbs_regime: list[dict[str, Any]] | None
    """None if the stored JSON is unreadable; a company without options has an empty list."""
    environment: str
    settings: dict[str, Any]
    contingency_mode: str
    contingency_reason: str | None
    contingency_since: datetime | None
    logo_digest: str | None
    revision: int
    created_at: datetime
    updated_at: datetime
    deleted_at: datetime | None

    @property
    def shown_name(self) -> str:
        """The name by which people know the company."""
        return self.trade_name or self.legal_name

    @property
    def state(self) -> str | None:
        """The state of the address; None without an address."""
        state: str | None = (self.address or {}).get("state")
        return state

    @property
    def local_state(self) -> str:
        """The state whose time zone counts; that of Brasília if the company has no address."""
        return self.state or CAPITAL


# The columns that callers may write; column names in SQL never come from a request.
REGISTRATION_COLUMNS = (
    "legal_name", "trade_name", "email", "phone", "address", "tax_regime", "municipal_registration",
    "cnae_code", "pis_cofins_regime", "simples_rate", "simples_iss_regime", "ibs_cbs_regime",
)  # fmt: skip
_NAMES = tuple(field.name for field in fields(CompanyRow))
_COLUMNS = ", ".join(_NAMES)
# A subscription has some thousands of companies at most, so a search reads them all.
_SEARCHED = """(
    select *, searchable(legal_name) || ' ' || searchable(coalesce(trade_name, '')) || ' '
        || searchable(tax_id) as searched
    from companies where subscription_id = $1 and deleted_at is null and ($2::uuid[] is null or id = any($2))
) as companies"""
_MATCHES = search_condition("$3")


class CompanyNotInUse(Exception):
    """The company of new work is deleted or belongs to another subscription, so nothing was stored."""


def company_in_use_sql(subscription_id: str, company_id: str) -> str:
    """Returns SQL that selects a company and locks it against deletion until the transaction ends.

    Statements that store new work of a company select from it, so that no work is accepted during a deletion.
    The lock is the one that foreign keys take: it does not block changes of the company.
    """
    return (
        f"select id from companies where subscription_id = {subscription_id} and id = {company_id}"
        " and deleted_at is null for key share"
    )


class Companies:
    """Companies of one subscription; deleted ones are returned only where a method says so."""

    def __init__(self, connection: Connection, subscription_id: UUID) -> None:
        self._connection = connection
        self._subscription_id = subscription_id

    async def add(self, company_id: UUID, tax_id: str, values: dict[str, Any]) -> CompanyRow | None:
        """Inserts a company, or restores the deleted one of its CNPJ; returns None if the CNPJ is in use.

        A restored company keeps id, documents and number sequences: no number is used twice for one CNPJ.
        """
        columns = [name for name in (*REGISTRATION_COLUMNS, "environment") if name in values]
        arguments = ", ".join(f"${position}" for position in range(4, 4 + len(columns)))
        replaced = ", ".join(
            f"{name} = {'excluded.' + name if name in values else 'default'}" for name in REGISTRATION_COLUMNS
        )
        row = await self._connection.fetchrow(
            f"""
            insert into companies as c (subscription_id, id, tax_id, {", ".join(columns)})
            values ($1, $2, $3, {arguments})
            on conflict (subscription_id, tax_id) do update
                set {replaced}, environment = excluded.environment, deleted_at = null,
                    created_at = now(), updated_at = now(), revision = c.revision + 1
                where c.deleted_at is not null
            returning {_COLUMNS}
            """,
            self._subscription_id, company_id, tax_id, *(values[name] for name in columns),
        )  # fmt: skip
        return row and _company(row)

    async def get(self, company_id: UUID, *, deleted_too: bool = False) -> CompanyRow | None:
        """Returns a company or None; a deleted one only with `deleted_too`."""
        row = await self._connection.fetchrow(
            f"select {_COLUMNS} from companies where subscription_id = $1 and id = $2"
            " and ($3 or deleted_at is null)",
            self._subscription_id, company_id, deleted_too,
        )  # fmt: skip
        return row and _company(row)

    async def lock(self, company_id: UUID) -> CompanyRow | None:
        """Returns a company and locks it, so that it can be changed; this raises its revision."""
        row = await self._connection.fetchrow(
            "update companies set revision = revision + 1 where subscription_id = $1 and id = $2"
            f" and deleted_at is null returning {_COLUMNS}",
            self._subscription_id, company_id,
        )  # fmt: skip
        return row and _company(row)

    async def lock_for_deletion(self, company_id: UUID) -> CompanyRow | None:
        """Returns a company after waiting for all other locks on it; None if it is deleted."""
        row = await self._connection.fetchrow(
            f"select {_COLUMNS} from companies where subscription_id = $1 and id = $2 and deleted_at is null"
            " for update",
            self._subscription_id, company_id,
        )  # fmt: skip
        return row and _company(row)

    async def hold(self, company_id: UUID) -> bool:
        """Locks a company against deletion until the transaction ends; returns False if it is deleted."""
        locked_id: UUID | None = await self._connection.fetchval(
            company_in_use_sql("$1", "$2"), self._subscription_id, company_id
        )
        return locked_id is not None

    async def find_by_tax_id(self, tax_id: str) -> UUID | None:
        """Returns the id of the company with a CNPJ, also of a deleted one."""
        company_id: UUID | None = await self._connection.fetchval(
            "select id from companies where subscription_id = $1 and tax_id = $2",
            self._subscription_id, tax_id,
        )  # fmt: skip
        return company_id

    async def page(self, offset: int, size: int, tax_id: str | None = None) -> list[CompanyRow]:
        """Returns a page of the companies, newest first; if a CNPJ is given, only the company with it."""
        rows = await self._connection.fetch(
            f"select {_COLUMNS} from companies where subscription_id = $1 and deleted_at is null"
            " and ($4::text is null or tax_id = $4) order by created_at desc, id desc offset $2 limit $3",
            self._subscription_id, offset, size, tax_id,
        )  # fmt: skip
        return [_company(row) for row in rows]

    async def by_name(self, ids: Collection[UUID] | None, size: int) -> list[CompanyRow]:
        """Returns the first companies by name, only those with these ids if any are given."""
        rows = await self._connection.fetch(
            f"select {_COLUMNS} from companies where subscription_id = $1 and deleted_at is null"
            " and ($2::uuid[] is null or id = any($2)) order by legal_name, id limit $3",
            self._subscription_id, ids, size,
        )  # fmt: skip
        return [_company(row) for row in rows]

    async def changed_last(self, ids: Collection[UUID] | None, size: int) -> list[CompanyRow]:
        """Returns the companies that changed last, only those with these ids if any are given."""
        rows = await self._connection.fetch(
            f"select {_COLUMNS} from companies where subscription_id = $1 and deleted_at is null"
            " and ($2::uuid[] is null or id = any($2)) order by updated_at desc, id limit $3",
            self._subscription_id, ids, size,
        )  # fmt: skip
        return [_company(row) for row in rows]

    async def search(
        self, ids: Collection[UUID] | None, search: str | None, offset: int, size: int
    ) -> list[CompanyRow]:
        """Returns a page of the companies by name; only those of `ids`, and those that match a search."""
        rows = await self._connection.fetch(
            f"select {_COLUMNS} from {_SEARCHED} where {_MATCHES} order by legal_name, id offset $4 limit $5",
            self._subscription_id, ids, search, offset, size,
        )  # fmt: skip
        return [_company(row) for row in rows]

    async def count_search(self, ids: Collection[UUID] | None, search: str | None) -> int:
        """Returns how many companies a search matches."""
        total: int = await self._connection.fetchval(
            f"select count(*) from {_SEARCHED} where {_MATCHES}", self._subscription_id, ids, search
        )
        return total

    async def search_after(
        self, ids: Collection[UUID] | None, search: str | None, after: Position | None, size: int
    ) -> KeysetPage[CompanyRow]:
        """Returns the companies of a search after a place in the list by name."""
        values = [self._subscription_id, ids, search]
        beyond = newer_than(after, "legal_name, id", values)
        rows = await self._connection.fetch(
            f"select {_COLUMNS} from {_SEARCHED} where {_MATCHES}{beyond}"
            f" order by legal_name, id limit {size}",
            *values,
        )
        return keyset_page(list(map(_company, rows)), size, lambda row: (row.legal_name, row.id))

    async def count(self, tax_id: str | None = None) -> int:
        """Returns how many companies there are; if a CNPJ is given, only the company with it counts."""
        total: int = await self._connection.fetchval(
            "select count(*) from companies where subscription_id = $1 and deleted_at is null"
            " and ($2::text is null or tax_id = $2)",
            self._subscription_id, tax_id,
        )  # fmt: skip
        return total

    async def update(self, company_id: UUID, values: dict[str, Any]) -> CompanyRow | None:
        """Writes the given registration columns and no others."""
        columns = [name for name in REGISTRATION_COLUMNS if name in values]
        changes = "".join(f"{name} = ${position}, " for position, name in enumerate(columns, 3))
        row = await self._connection.fetchrow(
            f"update companies set {changes} updated_at = now(), revision = revision + 1"
            f" where subscription_id = $1 and id = $2 and deleted_at is null returning {_COLUMNS}",
            self._subscription_id, company_id, *(values[name] for name in columns),
        )  # fmt: skip
        return row and _company(row)

    async def set_environment(self, company_id: UUID, environment: str) -> datetime:
        """Sets the environment of a company; returns the time of the change."""
        updated_at: datetime = await self._connection.fetchval(
            "update companies set environment = $3, updated_at = now()"
            " where subscription_id = $1 and id = $2 returning updated_at",
            self._subscription_id, company_id, environment,
        )  # fmt: skip
        return updated_at

    async def set_settings(self, company_id: UUID, settings: dict[str, Any]) -> None:
        """Replaces all settings of a company."""
        await self._connection.execute(
            "update companies set settings = $3, updated_at = now() where subscription_id = $1 and id = $2",
            self._subscription_id, company_id, settings,
        )  # fmt: skip

    async def set_contingency(self, company_id: UUID, mode: str, reason: str | None) -> CompanyRow | None:
        """Sets the contingency mode of a company; with a reason, the contingency begins now."""
        row = await self._connection.fetchrow(
            "update companies set contingency_mode = $3, contingency_reason = $4,"
            " contingency_since = case when $4::text is null then null else now() end, updated_at = now(),"
            " revision = revision + 1"
            f" where subscription_id = $1 and id = $2 and deleted_at is null returning {_COLUMNS}",
            self._subscription_id, company_id, mode, reason,
        )  # fmt: skip
        return row and _company(row)

    async def set_logo(self, company_id: UUID, digest: str | None) -> None:
        """Sets the digest of a company's logo."""
        await self._connection.execute(
            "update companies set logo_digest = $3, updated_at = now()"
            " where subscription_id = $1 and id = $2",
            self._subscription_id, company_id, digest,
        )  # fmt: skip

    async def delete(self, company_id: UUID) -> bool:
        """Marks a company as deleted and resets it to the defaults, for the case that it is restored."""
        result = await self._connection.execute(
            "update companies set deleted_at = now(), updated_at = now(), revision = revision + 1,"
            " settings = default,"
            " environment = default, contingency_mode = default, contingency_reason = null,"
            " contingency_since = null, logo_digest = null"
            " where subscription_id = $1 and id = $2 and deleted_at is null",
            self._subscription_id, company_id,
        )  # fmt: skip
        return bool(result == "UPDATE 1")


def logo_file(digest: str) -> str:
    """Returns the name of a company's logo in the archive."""
    return f"logo/{digest}"


def joined_columns(alias: str) -> str:
    """Returns SQL that selects the columns of a joined company, for `joined_company`."""
    return ", ".join(f"{alias}.{name} as company_{name}" for name in _NAMES)


def joined_company(row: Row) -> CompanyRow | None:
    """Returns the company of a row with `joined_columns`; None if an outer join found none."""
    if row["company_id"] is None:
        return None
    return _company({name: row[f"company_{name}"] for name in _NAMES})


def _company(row: Row | dict[str, Any]) -> CompanyRow:
    values = dict(row)
    values["address"] = json_object("companies", row["id"], "address", row["address"])
    values["settings"] = json_object("companies", row["id"], "settings", row["settings"]) or {}
    return CompanyRow(**values)
