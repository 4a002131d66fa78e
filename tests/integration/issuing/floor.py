"""Everything that issues, in one loop: API, worker, database and the authorities that judge.

Also the copies of a ready company, and a gate that holds requests to the simulator back.
"""

import asyncio
from collections.abc import AsyncIterator, Iterable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any
from uuid import UUID

import asyncpg
import httpx2
import pytest
from fastapi import FastAPI

from carimbo.fiscal.registry import FEATURES
from carimbo.main.api import api_of
from carimbo.main.database import database_of
from carimbo.main.outbound import deliver_forever
from carimbo.main.worker import advancer_of, means_of
from carimbo.service.access import Gatekeeper
from carimbo.service.contexts import WorkerContext
from carimbo.service.subscriptions import create_subscription
from carimbo.settings import Settings, load_settings
from carimbo.simulator.http import HungUp, Reply
from carimbo.simulator.run import Simulator
from carimbo.simulator.site import Site
from carimbo.storage.database import Database
from carimbo.storage.identifiers import new_id
from carimbo.storage.work import TABLES, WorkKind
from carimbo.worker.advance import Advancer
from carimbo.worker.run import run_worker
from support import BASE_URL, PATIENCE, Caller, until_it_holds

# Short waits, but for that of callers, which ends as soon as there is an outcome. How long each is in earnest
# is a matter of settings too.
QUICK = {
    "AUTHORITY_RETRY_FIRST_SECONDS": "0.05",
    "AUTHORITY_RETRY_LONGEST_SECONDS": "2",
    "RETRY_FIRST_SECONDS": "0.05",
    "ATTEMPTS_BEFORE_PARKING": "3",
    "EVENT_WAIT_SECONDS": "20",
    "WORKER_POLL_SECONDS": "0.2",
    "SWEEP_SECONDS": "1",
    "WEBHOOK_ALLOWED_HOSTS": "127.0.0.1",
    "WEBHOOK_SECONDS": "3",
    "WEBHOOK_RETRY_SECONDS": "0.3,0.4,0.5,0.6,0.7",
}

_GIVE_UP = "with {} select".format(
    ", ".join(
        f"{kind} as (update {TABLES[kind]} set next_action_at = null, lease_until = null,"
        " lease_token = lease_token + 1 where company_id = any ($1) and next_action_at is not null)"
        for kind in (WorkKind.DOCUMENT, WorkKind.EVENT, WorkKind.INUTILIZATION, WorkKind.STRAY)
    )
)
_OWNER, _COMPANY, _TAX_ID = "$2::uuid", "$3::uuid", "$4::text"


# asyncio writes out what a fixture returns, floor and all, whenever the next loop begins to run.
@dataclass(eq=False, repr=False)
class Floor:
    """The API over a database of its own, a worker that can be stopped, and the simulator, if one judges."""

    settings: Settings
    _simulator: Simulator | None
    app: FastAPI
    means: WorkerContext
    advancer: Advancer
    templates: "dict[tuple[Any, ...], Template]" = field(default_factory=dict)
    """Companies that others are copies of, by certificate and settings."""
    _stop: asyncio.Event = field(default_factory=asyncio.Event)
    _worker: "asyncio.Task[None] | None" = None

    @property
    def simulator(self) -> Simulator:
        """The simulator that judges documents of the real types."""
        assert self._simulator is not None, "no simulator runs on this floor"
        return self._simulator

    @property
    def database(self) -> Database:
        found: Database = self.app.state.services.database
        return found

    async def new_caller(self, plan: str = "unlimited", features: Iterable[str] = FEATURES) -> Caller:
        """A subscription with a client that carries its credentials."""
        gatekeeper: Gatekeeper = self.app.state.services.gatekeeper
        created = await create_subscription(gatekeeper, "Teste", plan, features)
        headers = {"X-Api-Key": str(created.subscription_id), "X-Api-Secret": created.secret}
        return Caller(self.client(headers), created.subscription_id, created.secret)

    def client(self, headers: dict[str, str]) -> httpx2.AsyncClient:
        """A client of the API; it holds nothing that would have to be closed."""
        transport = httpx2.ASGITransport(app=self.app, raise_app_exceptions=True)
        return httpx2.AsyncClient(transport=transport, base_url=BASE_URL, headers=headers)

    async def fetch(self, query: str, *arguments: Any) -> list[asyncpg.Record]:
        async with self.database.connection() as connection:
            return await connection.fetch(query, *arguments)

    async def until(self, condition: str) -> None:
        """Wait until an SQL condition holds."""
        await until_it_holds(self.fetch, condition, PATIENCE)

    async def switch(self, **controls: Any) -> None:
        """Change the simulator's switches; null puts back what nobody has touched."""
        async with httpx2.AsyncClient(base_url=self.simulator.control_url) as client:
            answer = await client.patch("/controls", json=controls)
            assert answer.status_code == 200, answer.text

    async def journal(self, key: str) -> list[dict[str, Any]]:
        """What the simulator was really sent about a document."""
        async with httpx2.AsyncClient(base_url=self.simulator.control_url) as client:
            return list((await client.get("/journal", params={"key": key})).json())

    async def give_up(self, companies: Iterable[str]) -> None:
        """Ends the work of companies that is left when their test is over: it would be tried for ever."""
        await self.fetch(_GIVE_UP, [UUID(company) for company in companies])

    @asynccontextmanager
    async def standstill(self) -> AsyncIterator[None]:
        """No worker for the length of a block: what is accepted stays as it is."""
        await self.end_work()
        try:
            yield
        finally:
            self.begin_work()

    def begin_work(self) -> None:
        self._stop = asyncio.Event()
        self._worker = asyncio.create_task(_work(self, self._stop))

    async def end_work(self) -> None:
        self._stop.set()
        assert self._worker is not None
        await asyncio.wait_for(self._worker, PATIENCE)


async def _work(floor: Floor, stop: asyncio.Event) -> None:
    """The worker as the program runs it, but for its signals."""
    settings = floor.settings
    await run_worker(
        settings.database_url.get_secret_value(),
        floor.advancer,
        settings.queue_options,
        sweep_every=timedelta(seconds=settings.sweep_seconds),
        keep_history=timedelta(days=settings.queue_history_days),
        reconnect_after=timedelta(seconds=settings.worker_reconnect_seconds),
        stop=stop,
        chores=[deliver_forever(settings)],
    )


@asynccontextmanager
async def open_floor(
    url: str, secret_keys: str, simulator: Simulator | None, **special: str
) -> AsyncIterator[Floor]:
    """Start everything but the worker on a migrated database, and stop it again."""
    named = {"DATABASE_URL": url, "SECRET_KEYS": secret_keys, **_place_of(simulator)}
    settings = load_settings({f"CARIMBO_{name}": value for name, value in (QUICK | named | special).items()})
    app = api_of(settings)
    async with (
        app.router.lifespan_context(app),
        database_of(settings) as database,
        means_of(settings, database) as means,
    ):
        yield Floor(settings, simulator, app, means, advancer_of(settings, means))


def _place_of(simulator: Simulator | None) -> dict[str, str]:
    """Returns the settings by which the simulator is found, if one judges."""
    if simulator is None:
        return {}
    return {"SIMULATOR_URL": simulator.url, "AUTHORITY_CA_FILE": str(simulator.certificates.ca_file)}


def _rows_copied(table: str, company: str, **changes: str) -> str:
    """Returns SQL that copies the rows of a company; columns without a change keep their values."""
    changed = ", ".join(f"'{column}', {value}" for column, value in changes.items())
    return f"""
        insert into {table} select copy.* from {table} as original,
            jsonb_populate_record(original, jsonb_build_object({changed})) as copy
        where original.{company} = $1
    """


_COMPANIES = _rows_copied(
    "companies", "id",
    subscription_id=_OWNER, id=_COMPANY, tax_id=_TAX_ID, created_at="now()", updated_at="now()",
)  # fmt: skip
_REGISTRATIONS = _rows_copied(
    "state_registrations", "company_id",
    subscription_id=_OWNER, company_id=_COMPANY, id="gen_random_uuid()", created_at="now()",
)  # fmt: skip
_CERTIFICATES = _rows_copied(
    "certificates", "company_id", subscription_id=_OWNER, company_id=_COMPANY, uploaded_at="now()"
)
_COPY = f"with company as ({_COMPANIES}), registrations as ({_REGISTRATIONS}) {_CERTIFICATES}"


@dataclass(frozen=True)
class Template:
    """A company that copies are made of."""

    company_id: UUID
    secrets: Mapping[str, bytes] = field(repr=False)
    """By name. They are sealed anew for every copy: a sealed secret opens only for its own company."""

    @classmethod
    async def of(cls, database: Database, subscription_id: UUID, company_id: UUID) -> "Template":
        """Reads a company that is ready and has no documents."""
        async with database.tenant(subscription_id) as tenant:
            return cls(company_id, await tenant.secrets.all(company_id))

    async def copy(self, database: Database, subscription_id: UUID, tax_id: str) -> UUID:
        """Gives a subscription a company like this one, and returns its id."""
        company_id = new_id()
        async with database.tenant(subscription_id) as tenant:
            await tenant.connection.execute(_COPY, self.company_id, subscription_id, company_id, tax_id)
            for name, secret in self.secrets.items():
                await tenant.secrets.put(company_id, name, secret)
        return company_id


@dataclass(frozen=True)
class Gate:
    """Holds requests back until it is opened."""

    arrived: "asyncio.Queue[str]" = field(default_factory=asyncio.Queue)
    """The addresses of what has come so far."""
    opened: asyncio.Event = field(default_factory=asyncio.Event)

    async def until_arrived(self, requests: int) -> None:
        """Wait for some more requests."""
        async with asyncio.timeout(PATIENCE):
            for _ in range(requests):
                await self.arrived.get()


@asynccontextmanager
async def gate_before(*paths: str) -> AsyncIterator[Gate]:
    """Put a gate before services for the length of a block."""
    gate, answer_at_once = Gate(), Site._answer_call

    async def answer(site: Site, family: Any, arrival: Any) -> Reply | HungUp:
        if arrival.request.path in paths:
            gate.arrived.put_nowait(arrival.request.path)
            await gate.opened.wait()
        return await answer_at_once(site, family, arrival)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Site, "_answer_call", answer)
        try:
            yield gate
        finally:
            gate.opened.set()
