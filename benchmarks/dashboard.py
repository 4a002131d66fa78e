"""The first page of the dashboard over a full database: what needs attention, and the figures of today.

`python benchmarks/dashboard.py` reads both for eight companies, by turns from a database with 1,000 documents
of a year and from one with 100,000 (`--documents` makes it another number). The last weeks have the same
problems in both. Then it signs a person in and opens the whole page by HTTP. It prints the medians and their
ratio.
"""

import argparse
import asyncio
import sys
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

import asyncpg
import httpx2
from fastapi import FastAPI

from carimbo.logs import configure_logs
from carimbo.main.api import api_of
from carimbo.service.companies.company_bodies import NewCompany
from carimbo.service.companies.registration import create_company
from carimbo.service.companies.state_registrations import NewStateRegistration, add_state_registration
from carimbo.service.overview.attention import read_attention
from carimbo.service.overview.figures import read_figures
from carimbo.service.overview.items import Attention
from carimbo.service.people.context import Visitor
from carimbo.service.people.roles import MemberRole
from carimbo.service.people.sessions import SignInMethod, start_session
from carimbo.service.services import Services
from carimbo.service.subscriptions import create_subscription
from carimbo.settings import load_settings
from carimbo.storage.certificates import CertificateSummary
from carimbo.storage.companies import CompanyRow
from carimbo.storage.envelope import new_key
from carimbo.storage.identifiers import NIL, new_id
from carimbo.storage.people import People
from growth import race
from installation import Server, new_database, running_server
from report import tell, tell_origin

MAX_RATIO = 1.5
BARRED = ("both", "page")
# CNPJs with right check digits.
_TAX_IDS = (
    "11222333000181", "11222333000262", "11222333000343", "11222333000424", "11222333000505",
    "11222333000696", "11222333000777", "11222333000858",
)  # fmt: skip
_COMPANY: dict[str, Any] = {
    "legalName": "Loja Modelo Ltda",
    "address": {
        "zipcode": "01310100", "street": "Avenida Paulista", "number": "1000",
        "district": "Bela Vista", "city": "São Paulo", "state": "SP",
    },
    "taxRegime": "simples",
    "municipalRegistration": "12345678",
}  # fmt: skip
# Triggers would count documents one by one, and look up every reference.
_UNCHECKED = "set local session_replication_role = replica"
# A year of documents. Of the last sixty days, only the problems after them are rejected.
_PLAN = """
    create temporary table plan on commit drop as
    select subscription_id, company_ids[1 + position % 8] as company_id, gen_random_uuid() as id, documents.*
    from (
        select position, moment, case when position % 5 = 0 then 'nfse' else 'nfe' end as type,
            case when position % 100 in (1, 2) then 'canceled'
                when position % 100 = 0 and moment < now() - interval '60 days' then 'rejected'
                else 'authorized' end as status
        from generate_series(1, $1) as position,
            lateral (select now() - interval '365 days' * ($1 - position) / $1 as moment) as age
        union all
        select $1 + problem, now() - interval '12 hours' * problem, 'nfe',
            case when problem % 4 = 0 then 'processing' else 'rejected' end
        from generate_series(1, 60) as problem
        union all
        select $1 + 60 + problem, now() - interval '3 days' * problem, 'mdfe', 'authorized'
        from generate_series(1, 6) as problem
    ) as documents, (
        select subscription_id, array_agg(id order by tax_id) as company_ids from companies group by 1
    ) as companies
"""
_DOCUMENTS = """
    insert into documents (subscription_id, company_id, id, type, environment, status, namespace, request,
        amount, reviewed_revision, reviewed_on, emission, is_urgent, created_at, updated_at, queued_at,
        first_queued_at, next_action_at, recipient_tax_id, recipient_name, rejection, facts)
    select subscription_id, company_id, id, type, 'production', status, 'invoices',
        jsonb_build_object('text', repeat('x', 600)), position % 1000, 1, moment::date, 1, false, moment,
        moment, moment, moment, case status when 'processing' then now() end,
        lpad((position % 5000)::text, 14, '0'), 'Cliente ' || position % 5000,
        case status when 'rejected' then jsonb_build_object(
            'code', (700 + position % 7)::text, 'message', 'Rejeição', 'hint', 'Confira o campo.'
        ) end,
        case type when 'mdfe' then jsonb_build_object('openSince', moment) else '{}' end
    from plan
"""
_EMISSIONS = """
    insert into emissions (subscription_id, document_id, ordinal, company_id, document_type, environment,
        series, number, numeric_code, emission_type, state, issued_at, access_key, authorized_at, answer_code,
        answer_message, answered_at)
    select subscription_id, id, 1, company_id, type, 'production', 1, position, '12345678', '1',
        case status when 'processing' then 'sent' else status end, moment, lpad(position::text, 44, '0'),
        case when status in ('authorized', 'canceled') then moment end, '100', 'Autorizado o uso', moment
    from plan
"""
# Several connections wrote them, each in its own shard.
_COUNTS = """
    insert into document_counts
    select subscription_id, company_id, type, status, position % 8, count(*) from plan group by 1, 2, 3, 4, 5
"""
_DAYS = """
    insert into document_days
    select subscription_id, company_id, document_day(moment, moment), 'production', type, status,
        position % 8, count(*), sum(position % 1000)
    from plan where status <> 'processing' group by 1, 2, 3, 4, 5, 6, 7
"""
_NUMBERS = """
    insert into number_sequences
    select subscription_id, company_id, type, 'production', 1, max(position) + 1 from plan group by 1, 2, 3
"""
_PARKED = """
    insert into event_filings (subscription_id, id, company_id, document_id, emission, type, sequence,
        request, next_action_at, parked_reason)
    select subscription_id, gen_random_uuid(), company_id, id, 1, 'cancellation', 1, '{}', null, 'falhou'
    from plan where position - $1 in (5, 10, 15)
"""
_RECEIVED = """
    insert into received_documents (subscription_id, id, company_id, service, type, environment, access_key,
        number, role, issuer_tax_id, issuer_name, amount, issued_at, authorized_at, situation, status,
        has_full_xml, source, respond_by)
    select c.subscription_id, gen_random_uuid(), c.id, 'nfe', 'nfe', 'production', lpad(day::text, 44, '0'),
        day, 'recipient', '12345678000195', 'Atacado Central Ltda', 100, moment, moment, 'authorized',
        'pending', true, 'distribution', moment + interval '180 days'
    from companies c, generate_series(1, 170) as day,
        lateral (select now() - interval '1 day' * (180 - day) as moment) as age
"""
# The name of the cookie without HTTPS.
_COOKIE = "carimbo-local"
_WEBHOOK = """
    insert into webhooks (subscription_id, id, url, events, topics, failing_since)
    select id, gen_random_uuid(), 'https://example.com/', '{}', '{}', now() from subscriptions
"""


@dataclass(frozen=True, slots=True)
class Side:
    """One of the two databases, with what reads it."""

    services: Services
    subscription_id: UUID
    companies: Sequence[CompanyRow]
    browser: httpx2.AsyncClient
    """With the session of the owner."""

    async def attention(self) -> float:
        """What needs a person now."""
        start = time.perf_counter()
        await self._attention()
        return time.perf_counter() - start

    async def figures(self) -> float:
        """The figures of today and of the last days."""
        start = time.perf_counter()
        await read_figures(self.services, self.subscription_id, self.companies, datetime.now(UTC))
        return time.perf_counter() - start

    async def both(self) -> float:
        """Both, as the page reads them."""
        return await self.attention() + await self.figures()

    async def page(self) -> float:
        """The whole page by HTTP, with the session, the menu and the rendering."""
        start = time.perf_counter()
        answer = await self.browser.get(f"/painel/{self.subscription_id}")
        elapsed = time.perf_counter() - start
        answer.raise_for_status()
        if "Precisa de você agora" not in answer.text:
            raise LookupError("this is not the first page")
        return elapsed

    async def problems(self) -> int:
        """How many problems there are; both sides must have the same."""
        attention = await self._attention()
        parts = (
            attention.parked, attention.certificates, attention.open_manifests, attention.webhooks,
            attention.received_due, attention.overdue,
        )  # fmt: skip
        return attention.rejections.documents + sum(part.total for part in parts)

    async def _attention(self) -> Attention:
        return await read_attention(self.services, self.subscription_id, self.companies, datetime.now(UTC))


CALLS: dict[str, Callable[[Side], Awaitable[float]]] = {
    "attention": Side.attention,
    "figures": Side.figures,
    "both": Side.both,
    "page": Side.page,
}


async def fill(url: str, documents: int) -> None:
    """Stores documents of a year, and the problems of the last weeks."""
    start = time.monotonic()
    database = await asyncpg.connect(url)
    try:
        async with database.transaction():
            await database.execute(_UNCHECKED)
            await database.execute(_PLAN, documents)
            await database.execute("analyze plan")
            for statement in (_DOCUMENTS, _EMISSIONS, _COUNTS, _DAYS, _NUMBERS, _RECEIVED, _WEBHOOK):
                await database.execute(statement)
            await database.execute(_PARKED, documents)
        await database.execute("vacuum analyze")
        await database.execute("checkpoint")
    finally:
        await database.close()
    tell(f"{documents:,} documents stored in {time.monotonic() - start:.0f} seconds")


@asynccontextmanager
async def side_of(server: Server, name: str, documents: int) -> AsyncIterator[Side]:
    """Makes a database with companies and documents, and what reads it."""
    url = await new_database(server.postgres.url, name)
    settings = load_settings(
        {
            "CARIMBO_DATABASE_URL": url,
            "CARIMBO_SECRET_KEYS": new_key("benchmark"),
            # No authority is asked.
            "CARIMBO_SIMULATOR_URL": "https://127.0.0.1:9",
        }
    )
    app = api_of(settings)
    async with app.router.lifespan_context(app):
        services: Services = app.state.services
        created = await create_subscription(services.authenticator, "Painel", "unlimited")
        companies = [
            await _company(services, created.subscription_id, position, tax_id)
            for position, tax_id in enumerate(_TAX_IDS)
        ]
        await fill(url, documents)
        async with await _signed_in(app, services, created.subscription_id) as browser:
            yield Side(services, created.subscription_id, companies, browser)


async def _signed_in(app: FastAPI, services: Services, subscription_id: UUID) -> httpx2.AsyncClient:
    """Creates the owner, and returns a client with their session."""
    async with services.database.tenant(subscription_id) as tenant:
        person = await People(tenant.connection).get_or_add(new_id(), "ana@example.com", "Ana Souza")
        await tenant.memberships.put_invited(person.id, MemberRole.OWNER, None)
        await tenant.memberships.accept(person.id)
    async with services.database.tenant(NIL) as installation:
        token = await start_session(
            installation, person, SignInMethod.PASSWORD, Visitor("127.0.0.1", "Benchmark")
        )
    if token is None:
        raise LookupError("the owner is disabled")
    return httpx2.AsyncClient(
        transport=httpx2.ASGITransport(app=app), base_url="http://localhost", cookies={_COOKIE: token}
    )


async def _company(services: Services, subscription_id: UUID, position: int, tax_id: str) -> CompanyRow:
    """Registers a company; the certificate of one expires soon."""
    now = datetime.now(UTC)
    created = await create_company(
        services.database, subscription_id, NewCompany.model_validate({**_COMPANY, "taxId": tax_id})
    )
    registration = NewStateRegistration.model_validate({"state": "SP", "number": "110042490114"})
    await add_state_registration(services.database, subscription_id, created.id, registration)
    summary = CertificateSummary(
        tax_id=tax_id,
        subject_name="LOJA MODELO LTDA",
        serial_number=str(position),
        fingerprint=f"{position:064x}",
        valid_from=now - timedelta(days=30),
        expires_at=now + timedelta(days=300 if position else 10),
    )
    async with services.database.tenant(subscription_id) as tenant:
        await tenant.companies.set_environment(created.id, "production")
        await tenant.certificates.put(created.id, summary)
        company = await tenant.companies.lock(created.id)
    if company is None:
        raise LookupError(f"company {created.id} is gone")
    return company


async def measure(server: Server, few: int, many: int, calls: int) -> None:
    """Fills both databases, and prints a line for each call."""
    async with AsyncExitStack() as open_sides:
        small = await open_sides.enter_async_context(side_of(server, "carimbo_few", few))
        large = await open_sides.enter_async_context(side_of(server, "carimbo_many", many))
        tell(f"problems: {await small.problems()} and {await large.problems()}")
        for name, call in CALLS.items():
            short, long = await race(small, large, call, calls)
            bar = f", bar {MAX_RATIO}" if name in BARRED else ""
            tell(f"  {name:12} {1_000 * short:8.2f} ms {1_000 * long:8.2f} ms  ratio {long / short:.2f}{bar}")


def main(arguments: Sequence[str]) -> None:
    """Reads the options and measures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--documents", type=int, default=100_000, help="how many are stored")
    parser.add_argument("--few", type=int, default=1_000, help="how many in the smaller database")
    parser.add_argument("--calls", type=int, default=200, help="how many of each kind")
    options = parser.parse_args(arguments)
    # Not a line for every page.
    configure_logs("json", "warning")
    tell_origin()
    with running_server() as server:
        asyncio.run(measure(server, options.few, options.documents, options.calls))


if __name__ == "__main__":
    main(sys.argv[1:])
