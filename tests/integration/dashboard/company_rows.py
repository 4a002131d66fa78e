"""Companies for tests of pages, with what they need to issue."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

from carimbo.storage.database import Database
from integration.storage.neighbours import SUMMARY
from support import CNPJ, Caller, data_of

ADDRESS = {
    "zipcode": "78005000", "street": "Rua Barão de Melgaço", "number": "10", "district": "Centro",
    "city": "Cuiabá", "state": "MT",
}  # fmt: skip
DAY = timedelta(days=1)
DAMAGES = {
    # Its master key was lost.
    "lost master key": "insert into secrets (subscription_id, owner_id, name, key_id, sealed)"
    " select subscription_id, id, 'nfce.csc', 'lost', 'x' from companies where id = $1",
    "damaged CNPJ": "update companies set tax_id = '11222333000199' where id = $1",
}
"""Statements after which the stored data of a company can't be read."""


async def certify(database: Database, caller: Caller, company_id: str, expires_at: datetime) -> None:
    summary = replace(SUMMARY, valid_from=expires_at - 365 * DAY, expires_at=expires_at)
    async with database.tenant(caller.subscription_id) as tenant:
        await tenant.certificates.put(UUID(company_id), summary)
        await tenant.companies.lock(UUID(company_id))


async def damage(database: Database, subscription_id: UUID, company_id: UUID, name: str) -> None:
    """Damages the stored data of a company, in one of the ways of `DAMAGES`."""
    async with database.connection() as connection:
        await connection.execute(DAMAGES[name], company_id)
    async with database.tenant(subscription_id) as tenant:
        await tenant.companies.lock(company_id)


async def ready_company(caller: Caller, database: Database, tax_id: str = CNPJ, **fields: Any) -> str:
    """Creates a company that issues NF-e."""
    company_id = await caller.create_company(tax_id, address=ADDRESS, taxRegime="simples", **fields)
    path = f"/v1/companies/{company_id}"
    registration = {"state": "MT", "number": "130000019"}
    data_of(await caller.http.post(f"{path}/state-registrations", json=registration))
    data_of(await caller.http.put(f"{path}/settings", json={"nfe": {"number": 7}}))
    await certify(database, caller, company_id, datetime.now(UTC) + 300 * DAY)
    return company_id
