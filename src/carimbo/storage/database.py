"""The connection pool and what a use case gets from it: one transaction, scoped to one subscription."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import cached_property
from typing import Any
from uuid import UUID

import asyncpg

from carimbo.storage.allowances import Allowances
from carimbo.storage.archive import Archive
from carimbo.storage.certificates import Certificates
from carimbo.storage.companies import Companies
from carimbo.storage.connection import Connection, DatabaseUnavailable, connecting, unavailable_is_told
from carimbo.storage.credentials import Credentials
from carimbo.storage.document_events import DocumentEvents
from carimbo.storage.documents import Documents
from carimbo.storage.emissions import Emissions
from carimbo.storage.envelope import KeyRing
from carimbo.storage.issuing import IssuingSteps
from carimbo.storage.number_sequences import NumberSequences
from carimbo.storage.secrets import Secrets
from carimbo.storage.state_registrations import StateRegistrations
from carimbo.storage.work import Lease

__all__ = ["Database", "DatabaseUnavailable", "Tenant"]


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
    def certificates(self) -> Certificates:
        return Certificates(self.connection, self.subscription_id)

    @cached_property
    def companies(self) -> Companies:
        return Companies(self.connection, self.subscription_id)

    @cached_property
    def credentials(self) -> Credentials:
        return Credentials(self.connection, self.subscription_id)

    @cached_property
    def document_events(self) -> DocumentEvents:
        return DocumentEvents(self.connection, self.subscription_id)

    @cached_property
    def documents(self) -> Documents:
        return Documents(self.connection, self.subscription_id)

    @cached_property
    def emissions(self) -> Emissions:
        return Emissions(self.connection, self.subscription_id)

    @cached_property
    def number_sequences(self) -> NumberSequences:
        return NumberSequences(self.connection, self.subscription_id)

    @cached_property
    def secrets(self) -> Secrets:
        return Secrets(self.connection, self.subscription_id, self.key_ring)

    @cached_property
    def state_registrations(self) -> StateRegistrations:
        return StateRegistrations(self.connection, self.subscription_id)


@dataclass(frozen=True)
class PoolOptions:
    """How many connections one process may hold, and how long it waits for the database."""

    size: int = 10
    connect_seconds: float = 5
    command_seconds: float = 30


DEFAULT_OPTIONS = PoolOptions()


class Database:
    """A pool of connections to PostgreSQL and the key ring of what is sealed in it."""

    def __init__(self, pool: "asyncpg.Pool[asyncpg.Record]", key_ring: KeyRing, options: PoolOptions) -> None:
        self._pool = pool
        self._options = options
        self.key_ring = key_ring

    @asynccontextmanager
    async def connection(self) -> AsyncIterator[Connection]:
        """Lend a connection outside a transaction."""
        with unavailable_is_told():
            async with self._pool.acquire(timeout=self._options.connect_seconds) as connection:
                yield connection

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

    @asynccontextmanager
    async def reader(self, subscription_id: UUID) -> AsyncIterator[Tenant]:
        """Read on behalf of one subscription, each statement by itself."""
        async with self.connection() as connection:
            yield Tenant(connection, subscription_id, self.key_ring)

    @asynccontextmanager
    async def snapshot(self, subscription_id: UUID) -> AsyncIterator[Tenant]:
        """Read on behalf of one subscription, everything as of one instant."""
        async with (
            self.connection() as connection,
            connection.transaction(isolation="repeatable_read", readonly=True),
        ):
            yield Tenant(connection, subscription_id, self.key_ring)

    @asynccontextmanager
    async def steps_of(self, lease: Lease) -> AsyncIterator[IssuingSteps]:
        """Advance a document; each step is a statement, and so a transaction, of its own."""
        async with self.connection() as connection:
            yield IssuingSteps(connection, lease)

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
    with connecting():
        pool = await asyncpg.create_pool(
            url,
            min_size=1,
            max_size=options.size,
            timeout=options.connect_seconds,
            command_timeout=options.command_seconds,
            init=_prepare_connection,
            reset=_nothing_to_reset,
        )
    database = Database(pool, key_ring, options)
    try:
        yield database
    finally:
        await database.close()


async def _prepare_connection(connection: "asyncpg.Connection[Any]") -> None:
    await connection.set_type_codec("jsonb", encoder=_to_json, decoder=json.loads, schema="pg_catalog")


async def _nothing_to_reset(_: "asyncpg.Connection[Any]") -> None:
    """Spare a round trip: nothing of ours sets or locks anything that outlives its transaction."""


def _to_json(value: Any) -> str:
    """Encode a value of ours, never a bare string; text is JSON already, from PgQueuer on our connection."""
    return value if isinstance(value, str) else json.dumps(value)
