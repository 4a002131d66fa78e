"""Sales that wait for their time, and the judge of what went out of them."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any

from acceptance.fault_company import Company
from acceptance.fault_judge import contradictions
from acceptance.fault_site import Site

FAR = "2999-01-15"
_ITEMS: tuple[dict[str, Any], ...] = (
    {"sku": "curso", "name": "Curso de violão", "type": "service", "category": "online_course", "price": 100},
    {
        "sku": "caneca", "name": "Caneca", "type": "product", "category": "other_product", "price": 29.9,
        "ncm": "69120000",
    },
)  # fmt: skip
DOCUMENTS = len(_ITEMS)
"""How many a sale has: an NFS-e and an NF-e."""
_BUYER = {
    "name": "Maria da Silva",
    "document": "529.982.247-25",
    "address": {
        "zipcode": "01001-000", "street": "Praça da Sé", "number": "100",
        "district": "Sé", "city": "São Paulo", "state": "SP",
    },
}  # fmt: skip
_FIRED = """
    select d.id, s.next_action_at, s.scheduled_emit_at, d.queued_at,
        (select count(*) from document_events e where e.subscription_id = d.subscription_id
            and e.document_id = d.id and e.type = 'queued') as times_queued
    from sales s join documents d on d.subscription_id = s.subscription_id and d.sale_id = s.id
    where s.company_id = $1 order by d.id
"""


async def stock(company: Company) -> None:
    """Put what is sold into the catalog."""
    for item in _ITEMS:
        answer = await company.http.post(f"/v1/companies/{company.id}/products", json=item)
        assert answer.status_code == 200, answer.text


def sale_until(due: datetime | str) -> dict[str, Any]:
    """The body of a sale of a service and a product that waits until a moment or a day."""
    told = due.isoformat() if isinstance(due, datetime) else due
    products = [{"sku": item["sku"]} for item in _ITEMS]
    return {"customer": _BUYER, "products": products, "emitWhen": "after_guarantee", "guaranteeDate": told}


async def schedule(company: Company, due: datetime | str = FAR, at: str = "") -> str:
    """Sell, at another API than the usual one if told so; tells the id of the sale."""
    answer = await company.http.post(f"{at}/v1/companies/{company.id}/sales", json=sale_until(due))
    assert answer.status_code == 200, answer.text
    return str(answer.json()["data"]["id"])


async def until_issued(site: Site, company: Company) -> None:
    """Wait until no sale of a company waits any more, and nothing of it is on its way."""
    await site.until(f"0 = {company.count('pending')} and 0 = {company.count('processing')}")


async def contradictions_of_sales(site: Site, company: Company, sales: int) -> list[str]:
    """Everything that is wrong once each document of so many sales should have gone out in time, and once."""
    rows = [dict(row) for row in await site.fetch(_FIRED, company.id)]
    return [*_misfired(rows, sales), *await contradictions(site, company)]


def _misfired(rows: Sequence[Mapping[str, Any]], sales: int) -> Iterator[str]:
    if len(rows) != sales * DOCUMENTS:
        yield f"{sales} sales have {len(rows)} documents"
    for row in rows:
        if row["times_queued"] != 1:
            yield f"document {row['id']} went out {row['times_queued']} times"
        # Who has it emitted by hand waits for no moment.
        due_at = row["scheduled_emit_at"]
        if row["queued_at"] and due_at and row["queued_at"] < due_at:
            yield f"document {row['id']} went out before its time"
        if row["next_action_at"]:
            yield f"the sale of document {row['id']} still waits"
