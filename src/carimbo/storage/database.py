"""The database as use cases see it: transactions whose repositories see one subscription's rows only."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Generic, TypeVar
from uuid import UUID

import asyncpg

from carimbo.storage.actors import Actor
from carimbo.storage.archive import Archive
from carimbo.storage.audit import Audit
from carimbo.storage.catalog import Catalog
from carimbo.storage.certificates import Certificates
from carimbo.storage.companies import Companies
from carimbo.storage.connection import (
    Connection,
    DatabaseUnavailable,
    connect,
    connecting,
    is_lost,
    unavailable_or_cancelled,
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
from carimbo.storage.export_schedules import ExportSchedules
from carimbo.storage.exports import Exports
from carimbo.storage.filings import FilingSteps
from carimbo.storage.form_drafts import FormDrafts
from carimbo.storage.identifiers import NIL
from carimbo.storage.imports import Imports
from carimbo.storage.inutilizations import Inutilizations
from carimbo.storage.issuing import IssuingSteps
from carimbo.storage.manifestations import Manifestations
from carimbo.storage.memberships import Memberships
from carimbo.storage.monthly_documents import MonthlyDocuments
from carimbo.storage.numbering import Numberings, NumberSequences
from carimbo.storage.open_documents import OpenDocuments
from carimbo.storage.options import DEFAULT_OPTIONS, PoolOptions
from carimbo.storage.order_keys import OrderKeys
from carimbo.storage.pool import Pool
from carimbo.storage.products import Products
from carimbo.storage.received import ReceivedDocuments
from carimbo.storage.receptions import Receptions
from carimbo.storage.sales import Sales
from carimbo.storage.secrets import Secrets
from carimbo.storage.state_registrations import StateRegistrations
from carimbo.storage.stream_steps import StreamSteps
from carimbo.storage.subscriptions import Allowances
from carimbo.storage.superseded_attempts import SupersededAttempts
from carimbo.storage.webhooks import Webhooks
from carimbo.storage.work import Lease

__all__ = ["Database", "DatabaseUnavailable", "PoolOptions", "Tenant"]

View = TypeVar("View")


@dataclass(frozen=True)
class Tenant:
    """The repositories of one subscription on one connection, nearly always in a transaction."""

    connection: Connection
    subscription_id: UUID
    key_ring: KeyRing
    actor: Actor | None = None
    """The actor who uses them; None in programs that only read."""

    @cached_property
    def allowances(self) -> Allowances:
        return Allowances(self.connection, self.subscription_id)

    @cached_property
    def archive(self) -> Archive:
        return Archive(self.connection, self.subscription_id)

    @cached_property
    def audit(self) -> Audit:
        return Audit(self.connection, self.subscription_id, self.actor)

    @property
    def installation_audit(self) -> Audit:
        """The audit of the installation, for what its operator should see as well."""
        return Audit(self.connection, NIL, self.actor)

    @cached_property
    def catalog(self) -> Catalog:
        return Catalog(self.connection, self.subscription_id)

    @cached_property
    def open_documents(self) -> OpenDocuments:
        return OpenDocuments(self.connection, self.subscription_id)

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
        return DocumentEvents(self.connection, self.subscription_id, self.actor)

    @cached_property
    def documents(self) -> Documents:
        return Documents(self.connection, self.subscription_id, self.actor)

    @cached_property
    def emails(self) -> Emails:
        return Emails(self.connection, self.subscription_id)

    @cached_property
    def emissions(self) -> Emissions:
        return Emissions(self.connection, self.subscription_id)

    @cached_property
    def event_filings(self) -> EventFilings:
        return EventFilings(self.connection, self.subscription_id, self.actor)

    @cached_property
    def events(self) -> Events:
        return Events(self.connection, self.subscription_id)

    @cached_property
    def export_schedules(self) -> ExportSchedules:
        return ExportSchedules(self.connection, self.subscription_id, self.actor)

    @cached_property
    def exports(self) -> Exports:
        return Exports(self.connection, self.subscription_id, self.actor)

    @cached_property
    def form_drafts(self) -> FormDrafts:
        return FormDrafts(self.connection, self.subscription_id)

    @cached_property
    def imports(self) -> Imports:
        return Imports(self.connection, self.subscription_id, self.actor)

    @cached_property
    def inutilizations(self) -> Inutilizations:
        return Inutilizations(self.connection, self.subscription_id, self.actor)

    @cached_property
    def manifestations(self) -> Manifestations:
        return Manifestations(self.connection, self.subscription_id, self.actor)

    @cached_property
    def memberships(self) -> Memberships:
        return Memberships(self.connection, self.subscription_id)

    @cached_property
    def monthly_documents(self) -> MonthlyDocuments:
        return MonthlyDocuments(self.connection, self.subscription_id)

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
    def received(self) -> ReceivedDocuments:
        return ReceivedDocuments(self.connection, self.subscription_id)

    @cached_property
    def receptions(self) -> Receptions:
        return Receptions(self.connection, self.subscription_id)

    @cached_property
    def sales(self) -> Sales:
        return Sales(self.connection, self.subscription_id, self.actor)

    @cached_property
    def secrets(self) -> Secrets:
        return Secrets(self.connection, self.subscription_id, self.key_ring)

    @cached_property
    def state_registrations(self) -> StateRegistrations:
        return StateRegistrations(self.connection, self.subscription_id)

    @cached_property
    def superseded_attempts(self) -> SupersededAttempts:
        return SupersededAttempts(self.connection, self.subscription_id)

    @cached_property
    def webhooks(self) -> Webhooks:
        return Webhooks(self.connection, self.subscription_id)


class ConnectionContext(Generic[View]):
    """Takes a connection from the pool while a block runs; the block gets the result of `view`."""

    __slots__ = ("_connection", "_pool", "_view")

    def __init__(self, pool: Pool, view: Callable[[Connection], View]) -> None:
        self._pool = pool
        self._view = view

    async def __aenter__(self) -> View:
        try:
            self._connection = await self._pool.take()
        except Exception as error:
            if is_lost(error):
                raise unavailable_or_cancelled(error) from error
            raise
        return self._view(self._connection)

    async def __aexit__(self, _: object, error: BaseException | None, __: object) -> None:
        self._pool.give_back(self._connection, error)
        if error is not None and is_lost(error):
            raise unavailable_or_cancelled(error) from error


class Database:
    """A pool of connections to PostgreSQL, and the key ring of the secrets in it."""

    def __init__(
        self, pool: Pool, key_ring: KeyRing, options: PoolOptions, actor: Actor | None = None
    ) -> None:
        self._pool = pool
        self._options = options
        self.key_ring = key_ring
        self.actor = actor

    def acting_as(self, actor: Actor) -> "Database":
        """Returns the same database, used by an actor: all that it stores names them."""
        return Database(self._pool, self.key_ring, self._options, actor)

    def connection(self) -> ConnectionContext[Connection]:
        """Gives a connection outside a transaction."""
        return ConnectionContext(self._pool, lambda connection: connection)

    @asynccontextmanager
    async def transaction(self) -> AsyncIterator[Connection]:
        """Gives a connection inside a new transaction."""
        async with self.connection() as connection, connection.transaction():
            yield connection

    @asynccontextmanager
    async def tenant(self, subscription_id: UUID) -> AsyncIterator[Tenant]:
        """Gives the repositories of one subscription inside a new transaction."""
        async with self.transaction() as connection:
            yield Tenant(connection, subscription_id, self.key_ring, self.actor)

    def autocommit(self, subscription_id: UUID) -> ConnectionContext[Tenant]:
        """Gives the repositories of one subscription; each statement is a transaction by itself."""
        return ConnectionContext(
            self._pool, lambda connection: Tenant(connection, subscription_id, self.key_ring, self.actor)
        )

    @asynccontextmanager
    async def snapshot(self, subscription_id: UUID) -> AsyncIterator[Tenant]:
        """Gives the repositories of one subscription for reading, all as of the same instant."""
        async with (
            self.connection() as connection,
            connection.transaction(isolation="repeatable_read", readonly=True),
        ):
            yield Tenant(connection, subscription_id, self.key_ring, self.actor)

    def steps_of(self, lease: Lease) -> ConnectionContext[IssuingSteps]:
        """Gives the steps of a document; each step is one statement and one transaction."""
        return ConnectionContext(self._pool, lambda connection: IssuingSteps(connection, lease))

    def filing_steps(self, lease: Lease) -> ConnectionContext[FilingSteps]:
        """Gives the steps of a filing; each step is one statement and one transaction."""
        return ConnectionContext(self._pool, lambda connection: FilingSteps(connection, lease))

    def stream_steps(self, lease: Lease) -> ConnectionContext[StreamSteps]:
        """Gives the steps of a stream; each step is one statement and one transaction."""
        return ConnectionContext(self._pool, lambda connection: StreamSteps(connection, lease))

    async def close(self) -> None:
        """Closes all connections; drops them if the database does not answer in time."""
        try:
            async with asyncio.timeout(self._options.connect_seconds):
                await self._pool.close()
        except TimeoutError:
            self._pool.terminate()


@asynccontextmanager
async def open_database(
    url: str, key_ring: KeyRing, options: PoolOptions = DEFAULT_OPTIONS
) -> AsyncIterator[Database]:
    """Opens the database and closes it when the block ends. Raises DatabaseUnavailable."""

    async def connect_with_codecs() -> "asyncpg.Connection[Any]":
        connection = await connect(url, options.name, options.connect_seconds, options.command_seconds)
        try:
            await connection.set_type_codec(
                "jsonb", encoder=json.dumps, decoder=json.loads, schema="pg_catalog"
            )
        except BaseException:
            connection.terminate()
            raise
        return connection

    pool = Pool(connect_with_codecs, options.size, options.command_seconds, options.connect_seconds)
    database = Database(pool, key_ring, options)
    with connecting():
        async with database.connection():
            pass
    try:
        yield database
    finally:
        await database.close()
