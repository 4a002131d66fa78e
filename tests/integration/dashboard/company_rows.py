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


async def certify(database: Database, caller: Caller, company_id: str, expires_at: datetime) -> None:
    summary = replace(SUMMARY, valid_from=expires_at - 365 * DAY, expires_at=expires_at)
    async with database.tenant(caller.subscription_id) as tenant:
        await tenant.certificates.put(UUID(company_id), summary)
        await tenant.companies.lock(UUID(company_id))


async def ready_company(caller: Caller, database: Database, tax_id: str = CNPJ, **fields: Any) -> str:
    """Creates a company that issues NF-e."""
    company_id = await caller.create_company(tax_id, address=ADDRESS, taxRegime="simples", **fields)
    path = f"/v1/companies/{company_id}"
    registration = {"state": "MT", "number": "130000019"}
    data_of(await caller.http.post(f"{path}/state-registrations", json=registration))
    data_of(await caller.http.put(f"{path}/settings", json={"nfe": {"number": 7}}))
    await certify(database, caller, company_id, datetime.now(UTC) + 300 * DAY)
    return company_id
