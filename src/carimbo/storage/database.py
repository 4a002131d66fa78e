"""The connection pool and what a use case gets from it: one transaction, scoped to one subscription."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Generic, TypeVar
from uuid import UUID

import asyncpg

from carimbo.storage.allowances import Allowances
from carimbo.storage.archive import Archive
from carimbo.storage.catalog import Catalog
from carimbo.storage.certificates import Certificates
from carimbo.storage.companies import Companies
from carimbo.storage.connection import (
    Connection,
    DatabaseUnavailable,
    connecting,
    is_lost,
    unavailable,
)
from carimbo.storage.credentials import Credentials
from carimbo.storage.customers import Customers
from carimbo.storage.deliveries import Deliveries
from carimbo.storage.document_events import DocumentEvents
from carimbo.storage.documents import Documents
from carimbo.storage.emails import Emails
from carimbo.storage.emissions import Emissions
from carimbo.storage.envelope import KeyRing
from carimbo.storage.event_filings import EventFilings
from carimbo.storage.events import Events
from carimbo.storage.filings import FilingSteps
from carimbo.storage.inutilizations import Inutilizations
from carimbo.storage.issuing import IssuingSteps
from carimbo.storage.number_sequences import NumberSequences
from carimbo.storage.numbering import Numberings
from carimbo.storage.order_keys import OrderKeys
from carimbo.storage.pool import DEFAULT_OPTIONS, Pool, PoolOptions
from carimbo.storage.products import Products
from carimbo.storage.sales import Sales
from carimbo.storage.secrets import Secrets
from carimbo.storage.state_registrations import StateRegistrations
from carimbo.storage.strays import Strays
from carimbo.storage.webhooks import Webhooks
from carimbo.storage.work import Lease

__all__ = ["Database", "DatabaseUnavailable", "PoolOptions", "Tenant"]

Lent = TypeVar("Lent")


@dataclass(frozen=True)
class Tenant:
    """A connection, nearly always in a transaction, that can only see one subscription's rows."""

    connection: Connection
    subscription_id: UUID
    key_ring: KeyRing

    @cached_property
    def allowances(self) -> Allowances:
        return Allowances(self.connection, self.subscription_id)

    @cached_property
    def archive(self) -> Archive:
        return Archive(self.connection, self.subscription_id)

    @cached_property
    def catalog(self) -> Catalog:
        return Catalog(self.connection, self.subscription_id)

    @cached_property
    def certificates(self) -> Certificates:
        return Certificates(self.connection, self.subscription_id)

    @cached_property
    def companies(self) -> Companies:
        return Companies(self.connection, self.subscription_id)

    @cached_property
    def credentials(self) -> Credentials:
        return Credentials(self.connection, self.subscription_id)

    @cached_property
    def customers(self) -> Customers:
        return Customers(self.connection, self.subscription_id)

    @cached_property
    def deliveries(self) -> Deliveries:
        return Deliveries(self.connection, self.subscription_id)

    @cached_property
    def document_events(self) -> DocumentEvents:
        return DocumentEvents(self.connection, self.subscription_id)

    @cached_property
    def documents(self) -> Documents:
        return Documents(self.connection, self.subscription_id)

    @cached_property
    def emails(self) -> Emails:
        return Emails(self.connection, self.subscription_id)

    @cached_property
    def emissions(self) -> Emissions:
        return Emissions(self.connection, self.subscription_id)

    @cached_property
    def event_filings(self) -> EventFilings:
        return EventFilings(self.connection, self.subscription_id)

    @cached_property
    def events(self) -> Events:
        return Events(self.connection, self.subscription_id)

    @cached_property
    def inutilizations(self) -> Inutilizations:
        return Inutilizations(self.connection, self.subscription_id)

    @cached_property
    def number_sequences(self) -> NumberSequences:
        return NumberSequences(self.connection, self.subscription_id)

    @cached_property
    def numberings(self) -> Numberings:
        return Numberings(self.connection, self.subscription_id)

    @cached_property
    def order_keys(self) -> OrderKeys:
        return OrderKeys(self.connection, self.subscription_id)

    @cached_property
    def products(self) -> Products:
        return Products(self.connection, self.subscription_id)

    @cached_property
    def sales(self) -> Sales:
        return Sales(self.connection, self.subscription_id)

    @cached_property
    def secrets(self) -> Secrets:
        return Secrets(self.connection, self.subscription_id, self.key_ring)

    @cached_property
    def state_registrations(self) -> StateRegistrations:
        return StateRegistrations(self.connection, self.subscription_id)

    @cached_property
    def strays(self) -> Strays:
        return Strays(self.connection, self.subscription_id)

    @cached_property
    def webhooks(self) -> Webhooks:
        return Webhooks(self.connection, self.subscription_id)


class Lending(Generic[Lent]):
    """Lends a connection for a while, as whatever the borrower sees it."""

    __slots__ = ("_connection", "_pool", "_seen_as")

    def __init__(self, pool: Pool, seen_as: Callable[[Connection], Lent]) -> None:
        self._pool = pool
        self._seen_as = seen_as

    async def __aenter__(self) -> Lent:
        try:
            self._connection = await self._pool.take()
        except Exception as error:
            if is_lost(error):
                raise unavailable(error) from error
            raise
        return self._seen_as(self._connection)

    async def __aexit__(self, _: object, error: BaseException | None, __: object) -> None:
        self._pool.give_back(self._connection, error)
        if error is not None and is_lost(error):
            raise unavailable(error) from error


class Database:
    """A pool of connections to PostgreSQL and the key ring of what is sealed in it."""

    def __init__(self, pool: Pool, key_ring: KeyRing, options: PoolOptions) -> None:
        self._pool = pool
        self._options = options
        self.key_ring = key_ring

    def connection(self) -> Lending[Connection]:
        """Lend a connection outside a transaction."""
        return Lending(self._pool, _itself)

    @asynccontextmanager
    async def transaction(self) -> AsyncIterator[Connection]:
        """Lend a connection inside a transaction of its own."""
        async with self.connection() as connection, connection.transaction():
            yield connection

    @asynccontextmanager
    async def tenant(self, subscription_id: UUID) -> AsyncIterator[Tenant]:
        """Open a transaction on behalf of one subscription."""
        async with self.transaction() as connection:
            yield Tenant(connection, subscription_id, self.key_ring)

    def autocommit(self, subscription_id: UUID) -> Lending[Tenant]:
        """Act on behalf of one subscription, each statement a transaction by itself."""
        return Lending(self._pool, lambda connection: Tenant(connection, subscription_id, self.key_ring))

    @asynccontextmanager
    async def snapshot(self, subscription_id: UUID) -> AsyncIterator[Tenant]:
        """Read on behalf of one subscription, everything as of one instant."""
        async with (
            self.connection() as connection,
            connection.transaction(isolation="repeatable_read", readonly=True),
        ):
            yield Tenant(connection, subscription_id, self.key_ring)

    def steps_of(self, lease: Lease) -> Lending[IssuingSteps]:
        """Advance a document; each step is a statement, and so a transaction, of its own."""
        return Lending(self._pool, lambda connection: IssuingSteps(connection, lease))

    def filing_of(self, lease: Lease) -> Lending[FilingSteps]:
        """Advance a statement; each step is a statement of SQL, and so a transaction, of its own."""
        return Lending(self._pool, lambda connection: FilingSteps(connection, lease))

    async def close(self) -> None:
        """Close politely; a database that does not answer must not keep us from ending."""
        try:
            async with asyncio.timeout(self._options.connect_seconds):
                await self._pool.close()
        except TimeoutError:
            self._pool.terminate()


@asynccontextmanager
async def open_database(
    url: str, key_ring: KeyRing, options: PoolOptions = DEFAULT_OPTIONS
) -> AsyncIterator[Database]:
    """Connect, and close when done."""

    async def connect() -> "asyncpg.Connection[Any]":
        connection = await asyncpg.connect(
            url, timeout=options.connect_seconds, command_timeout=options.command_seconds
        )
        try:
            await connection.set_type_codec(
                "jsonb", encoder=_to_json, decoder=json.loads, schema="pg_catalog"
            )
        except BaseException:
            connection.terminate()
            raise
        return connection

    pool = Pool(connect, options.size, options.command_seconds, options.connect_seconds)
    database = Database(pool, key_ring, options)
    with connecting():
        async with database.connection():
            pass
    try:
        yield database
    finally:
        await database.close()


def _itself(connection: Connection) -> Connection:
    return connection


def _to_json(value: Any) -> str:
    """Encode a value of ours, never a bare string; text is JSON already, from PgQueuer on our connection."""
    return value if isinstance(value, str) else json.dumps(value)
