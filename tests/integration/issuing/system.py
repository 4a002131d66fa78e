"""The system under test in one event loop: API, worker, database and simulated authorities.

Also copies of a ready company, and a gate that holds back requests to the simulator.
"""

import asyncio
from collections.abc import AsyncIterator, Iterable, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
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
from carimbo.main.worker import advancer_of, work_loop_of, worker_context_of
from carimbo.service.access import Authenticator
from carimbo.service.contexts import WorkerContext
from carimbo.service.subscriptions import create_subscription
from carimbo.settings import Settings, load_settings
from carimbo.simulator.http import ConnectionClosed, Reply
from carimbo.simulator.program.run import Simulator
from carimbo.simulator.program.site import Site
from carimbo.storage.database import Database
from carimbo.storage.identifiers import new_id
from carimbo.storage.work import TABLES, WorkKind
from carimbo.worker.advance import Advancer
from carimbo.worker.run import run_worker
from support import BASE_URL, TIMEOUT_SECONDS, Caller, wait_until_true

# Short waits, except EVENT_WAIT_SECONDS, which ends as soon as there is an outcome. Production sets its own
# values in the settings.
QUICK = {
    "AUTHORITY_RETRY_FIRST_SECONDS": "0.05",
    "AUTHORITY_RETRY_LONGEST_SECONDS": "2",
    "RETRY_FIRST_SECONDS": "0.05",
    "ATTEMPTS_BEFORE_PARKING": "3",
    "EVENT_WAIT_SECONDS": "20",
    "WORKER_POLL_SECONDS": "0.2",
    "WEBHOOK_ALLOWED_HOSTS": "127.0.0.1",
    "WEBHOOK_SECONDS": "3",
    "WEBHOOK_RETRY_SECONDS": "0.3,0.4,0.5,0.6,0.7",
}

_GIVE_UP = "with {} select".format(
    ", ".join(
        f"{kind} as (update {TABLES[kind]} set next_action_at = null, lease_until = null,"
        " lease_token = lease_token + 1 where company_id = any ($1) and next_action_at is not null)"
        for kind in (WorkKind.DOCUMENT, WorkKind.EVENT, WorkKind.INUTILIZATION, WorkKind.SUPERSEDED)
    )
)
_OWNER, _COMPANY, _TAX_ID = "$2::uuid", "$3::uuid", "$4::text"


# No repr: asyncio logs the result of a fixture's task, with everything it holds, when the next loop starts.
@dataclass(eq=False, repr=False)
class System:
    """An API with its own database, a worker that can be stopped, and an optional simulator."""

    settings: Settings
    _simulator: Simulator | None
    app: FastAPI
    context: WorkerContext
    advancer: Advancer
    templates: "dict[tuple[Any, ...], Template]" = field(default_factory=dict)
    """Companies that are copied, by certificate and settings."""
    _worker: "asyncio.Task[None] | None" = None

    @property
    def simulator(self) -> Simulator:
        """The simulator of the authorities of the real document types."""
        assert self._simulator is not None, "no simulator runs on this floor"
        return self._simulator

    @property
    def database(self) -> Database:
        database: Database = self.app.state.services.database
        return database

    async def new_caller(self, plan: str = "unlimited", features: Iterable[str] = FEATURES) -> Caller:
        """Returns a new subscription, with a client that sends its credentials."""
        authenticator: Authenticator = self.app.state.services.authenticator
        created = await create_subscription(authenticator, "Teste", plan, features)
        headers = {"X-Api-Key": str(created.subscription_id), "X-Api-Secret": created.secret}
        return Caller(self.client(headers), created.subscription_id, created.secret)

    def client(self, headers: dict[str, str]) -> httpx2.AsyncClient:
        """Returns a client of the API; it needs no closing."""
        transport = httpx2.ASGITransport(app=self.app, raise_app_exceptions=True)
        return httpx2.AsyncClient(transport=transport, base_url=BASE_URL, headers=headers)

    async def fetch(self, query: str, *arguments: Any) -> list[asyncpg.Record]:
        async with self.database.connection() as connection:
            return await connection.fetch(query, *arguments)

    async def until(self, condition: str) -> None:
        """Wait until an SQL condition holds."""
        await wait_until_true(self.fetch, condition, TIMEOUT_SECONDS)

    async def switch(self, **controls: Any) -> None:
        """Changes the simulator's switches; None restores the default."""
        async with httpx2.AsyncClient(base_url=self.simulator.control_url) as client:
            answer = await client.patch("/controls", json=controls)
            assert answer.status_code == 200, answer.text

    async def journal(self, key: str) -> list[dict[str, Any]]:
        """Returns the requests that the simulator received about a document."""
        async with httpx2.AsyncClient(base_url=self.simulator.control_url) as client:
            return list((await client.get("/journal", params={"key": key})).json())

    async def give_up(self, companies: Iterable[str]) -> None:
        """Ends the pending work of companies after their test: otherwise it is retried for ever."""
        await self.fetch(_GIVE_UP, [UUID(company) for company in companies])

    @asynccontextmanager
    async def worker_stopped(self) -> AsyncIterator[None]:
        """Stops the worker for the length of a block: accepted documents stay as they are."""
        await self.stop_worker()
        try:
            yield
        finally:
            self.start_worker()

    def start_worker(self) -> None:
        self._worker = asyncio.create_task(_work(self))

    async def stop_worker(self) -> None:
        """Stops the worker; it finishes its running work first."""
        assert self._worker is not None
        self._worker.cancel()
        stopped, _ = await asyncio.wait({self._worker}, timeout=TIMEOUT_SECONDS)
        assert stopped, "the worker does not stop"
        with suppress(asyncio.CancelledError):
            self._worker.result()


async def _work(system: System) -> None:
    """Runs the worker as the program does, without signal handlers."""
    settings = system.settings
    await run_worker(work_loop_of(settings, system.advancer), [deliver_forever(settings)])


@asynccontextmanager
async def open_system(
    url: str, secret_keys: str, simulator: Simulator | None, **special: str
) -> AsyncIterator[System]:
    """Starts everything except the worker on a migrated database, and stops it at the end."""
    named = {"DATABASE_URL": url, "SECRET_KEYS": secret_keys, **_simulator_settings(simulator)}
    settings = load_settings({f"CARIMBO_{name}": value for name, value in (QUICK | named | special).items()})
    app = api_of(settings)
    async with (
        app.router.lifespan_context(app),
        database_of(settings) as database,
        worker_context_of(settings, database) as context,
    ):
        yield System(settings, simulator, app, context, advancer_of(settings, context))


def _simulator_settings(simulator: Simulator | None) -> dict[str, str]:
    """Returns the settings that point to the simulator, if there is one."""
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
    """A company that others are copied from."""

    company_id: UUID
    secrets: Mapping[str, bytes] = field(repr=False)
    """By name. They are encrypted again for each copy: an encrypted secret is bound to its company."""

    @classmethod
    async def of(cls, database: Database, subscription_id: UUID, company_id: UUID) -> "Template":
        """Reads a ready company without documents."""
        async with database.tenant(subscription_id) as tenant:
            return cls(company_id, await tenant.secrets.all(company_id))

    async def copy(self, database: Database, subscription_id: UUID, tax_id: str) -> UUID:
        """Creates a copy of this company in a subscription, and returns its id."""
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
    """The paths of the requests that have arrived."""
    opened: asyncio.Event = field(default_factory=asyncio.Event)

    async def until_arrived(self, requests: int) -> None:
        """Waits for more requests."""
        async with asyncio.timeout(TIMEOUT_SECONDS):
            for _ in range(requests):
                await self.arrived.get()


@asynccontextmanager
async def gate_before(*paths: str) -> AsyncIterator[Gate]:
    """Holds back requests to these paths until the gate opens or the block ends."""
    gate, answer_at_once = Gate(), Site._answer_call

    async def answer(site: Site, family: Any, arrival: Any) -> Reply | ConnectionClosed:
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
