"""Scheduled sales, and a check of the documents that were issued for them."""

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
"""Documents per sale: an NFS-e and an NF-e."""
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
    """Adds the items to the catalog."""
    for item in _ITEMS:
        answer = await company.http.post(f"/v1/companies/{company.id}/products", json=item)
        assert answer.status_code == 200, answer.text


def sale_until(due: datetime | str) -> dict[str, Any]:
    """Returns the body of a sale of a service and a product, scheduled for a moment or a day."""
    date = due.isoformat() if isinstance(due, datetime) else due
    products = [{"sku": item["sku"]} for item in _ITEMS]
    return {"customer": _BUYER, "products": products, "emitWhen": "after_guarantee", "guaranteeDate": date}


async def schedule(company: Company, due: datetime | str = FAR, at: str = "") -> str:
    """Creates a sale, at the usual API or at the URL `at`, and returns its id."""
    answer = await company.http.post(f"{at}/v1/companies/{company.id}/sales", json=sale_until(due))
    assert answer.status_code == 200, answer.text
    return str(answer.json()["data"]["id"])


async def until_issued(site: Site, company: Company) -> None:
    """Waits until a company has no scheduled sale and no document in progress."""
    await site.until(f"0 = {company.count('pending')} and 0 = {company.count('processing')}")


async def contradictions_of_sales(site: Site, company: Company, sales: int) -> list[str]:
    """Lists everything that is wrong when each document of the sales should be issued once and on time."""
    rows = [dict(row) for row in await site.fetch(_FIRED, company.id)]
    return [*_misfired(rows, sales), *await contradictions(site, company)]


def _misfired(rows: Sequence[Mapping[str, Any]], sales: int) -> Iterator[str]:
    if len(rows) != sales * DOCUMENTS:
        yield f"{sales} sales have {len(rows)} documents"
    for row in rows:
        if row["times_queued"] != 1:
            yield f"document {row['id']} was queued {row['times_queued']} times"
        # A sale that is emitted by hand has no scheduled moment.
        due_at = row["scheduled_emit_at"]
        if row["queued_at"] and due_at and row["queued_at"] < due_at:
            yield f"document {row['id']} was queued before its time"
        if row["next_action_at"]:
            yield f"the sale of document {row['id']} is still scheduled"
