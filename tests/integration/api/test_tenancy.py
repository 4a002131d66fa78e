"""Nobody reaches another subscription's things: a walk over every route of the published contract."""

import json
import re
from base64 import b64decode
from dataclasses import dataclass, replace
from typing import Any
from uuid import UUID

import httpx2
import pytest
from fastapi import FastAPI

from carimbo.api.openapi import contract
from carimbo.fiscal.lifecycle import Status
from carimbo.fiscal.sample_certificate import SampleCertificate
from carimbo.main.api import api_of
from carimbo.service.access import Gatekeeper
from carimbo.service.subscriptions import create_subscription
from carimbo.settings import Settings
from carimbo.storage.database import Database
from carimbo.storage.event_filings import NewEventFiling
from carimbo.storage.identifiers import new_id
from carimbo.storage.inutilizations import NewInutilization
from integration.storage.document_rows import Shop
from integration.storage.neighbours import line_of, new_sale
from support import ABSENT, BASE_URL, Caller, code_of, data_of, fields_of

CONTRACT = contract(api_of(Settings()))
OPERATIONS = [
    (method.upper(), path)
    for path, operations in CONTRACT["paths"].items()
    for method in operations
    if "{" in path
]
ITEMS = [{"description": "Caneca", "ncm": "69120000", "quantity": 2, "unitValue": 29.9}]
NFCE: dict[str, Any] = {"items": ITEMS, "payments": [{"method": "pix", "amount": 59.8}]}
NFE = {**NFCE, "recipient": {"taxId": "529.982.247-25", "name": "Maria da Silva", "address": {
    "zipcode": "01001-000", "street": "Praça da Sé", "number": "100", "district": "Sé", "city": "São Paulo",
    "state": "SP",
}}}  # fmt: skip
NFSE = {"serviceDescription": "Licença de uso", "amount": 59.8, "borrower": {"name": "Maria da Silva"}}
OWNED = {"nfe": NFE, "nfce": NFCE, "nfse": NFSE}
CUSTOMER = {"name": "Maria da Silva", "email": "maria@example.com", "document": "529.982.247-25"}
PRODUCT = {"type": "service", "name": "Curso de cerâmica", "sku": "curso", "category": "course"}
SALE = {"customer": {"name": "Invasor"}, "products": [{"sku": "curso", "price": 1}], "emitWhen": "manual"}
RANGE = {"series": 1, "numberStart": 1, "numberEnd": 1, "justification": "Inutilizada por um invasor"}
WEBHOOK = {"url": "http://127.0.0.1:9/webhooks", "events": {"invoice": ["nfe.authorized"]}}
LOGO = b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGP4z8AAAAMBAQDJ/pLvAAAAAElFTkSuQmCC"
)
# A body that is right for each operation, so that only the foreign id can be what is wrong.
BODIES: dict[str, dict[str, Any]] = {
    "updateCompany": {"json": {"tradeName": "Invasor"}},
    "switchEnvironment": {"json": {"environment": "homologation"}},
    "addStateRegistration": {"json": {"state": "RJ", "number": "12345678"}},
    "changeSettings": {"json": {"nfe": {"number": 999}}},
    "uploadCertificate": {"files": {"file": ("a.pfx", b"x")}, "data": {"password": "x"}},
    "uploadLogo": {"files": {"file": ("a.png", LOGO)}},
    "createNfe": {"json": NFE},
    "createNfce": {"json": NFCE},
    "createNfse": {"json": NFSE},
    "changeInvoice": {"json": {"version": 1, "notes": "Invasor"}},
    "cancelNfe": {"json": {"justification": "Cancelada por um invasor"}},
    "cancelNfce": {"json": {"justification": "Cancelada por um invasor"}},
    "cancelNfse": {"json": {"justification": "Cancelada por um invasor", "reasonCode": "1"}},
    "correctNfe": {"json": {"correction": "Corrigida por um invasor"}},
    "emailNfe": {"json": {"to": ["invasor@example.com"]}},
    "emailNfce": {"json": {"to": ["invasor@example.com"]}},
    "emailNfse": {"json": {"to": ["invasor@example.com"]}},
    "inutilizeNfe": {"json": RANGE},
    "inutilizeNfce": {"json": RANGE},
    "inutilizeGaps": {"json": {"justification": "Inutilizada por um invasor"}},
    "changeContingency": {"json": {"mode": "forbidden"}},
    "upsertCustomer": {"json": CUSTOMER | {"name": "Invasor"}},
    "replaceCustomer": {"json": CUSTOMER | {"name": "Invasor"}},
    "createProduct": {"json": PRODUCT | {"name": "Invasor"}},
    "replaceProduct": {"json": PRODUCT | {"name": "Invasor"}},
    "createSale": {"json": SALE},
    "changeSale": {"json": SALE},
    "patchSale": {"json": {"notes": "Invasor"}},
    "replaceWebhook": {"json": WEBHOOK | {"url": "http://127.0.0.1:9/invasor"}},
    "setWebhookActive": {"json": {"active": False}},
    "rotateWebhookSecret": {"json": {"overlapHours": 0}},
    "cancelSale": {"json": {"justification": "Cancelada por um invasor", "reasonCode": "1"}},
}


OWN_FIELDS = ("requestId", "checkedAt")


@dataclass(frozen=True)
class Owned:
    """What the first subscription has, by where in a path its id stands."""

    owner: Caller
    company_id: str
    ids: dict[str, str]
    """By the path between the company and the id; without a company, by all of the path."""

    def fill(self, path: str) -> str:
        collection = path.partition("/{id}")[0].rpartition("{companyId}/")[2]
        own = self.ids.get(collection, self.ids["invoices"])
        event = self.ids.get(f"{collection}/events", ABSENT)
        filled = path.replace("{companyId}", self.company_id).replace("{id}", own)
        return filled.replace("{eventId}", event).replace("{deliveryId}", self.ids["deliveries"])


@pytest.fixture(scope="module")
async def owned(
    app: FastAPI, gatekeeper: Gatekeeper, database: Database, company_certificate: SampleCertificate
) -> Owned:
    """One for all tests, as none of them may change it."""
    created = await create_subscription(gatekeeper, "Dona", "unlimited")
    headers = {"X-Api-Key": str(created.subscription_id), "X-Api-Secret": created.secret}
    client = httpx2.AsyncClient(transport=httpx2.ASGITransport(app=app), base_url=BASE_URL, headers=headers)
    owner = Caller(client, created.subscription_id, created.secret)
    company_id = await owner.create_company()
    pfx = {"file": ("a.pfx", company_certificate.to_pfx("x"))}
    await client.post(f"/v1/companies/{company_id}/certificate", files=pfx, data={"password": "x"})
    data_of(await client.put(f"/v1/companies/{company_id}/settings/logo", **BODIES["uploadLogo"]))
    registration = await client.post(
        f"/v1/companies/{company_id}/state-registrations", json={"state": "SP", "number": "110042490114"}
    )
    shop = Shop(database, created.subscription_id, UUID(company_id))
    invoices = {name: await document_of(shop, name, body) for name, body in OWNED.items()}
    ids = {"state-registrations": data_of(registration)["id"], "invoices": invoices["nfe"], **invoices}
    customer = await client.post(f"/v1/companies/{company_id}/customers", json=CUSTOMER)
    ids["customers"] = data_of(customer)["id"]
    product = await client.post(f"/v1/companies/{company_id}/products", json=PRODUCT)
    ids["products"] = data_of(product)["id"]
    ids["sales"] = await sale_of(shop, ids)
    webhook = await client.post("/v1/webhooks", json=WEBHOOK)
    ids["/v1/webhooks"] = data_of(webhook)["id"]
    ids["deliveries"] = await delivery_to(shop, UUID(ids["/v1/webhooks"]))
    for kind in OWNED:
        ids |= await filings_of(shop, kind, UUID(invoices[kind]))
    return Owned(owner, company_id, ids)


async def delivery_to(shop: Shop, webhook_id: UUID) -> str:
    async with shop.database.tenant(shop.subscription_id) as tenant:
        return str(await tenant.deliveries.add_test(webhook_id, "webhook.test", {}))


async def filings_of(shop: Shop, kind: str, document_id: UUID) -> dict[str, str]:
    """An event of a document and a range of numbers, which no worker looks at."""
    event = NewEventFiling(
        id=new_id(), company_id=shop.company_id, document_id=document_id, emission=1,
        type="cancellation", sequence=1, request="{}",
    )  # fmt: skip
    numbers = NewInutilization(
        id=new_id(), company_id=shop.company_id, document_type=kind, environment="production", series=1,
        first_number=5, last_number=6, year=2026, justification="Numeração pulada",
    )  # fmt: skip
    async with shop.database.tenant(shop.subscription_id) as tenant:
        await tenant.event_filings.add(event)
        await tenant.inutilizations.add(numbers)
    return {f"{kind}/events": str(event.id), f"{kind}/inutilizations": str(numbers.id)}


async def sale_of(shop: Shop, ids: dict[str, str]) -> str:
    """A sale of the owner's catalog with a draft."""
    sale = new_sale(shop.company_id, UUID(ids["customers"]))
    async with shop.database.tenant(shop.subscription_id) as tenant:
        await tenant.sales.add(sale, [line_of(ids["products"])])
    made = {"type": "nfse", "request": json.dumps(NFSE), "sale_id": sale.id, "is_direct": False}
    await shop.added(queued=False, status=Status.PENDING, **made)
    return str(sale.id)


async def document_of(shop: Shop, kind: str, body: dict[str, Any]) -> str:
    draft = await shop.added(queued=False, status=Status.PENDING, type=kind, request=json.dumps(body))
    return str(draft.id)


async def everything_of(owned: Owned) -> list[Any]:
    """What the owner reads on every route, but for what is another at every request."""
    answers = []
    for method, path in OPERATIONS:
        if method == "GET":
            answer = await owned.owner.http.get(owned.fill(path))
            assert answer.status_code != 404
            answers.append(_read(answer))
    return answers


def _read(answer: httpx2.Response) -> Any:
    is_json = answer.headers["content-type"] == "application/json"
    return json.loads(answer.text, object_hook=_without_own_fields) if is_json else answer.content


def _without_own_fields(found: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in found.items() if name not in OWN_FIELDS}


class TestAnotherSubscription:
    @pytest.mark.parametrize(("method", "path"), OPERATIONS)
    async def test_gets_404_and_changes_nothing(
        self, owned: Owned, caller: Caller, method: str, path: str
    ) -> None:
        before = await everything_of(owned)
        operation = CONTRACT["paths"][path][method.lower()]
        if "requestBody" in operation:
            assert operation["operationId"] in BODIES, "give this operation a good body above"
        request = BODIES.get(operation["operationId"], {})
        answer = await caller.http.request(method, owned.fill(path), **request)
        assert (answer.status_code, code_of(answer)) == (404, "NOT_FOUND")
        assert await everything_of(owned) == before

    @pytest.mark.parametrize(("method", "path"), [pair for pair in OPERATIONS if "{id}" in pair[1]])
    async def test_gets_404_for_a_foreign_id_under_its_own_company(
        self, owned: Owned, caller: Caller, method: str, path: str
    ) -> None:
        request = BODIES.get(CONTRACT["paths"][path][method.lower()]["operationId"], {})
        target = replace(owned, company_id=await caller.create_company()).fill(path)
        assert (await caller.http.request(method, target, **request)).status_code == 404

    @pytest.mark.parametrize(("method", "path"), OPERATIONS)
    async def test_learns_nothing_from_the_answer(
        self, owned: Owned, caller: Caller, method: str, path: str
    ) -> None:
        request = BODIES.get(CONTRACT["paths"][path][method.lower()]["operationId"], {})
        absent = replace(owned, company_id=ABSENT, ids=dict.fromkeys(owned.ids, ABSENT))
        foreign = await caller.http.request(method, owned.fill(path), **request)
        nothing = await caller.http.request(method, absent.fill(path), **request)
        assert foreign.json() == nothing.json()

    @pytest.mark.parametrize(("method", "path"), OPERATIONS)
    @pytest.mark.parametrize("bad", ["x", "1", "%00", "00000000-0000-0000-0000-00000000000g"])
    async def test_a_malformed_id_is_invalid(self, caller: Caller, method: str, path: str, bad: str) -> None:
        request = BODIES.get(CONTRACT["paths"][path][method.lower()]["operationId"], {})
        target = re.sub(r"\{\w+\}", bad, path)
        names = ["companyId"] if "{companyId}" in path else re.findall(r"\{(\w+)\}", path)
        wrong = fields_of(await caller.http.request(method, target, **request))
        assert wrong == dict.fromkeys(names, "Deve ser um UUID.")
