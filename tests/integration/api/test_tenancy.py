"""No subscription reaches another one's records, on any route of the published contract."""

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
from carimbo.storage.database import Database
from carimbo.storage.event_filings import NewEventFiling
from carimbo.storage.identifiers import new_id
from carimbo.storage.inutilizations import NewInutilization
from carimbo.web.body_examples import body_examples
from integration.issuing.shop import CTE, CTE_OS, MDFE
from integration.storage.document_rows import Shop
from integration.storage.neighbours import line_of, new_sale
from integration.storage.parked_rows import parked_document
from integration.storage.received_rows import new_manifestation, new_received
from support import ABSENT, Caller, NewCaller, data_of

ITEMS = [{"description": "Caneca", "ncm": "69120000", "quantity": 2, "unitValue": 29.9}]
NFCE: dict[str, Any] = {"items": ITEMS, "payments": [{"method": "pix", "amount": 59.8}]}
NFE = {**NFCE, "recipient": {"taxId": "529.982.247-25", "name": "Maria da Silva", "address": {
    "zipcode": "01001-000", "street": "Praça da Sé", "number": "100", "district": "Sé", "city": "São Paulo",
    "state": "SP",
}}}  # fmt: skip
NFSE = {"serviceDescription": "Licença de uso", "amount": 59.8, "borrower": {"name": "Maria da Silva"}}
OWNED = {"nfe": NFE, "nfce": NFCE, "nfse": NFSE, "cte": CTE, "mdfe": MDFE}
REGISTRATION = {"state": "SP", "number": "110042490114"}
CUSTOMER = {"name": "Maria da Silva", "email": "maria@example.com", "document": "529.982.247-25"}
PRODUCT = {"type": "service", "name": "Curso de cerâmica", "sku": "curso", "category": "course"}
CATALOG = {"state-registrations": REGISTRATION, "customers": CUSTOMER, "products": PRODUCT}
SALE = {"customer": {"name": "Invasor"}, "products": [{"sku": "curso", "price": 1}], "emitWhen": "manual"}
RANGE = {"series": 1, "numberStart": 1, "numberEnd": 1, "justification": "Inutilizada por um invasor"}
WEBHOOK = {"url": "http://127.0.0.1:9/webhooks", "events": {"invoice": ["nfe.authorized"]}}
LOGO = b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGP4z8AAAAMBAQDJ/pLvAAAAAElFTkSuQmCC"
)
RECEIVED = ("ReceivedNfe", "ReceivedCte", "ReceivedNfse")
# A valid body for each operation, so that only the foreign id can be wrong.
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
    "createCte": {"json": CTE},
    "createCteOs": {"json": CTE_OS},
    "createMdfe": {"json": MDFE},
    **{
        operation: {"json": body_examples()[operation]["minimo"]["value"]}
        for operation in (
            "addDocumentsToMdfe",
            "addDriverToMdfe",
            "cancelMdfe",
            "changePaymentOfMdfe",
            "closeMdfe",
            "closeMdfeByKey",
            "emailMdfe",
            "payFreightOfMdfe",
        )
    },
    "addGtvToCte": {"json": body_examples()["addGtvToCte"]["minimo"]["value"]},
    "changeInvoice": {"json": {"version": 1, "notes": "Invasor"}},
    "cancelNfe": {"json": {"justification": "Cancelada por um invasor"}},
    "cancelNfce": {"json": {"justification": "Cancelada por um invasor"}},
    "cancelCte": {"json": {"justification": "Cancelado por um invasor"}},
    "correctCte": {"json": {"corrections": [{"group": "compl", "field": "xObs", "value": "Invasor"}]}},
    "proveDeliveryOfCte": {
        "json": {
            "deliveredAt": "2026-11-14T10:00:00-03:00",
            "recipientName": "Invasor",
            "recipientDocument": "1234",
            "image": "iVBORw0KGgo=",
        }
    },
    "cancelDeliveryOfCte": {"json": {}},
    "reportFailedDeliveryOfCte": {
        "json": {
            "attemptedAt": "2026-11-14T10:00:00-03:00",
            "reason": "notFound",
        }
    },
    "cancelFailedDeliveryOfCte": {"json": {}},
    "emailCte": {"json": {"to": ["invasor@example.com"]}},
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
    "redeliverFailed": {"json": {"since": "2026-11-10"}},
    "dismissParkedWork": {"json": {"reason": "Encerrado por um invasor"}},
    **{f"import{name}": {"files": {"file": ("a.xml", b"<a/>")}} for name in RECEIVED},
    **{f"total{name}s": {"params": {"month": "2026-11"}} for name in RECEIVED},
    "manifestReceivedNfe": {"json": {"type": "confirmed"}},
    "manifestReceivedNfse": {"json": {"type": "confirmed"}},
    "draftReturnOfReceivedNfe": {"json": {"items": [{"number": 1, "quantity": 1}]}},
    "disagreeWithReceivedCte": {"json": {"justification": "Registrado por um invasor"}},
    "cancelSale": {"json": {"justification": "Cancelada por um invasor", "reasonCode": "1"}},
}


MALFORMED = ["x", "1", "%00", "00000000-0000-0000-0000-00000000000g"]
NOT_A_UUID = "Deve ser um UUID."
OWN_FIELDS = ("requestId", "checkedAt")
"""Fields that differ in every answer."""


@dataclass(frozen=True)
class Operation:
    """An operation of the contract, with a request that is valid except for the ids in its path."""

    method: str
    path: str
    request: dict[str, Any]

    @property
    def parameters(self) -> list[str]:
        return re.findall(r"\{(\w+)\}", self.path)

    async def answer(self, caller: Caller, target: str) -> tuple[int, Any]:
        """Sends the request and returns the status and the body of the answer."""
        try:
            answer = await caller.http.request(self.method, target, **self.request)
        except Exception as error:  # the check continues, and names this operation
            return 500, repr(error)
        return answer.status_code, body_of(answer)


@dataclass(frozen=True)
class Owned:
    """The records of one subscription, with their ids by their position in a path."""

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


@pytest.fixture
def operations(app: FastAPI) -> list[Operation]:
    """Every operation with ids in its path, and every list."""
    selected = []
    for path, methods in contract(app)["paths"].items():
        for method, operation in methods.items():
            name = operation["operationId"]
            if "{" in path and "requestBody" in operation:
                assert name in BODIES, "give this operation a valid body above"
            if "{" in path or method == "get":
                selected.append(Operation(method.upper(), path, BODIES.get(name, {})))
    return selected


@pytest.fixture
async def owned(caller: Caller, database: Database, company_certificate: SampleCertificate) -> Owned:
    """A subscription with a record of every type."""
    client, company_id = caller.http, await caller.create_company()
    pfx = {"file": ("a.pfx", company_certificate.to_pfx("x"))}
    company = f"/v1/companies/{company_id}"
    data_of(await client.post(f"{company}/certificate", files=pfx, data={"password": "x"}))
    data_of(await client.put(f"{company}/settings/logo", **BODIES["uploadLogo"]))
    shop = Shop(database, caller.subscription_id, UUID(company_id))
    invoices = {name: await document_of(shop, name, body) for name, body in OWNED.items()}
    ids = {"invoices": invoices["nfe"], **invoices}
    for name, body in CATALOG.items():
        ids[name] = data_of(await client.post(f"{company}/{name}", json=body))["id"]
    ids["sales"] = await sale_of(shop, ids)
    ids["/v1/webhooks"] = data_of(await client.post("/v1/webhooks", json=WEBHOOK))["id"]
    ids["deliveries"] = await delivery_to(shop, UUID(ids["/v1/webhooks"]))
    ids["/v1/parked-work"] = str((await parked_document(shop)).id)
    async with database.tenant(caller.subscription_id) as tenant:
        kinds = {"nfe": "confirmed", "cte": "disagreed", "nfse": "confirmed"}
        for number, (service, kind) in enumerate(kinds.items()):
            new = new_received(shop.company_id, service=service, type=service, access_key=f"{number:044}")
            document_id = (await tenant.received.add(new)).id
            statement = replace(new_manifestation(shop.company_id, document_id), type=kind)
            await tenant.manifestations.add_for_lot(statement)
            ids[f"received-{service}s"] = str(document_id)
            ids[f"received-{service}s/events"] = str(statement.id)
    for document_type in OWNED:
        ids |= await filings_of(shop, document_type, UUID(invoices[document_type]))
    return Owned(caller, company_id, ids)


async def delivery_to(shop: Shop, webhook_id: UUID) -> str:
    async with shop.database.tenant(shop.subscription_id) as tenant:
        return str(await tenant.deliveries.add_test(webhook_id, "webhook.test", {}))


async def filings_of(shop: Shop, document_type: str, document_id: UUID) -> dict[str, str]:
    """Adds an event of a document and an inutilization; no worker runs."""
    event = NewEventFiling(
        id=new_id(), company_id=shop.company_id, document_id=document_id, emission=1,
        type="cancellation", sequence=1, request="{}",
    )  # fmt: skip
    numbers = NewInutilization(
        id=new_id(), company_id=shop.company_id, document_type=document_type, environment="production",
        series=1, first_number=5, last_number=6, year=2026, justification="Numeração pulada",
    )  # fmt: skip
    async with shop.database.tenant(shop.subscription_id) as tenant:
        await tenant.event_filings.add(event)
        await tenant.inutilizations.add(numbers)
    return {f"{document_type}/events": str(event.id), f"{document_type}/inutilizations": str(numbers.id)}


async def sale_of(shop: Shop, ids: dict[str, str]) -> str:
    """Adds a sale of the owner's catalog with a draft."""
    sale = new_sale(shop.company_id, UUID(ids["customers"]))
    async with shop.database.tenant(shop.subscription_id) as tenant:
        await tenant.sales.add(sale, [line_of(ids["products"])])
    fields = {"type": "nfse", "request": json.dumps(NFSE), "sale_id": sale.id, "is_direct": False}
    await shop.added(queued=False, status=Status.PENDING, **fields)
    return str(sale.id)


async def document_of(shop: Shop, document_type: str, body: dict[str, Any]) -> str:
    draft = await shop.added(
        queued=False, status=Status.PENDING, type=document_type, request=json.dumps(body)
    )
    return str(draft.id)


def body_of(answer: httpx2.Response) -> Any:
    """Returns the body of an answer, without fields that differ in every answer."""
    is_json = answer.headers.get("content-type") == "application/json"
    return json.loads(answer.text, object_hook=_without_own_fields) if is_json else answer.content


def _without_own_fields(record: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in record.items() if name not in OWN_FIELDS}


@dataclass
class Stranger:
    """A caller with its own company that sends every operation with ids of the owner."""

    database: Database
    owned: Owned
    stranger: Caller
    own_company_id: str
    rows: dict[str, str]
    """A digest of the owner's rows in each table."""

    async def try_operation(self, operation: Operation) -> list[str]:
        """Tries one operation in all ways, and returns what is wrong."""
        wrong = [*await self._seen(operation), *await self._misread(operation), *await self._changed()]
        return [f"{operation.method} {operation.path} {problem[:300]}" for problem in wrong]

    async def _seen(self, operation: Operation) -> list[str]:
        """Looks for records of the owner in the answers."""
        if not operation.parameters:
            answer = await operation.answer(self.stranger, operation.path)
            secret = [self.owned.company_id, *self.owned.ids.values()]
            return [f"shows the id {value}" for value in secret if value in str(answer)]
        wrong, owned = [], self.owned
        absent = replace(owned, company_id=ABSENT, ids=dict.fromkeys(owned.ids, ABSENT))
        foreign = await operation.answer(self.stranger, owned.fill(operation.path))
        if not _is_not_found(foreign):
            wrong.append(f"answers {foreign} for records of another subscription")
        nothing = await operation.answer(self.stranger, absent.fill(operation.path))
        if foreign != nothing:
            wrong.append(f"reveals that a record exists: {foreign} instead of {nothing}")
        if "{id}" in operation.path:
            under_own = replace(owned, company_id=self.own_company_id).fill(operation.path)
            mixed = await operation.answer(self.stranger, under_own)
            if not _is_not_found(mixed):
                wrong.append(f"answers {mixed} for a foreign id under its own company")
        return wrong

    async def _misread(self, operation: Operation) -> list[str]:
        """Sends malformed ids; of several in a path, only the company's is reported."""
        names = ["companyId"] if "companyId" in operation.parameters else operation.parameters
        expected = [{"field": name, "error": NOT_A_UUID} for name in names]
        wrong = []
        for malformed in MALFORMED if names else []:
            target = re.sub(r"\{\w+\}", malformed, operation.path)
            status, body = await operation.answer(self.stranger, target)
            if status != 422 or body["error"]["details"]["fields"] != expected:
                wrong.append(f"answers {status} {body} for the id {malformed}")
        return wrong

    async def _changed(self) -> list[str]:
        before, self.rows = self.rows, await rows_of(self.database, self.owned.owner.subscription_id)
        return [f"changes {name} of the owner" for name in before if before[name] != self.rows[name]]


def _is_not_found(answer: tuple[int, Any]) -> bool:
    status, body = answer
    return status == 404 and body["success"] is False and body["error"]["code"] == "NOT_FOUND"


async def rows_of(database: Database, subscription_id: UUID) -> dict[str, str]:
    """Returns a digest of all rows that a subscription has in each table."""
    async with database.connection() as connection:
        tables = await connection.fetch(
            "select table_name from information_schema.columns"
            " where column_name = 'subscription_id' and table_schema = 'public'"
        )
        digests = " union all ".join(
            f"select '{name}', md5(string_agg(t::text, ',' order by t::text)) from {name} t"
            " where subscription_id = $1"
            for (name,) in tables
        )
        return dict(await connection.fetch(digests, subscription_id))


async def read_by_the_owner(owned: Owned, operations: list[Operation]) -> dict[str, Any]:
    """Returns what the owner reads on every route."""
    reads = [operation for operation in operations if operation.method == "GET" and operation.parameters]
    return {read.path: await read.answer(owned.owner, owned.fill(read.path)) for read in reads}


class TestAnotherSubscription:
    async def test_another_subscription_sees_and_changes_nothing_on_any_route(
        self, owned: Owned, operations: list[Operation], new_caller: NewCaller, database: Database
    ) -> None:
        before = await read_by_the_owner(owned, operations)
        assert before, "the owner reads nothing"
        # Otherwise nothing would be hidden from the stranger.
        assert [path for path, (status, _) in before.items() if status in (404, 500)] == []
        stranger = await new_caller()
        rows = await rows_of(database, owned.owner.subscription_id)
        company_id = await stranger.create_company()
        attacker = Stranger(database, owned, stranger, company_id, rows)
        problems = [
            problem for operation in operations for problem in await attacker.try_operation(operation)
        ]
        assert not problems, "\n".join(problems)
        assert await read_by_the_owner(owned, operations) == before
