"""The API accepts the example bodies of the published contract."""

import re
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any
from uuid import uuid4

import pytest
from fastapi.routing import iter_route_contexts

from carimbo.fiscal.identity.access_key import check_digit
from carimbo.outbound.guard import WebhookGuard
from carimbo.outbound.target import AllowedHosts
from carimbo.service.services import Services
from carimbo.web.body_examples import Examples, body_examples
from integration.issuing.actions import parked
from integration.issuing.manifests import LATER, issue_on_hired_truck
from integration.issuing.manifests import issue as issue_manifest
from integration.issuing.shop import CARRIED_NFE, CTE_OS, KINDS, NewShop, Shop, accepted, sister_of
from integration.issuing.system import System
from integration.receiving.inbox import Buyer, carried, served, upload, xml_of
from integration.sales.store import COURSE, MARIA, Store
from support import data_of

# A public address, so that the host of the example is not resolved.
PUBLIC_ADDRESS = "93.184.215.14"
WEBHOOK = {"url": "https://example.com/webhooks", "events": {"system": ["certificate.expiring"]}}


@dataclass(frozen=True)
class Operation:
    """An operation with a JSON body, and the example bodies that its documentation shows."""

    id: str
    method: str
    path: str
    examples: Examples


@pytest.fixture
def operations(system: System) -> list[Operation]:
    """Every operation that has examples."""
    places = {
        route.operation_id: (method, route.path or "")
        for route in iter_route_contexts(system.app.routes)
        for method in route.methods or ()
    }
    return [Operation(name, *places[name], examples) for name, examples in body_examples().items()]


def store_of(shop: Shop) -> Store:
    return Store(shop.system, shop.caller, shop.id)


async def new_document(shop: Shop, document_type: str) -> str:
    document = await shop.issue(document_type)
    assert document["status"] == "authorized"
    return str(document["id"])


async def new_draft_sale(shop: Shop) -> str:
    return str((await store_of(shop).draft(COURSE))["id"])


async def new_invoiced_sale(shop: Shop) -> str:
    return str((await store_of(shop).invoiced(COURSE))["id"])


async def new_draft(shop: Shop) -> str:
    (invoice,) = (await store_of(shop).draft(COURSE))["invoices"]
    return str(invoice["id"])


async def new_customer(shop: Shop) -> str:
    return str(data_of(await shop.post("/customers", MARIA))["id"])


async def new_product(shop: Shop) -> str:
    return str(data_of(await shop.post("/products", COURSE | {"sku": str(uuid4())}))["id"])


async def new_webhook(shop: Shop) -> str:
    return str(data_of(await shop.caller.http.post("/v1/webhooks", json=WEBHOOK))["id"])


async def new_parked_document(shop: Shop) -> str:
    return str((await parked(shop, "nfe"))["id"])


async def new_valuables(shop: Shop) -> str:
    """Creates a CT-e OS of valuables and returns its id."""
    body = CTE_OS | {"serviceType": "valuables", "charter": None, "cfop": "6353"}
    return str((await shop.settled(accepted(await shop.post("/cte-os", body))))["id"])


async def new_manifest(shop: Shop) -> str:
    return str((await issue_manifest(shop))["id"])


async def new_manifest_to_load(shop: Shop) -> str:
    return str((await issue_manifest(shop, **LATER))["id"])


async def new_manifest_on_hired_truck(shop: Shop) -> str:
    return str((await issue_on_hired_truck(shop))["id"])


async def new_received_nfe(shop: Shop) -> str:
    return await _received(Buyer.buys, shop, "received-nfes")


async def new_received_cte(shop: Shop) -> str:
    return await _received(carried, shop, "received-ctes")


async def new_received_nfse(shop: Shop) -> str:
    return await _received(served, shop, "received-nfses")


async def new_imported_nfe(shop: Shop) -> str:
    """Returns the id of a received NF-e whose whole XML is here."""
    supplier = await sister_of(shop)
    xml = await xml_of(supplier, await Buyer(shop, supplier).buys())
    return str(data_of(await upload(shop, xml))["id"])


async def _received(issue: Callable[[Buyer], Awaitable[Any]], shop: Shop, collection: str) -> str:
    """Returns the id of a received document about which the shop has not concluded.

    Another company issues one for each example, before the first query: the next one is an hour later.
    """
    buyer = Buyer(shop, await sister_of(shop))
    if not await buyer.inbox(collection):
        for _ in range(_EXAMPLES):
            await issue(buyer)
        await buyer.sync(collection)
    rows = await buyer.inbox(collection)
    return str(next(row["id"] for row in rows if row["status"] in ("pending", "science")))


# Of each operation about received documents.
_EXAMPLES = 2
# Creates the record for the `{id}` of a path, by the end of the path.
NEEDED: dict[str, Callable[[Shop], Awaitable[str]]] = {
    "/sales/{id}": new_draft_sale,
    "/sales/{id}/cancel-invoice": new_invoiced_sale,
    "/invoices/{id}": new_draft,
    "/customers/{id}": new_customer,
    "/products/{id}": new_product,
    "/cte/{id}/gtv": new_valuables,
    "/mdfe/{id}/documents": new_manifest_to_load,
    "/mdfe/{id}/payments": new_manifest_on_hired_truck,
    "/received-nfes/{id}/manifest": new_received_nfe,
    "/received-nfes/{id}/return-draft": new_imported_nfe,
    "/received-ctes/{id}/disagreement": new_received_cte,
    "/received-nfses/{id}/manifest": new_received_nfse,
    "/v1/webhooks/{id}": new_webhook,
    "/v1/webhooks/{id}/active": new_webhook,
    "/v1/webhooks/{id}/redeliver-failed": new_webhook,
    "/v1/webhooks/{id}/rotate-secret": new_webhook,
    "/v1/parked-work/{id}/dismiss": new_parked_document,
}


# Returns the body of the event that an operation undoes, by its moment.
UNDONE: dict[str, Callable[[str], dict[str, Any]]] = {
    "cancelDeliveryOfCte": lambda moment: {
        "deliveredAt": moment,
        "recipientName": "Ana Ramos",
        "recipientDocument": "1234",
        "image": "iVBORw0KGgo=",
    },
    "cancelFailedDeliveryOfCte": lambda moment: {"attemptedAt": moment, "reason": "notFound"},
}


async def path_of(operation: Operation, shop: Shop) -> str:
    """Returns the path of an operation, with the ids of newly created records."""
    path = operation.path.replace("{companyId}", shop.id)
    if "{id}" not in path:
        return path
    for end, make in NEEDED.items():
        if path.endswith(end):
            return path.replace("{id}", await make(shop))
    if "/mdfe/" in path:
        return path.replace("{id}", await new_manifest(shop))
    (document_type,) = [document_type for document_type in KINDS if f"/{document_type}/{{id}}" in path]
    return path.replace("{id}", await new_document(shop, document_type))


@pytest.fixture
def reachable_webhooks(system: System, monkeypatch: pytest.MonkeyPatch) -> None:
    """Resolves the host of the example to a public address."""

    async def resolve(host: str, port: int) -> list[str]:
        return [PUBLIC_ADDRESS]

    services: Services = system.app.state.services
    guard = WebhookGuard(AllowedHosts(), resolve)
    monkeypatch.setattr(system.app.state, "services", replace(services, guard=guard))


async def present(operation: Operation, shop: Shop, path: str, body: Any) -> Any:
    """Returns an example with what belongs to the document that was just created: moments, NF-e and event."""
    moment = datetime.now(UTC).isoformat(timespec="seconds")
    fields: dict[str, Any] = {
        name: moment for name in ("deliveredAt", "attemptedAt", "hashedAt", "closedAt") if name in body
    }
    if "nfeAccessKeys" in body:
        fields["nfeAccessKeys"] = [CARRIED_NFE]
    if operation.id == "closeMdfeByKey":
        manifest = await issue_manifest(shop)
        fields |= {"accessKey": manifest["accessKey"], "protocol": manifest["protocol"]}
    if operation.id in UNDONE:
        event = data_of(await shop.caller.http.post(path, json=UNDONE[operation.id](moment)))
        fields |= {"eventId": event["id"]} if "eventId" in body else {}
    return with_keys_of_today(body) | fields


def with_keys_of_today(value: Any) -> Any:
    """Returns an example with access keys of this month: listed documents may be six months old."""
    if isinstance(value, dict):
        return {name: with_keys_of_today(item) for name, item in value.items()}
    if isinstance(value, list):
        return [with_keys_of_today(item) for item in value]
    if isinstance(value, str) and re.fullmatch("[0-9]{44}", value):
        key = f"{value[:2]}{datetime.now(UTC):%y%m}{value[6:43]}"
        return key + check_digit(key)
    return value


async def problem_with(operation: Operation, shop: Shop, body: Any) -> str:
    """Sends a body, and returns why it was not accepted or its document not authorized."""
    path = await path_of(operation, shop)
    body = await present(operation, shop, path, body)
    answer = await shop.caller.http.request(operation.method, path, json=body)
    if answer.status_code not in (200, 202):
        return answer.text
    if operation.id == "rotateCredential":
        shop.caller.http.headers["X-Api-Secret"] = answer.json()["data"]["apiSecret"]
    if operation.path.endswith((*KINDS, "cte-os", "mdfe")):
        document = await shop.settled(accepted(answer))
        return "" if document["status"] == "authorized" else str(document["rejection"])
    return ""


class TestBodyExamples:
    @pytest.mark.usefixtures("reachable_webhooks")
    async def test_body_examples_are_accepted_and_their_documents_authorized(
        self, operations: list[Operation], new_shop: NewShop
    ) -> None:
        """Each operation has its own company: some of them change it permanently."""
        assert set(KINDS) <= {operation.path.rpartition("/")[2] for operation in operations}
        problems = []
        for operation in operations:
            shop = await new_shop()
            for name, example in operation.examples.items():
                if problem := await problem_with(operation, shop, example["value"]):
                    problems.append((operation.id, name, problem))
        assert problems == []
