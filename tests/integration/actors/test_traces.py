"""Everything that the API changes says who changed it: in the history of a document, or in the audit."""

import json
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest

from carimbo.service.services import Services
from integration.actors.walk import Walk
from integration.api.test_tenancy import LOGO
from integration.api.webhook_api import HEADERS, TOKEN, URL
from integration.issuing import manifests
from integration.issuing.actions import cancel, correct, discard, parked
from integration.issuing.number_ledger import inutilize_gaps, inutilize_numbers, skip_to
from integration.issuing.shop import (
    CARRIED_NFE,
    CSC,
    INVOICES,
    REFUSED,
    REGISTRATION,
    Shop,
    accepted,
    bare_shop,
)
from integration.issuing.system import System
from integration.issuing.test_cte_delivery import deliver, now, undo
from integration.issuing.test_cte_os import GUIDE, VALUABLES
from integration.issuing.test_cte_os import issue as issue_cte_os
from integration.issuing.test_mdfe import RIO, SAO_PAULO, close, forget
from integration.receiving.inbox import NFES, Buyer, carried, served, upload, xml_of
from integration.sales.store import COURSE, MARIA, open_store
from support import CNPJ, Caller, data_of

CTES, NFSES = "received-ctes", "received-nfses"
PASSWORD = "uma senha de certificado"
REASON = "Cancelado a pedido do cliente"


@pytest.fixture
def walk(system: System, monkeypatch: pytest.MonkeyPatch) -> Walk:
    """Watches requests to an installation that sends e-mails."""
    services: Services = system.app.state.services
    outbox = replace(services.outbox, is_open=True)
    monkeypatch.setattr(system.app.state, "services", replace(services, outbox=outbox))
    return Walk.through(system)


async def by_mail(shop: Shop, document: dict[str, Any]) -> None:
    body = {"to": ["maria@example.com"]}
    accepted(await shop.post(f"/{document['type']}/{document['id']}/email", body))


async def issue_and_cancel(shop: Shop) -> None:
    for document_type in (*INVOICES, "cte"):
        document = await shop.issue(document_type)
        await by_mail(shop, document)
        if document_type == "nfe":
            data_of(await correct(shop, document))
        data_of(await cancel(shop, document, {"justification": REASON}))
    for document_type in ("nfe", "nfce"):
        data_of(await inutilize_numbers(shop, 2, 3, document_type))
    await skip_to(shop, 15, "nfe")
    await inutilize_gaps(shop)


async def write_drafts(shop: Shop) -> None:
    for draft in (
        await shop.create("nfce", transmit="later"),
        await manifests.create(shop, transmit="later"),
    ):
        accepted(await shop.post(f"/{draft['type']}/{draft['id']}/transmit"))
        await shop.settled(draft)
    rejected = await shop.issue("nfe", notes=REFUSED)
    data_of(await shop.patch(rejected, notes=None))
    accepted(await shop.emit(rejected))
    data_of(await discard(shop, await manifests.create(shop, transmit="later")))


async def carry(shop: Shop) -> None:
    document = await shop.issue("cte")
    path = f"/cte/{document['id']}"
    correction = {"group": "compl", "field": "xObs", "value": "Entregar pela manhã"}
    data_of(await shop.post(f"{path}/correction", {"corrections": [correction]}))
    body = {"attemptedAt": now(), "reason": "notFound"}
    data_of(await shop.post(f"{path}/failed-delivery", body))
    data_of(await undo(shop, document, "failed-delivery"))
    data_of(await deliver(shop, document))
    data_of(await undo(shop, document))
    valuables = await issue_cte_os(shop, **VALUABLES)
    data_of(await shop.post(f"/cte/{valuables['id']}/gtv", {"gtvs": [GUIDE]}))


async def travel(shop: Shop) -> None:
    manifest = await manifests.issue(shop)
    await by_mail(shop, manifest)
    data_of(await shop.post(f"/mdfe/{manifest['id']}/drivers", manifests.DRIVER))
    data_of(await close(shop, manifest))
    path = shop.path(f"/mdfe/{(await manifests.issue(shop))['id']}")
    data_of(await shop.caller.http.delete(path, params={"justification": REASON}))
    loaded = await manifests.issue(shop, **manifests.LATER)
    included = {"cityCode": SAO_PAULO, "nfeAccessKeys": [CARRIED_NFE]}
    body: dict[str, Any] = {"loadingCityCode": SAO_PAULO, "documents": [included]}
    data_of(await shop.post(f"/mdfe/{loaded['id']}/documents", body))
    path = f"/mdfe/{(await manifests.issue_on_hired_truck(shop))['id']}/payments"
    body = {"trips": {"total": 2, "current": 1}, "payments": [manifests.PAYMENT]}
    data_of(await shop.post(path, body))
    change = {"payments": [manifests.PAYMENT | {"components": [{"type": "freight", "amount": 3100}]}]}
    data_of(await shop.caller.http.put(shop.path(path), json=change))
    forgotten = await manifests.issue(shop)
    await forget(shop, forgotten)
    foreign = {name: forgotten[name] for name in ("accessKey", "protocol")}
    data_of(await shop.post("/mdfe/close-by-key", foreign | {"cityCode": RIO}))


async def sell(shop: Shop) -> None:
    store = await open_store(shop)
    sale = await store.draft("curso")
    data_of(await store.put(sale, "curso", emitWhen="manual", discount=1))
    data_of(await store.patch_sale(sale, notes="Presente"))
    accepted(await store.emit_sale(sale))
    data_of(await store.cancel_sale(await store.sale_settled(sale)))
    data_of(await store.delete(await store.draft("curso")))
    customer, course = await store.know(MARIA), await store.stock(COURSE | {"sku": "outro"})
    for path, changes in (
        (f"/customers/{customer['id']}", {"name": "Maria de Souza"}),
        (f"/products/{course['id']}", {"name": "Curso de canto"}),
    ):
        data_of(await shop.caller.http.put(shop.path(path), json=changes))
        data_of(await shop.caller.http.delete(shop.path(path)))


async def receive(buyer: Buyer) -> None:
    shop = buyer.shop
    bought = await buyer.buys()
    await buyer.sync()
    path = f"/{NFES}/{(await buyer.only())['id']}"
    accepted(await shop.post(f"{path}/return-draft"))
    data_of(await shop.post(f"{path}/manifest", {"type": "confirmed"}))
    carriage, service = await carried(buyer), await served(buyer)
    await buyer.sync(CTES)
    path = f"/{CTES}/{(await buyer.only(CTES))['id']}/disagreement"
    data_of(await shop.post(path, {"justification": "Mercadoria recusada na entrega"}))
    data_of(await shop.caller.http.delete(shop.path(path)))
    await buyer.sync(NFSES)
    path = f"/{NFSES}/{(await buyer.only(NFSES))['id']}/manifest"
    data_of(await shop.post(path, {"type": "confirmed"}))
    for collection, document in ((NFES, bought), (CTES, carriage), (NFSES, service)):
        data_of(await upload(shop, await xml_of(buyer.supplier, document), collection))
        data_of(await shop.caller.http.delete(shop.path(f"/{collection}/sync")))


async def keep_company(system: System, caller: Caller) -> None:
    shop, http = await bare_shop(system, caller), caller.http
    issued = system.simulator.certificates.issue(CNPJ, "LOJA MODELO LTDA", datetime.now(UTC))
    for path in (shop.path("/certificate"), "/v1/company/certificate"):
        file = {"file": ("a.pfx", issued.to_pfx(PASSWORD))}
        data_of(await http.post(path, files=file, data={"password": PASSWORD}))
        data_of(await http.delete(path))
    for path, changes in (
        ("/v1/company", {"email": "loja@example.com"}),
        (shop.path(), {"tradeName": "Loja"}),
        (shop.path("/contingency"), {"mode": "forbidden"}),
        (shop.path("/settings"), {"nfce": {**CSC, "series": 7, "number": 70}}),
    ):
        data_of(await http.put(path, json=changes))
    data_of(await http.patch(shop.path("/environment"), json={"environment": "homologation"}))
    registration = data_of(await shop.post("/state-registrations", REGISTRATION))
    data_of(await http.delete(shop.path(f"/state-registrations/{registration['id']}")))
    logo = shop.path("/settings/logo")
    data_of(await http.put(logo, files={"file": ("a.png", LOGO)}))
    data_of(await http.delete(logo))
    data_of(await http.delete(shop.path()))


async def resume_parked_work(shop: Shop) -> None:
    document = await parked(shop, "nfe")
    data_of(await shop.caller.http.post(f"/v1/parked-work/{document['id']}/resume"))
    await shop.settled(document)
    document = await parked(shop, "nfe")
    data_of(await shop.caller.http.post(f"/v1/parked-work/{document['id']}/dismiss"))


async def listen(caller: Caller) -> list[str]:
    """Uses webhooks and the credential; returns the new secrets."""
    http = caller.http
    body = {"url": URL, "events": {"invoice": ["nfe.authorized"]}, "headers": HEADERS}
    webhook = data_of(await http.post("/v1/webhooks", json=body))
    path = f"/v1/webhooks/{webhook['id']}"
    data_of(await http.put(path, json={"name": "Loja"}))
    data_of(await http.patch(f"{path}/active", json={"active": True}))
    rotated = data_of(await http.post(f"{path}/rotate-secret", json={"overlapHours": 1}))
    tested = (await http.post(f"{path}/test")).json()["data"]
    accepted(await http.post(f"{path}/deliveries/{tested['id']}/redeliver"))
    accepted(await http.post(f"{path}/redeliver-failed", json={"since": "2026-11-10"}))
    data_of(await http.delete(path))
    credential = data_of(await http.post("/v1/user/api-credentials", json={"overlapHours": 1}))
    return [webhook["secret"], rotated["secret"], credential["apiSecret"]]


class TestEveryOperation:
    async def test_every_change_by_the_api_names_its_credential_and_no_secret(
        self, walk: Walk, system: System, buyer: Buyer
    ) -> None:
        shop, caller = buyer.shop, walk.watch(await system.new_caller())
        walk.watch(shop.caller)
        for chapter in (issue_and_cancel, write_drafts, resume_parked_work, carry, travel, sell):
            await chapter(shop)
        await receive(buyer)
        await keep_company(system, caller)
        secrets = await listen(caller)
        assert walk.missing == set(), "use these operations above"
        assert walk.silent == set()
        entries = json.dumps([row["entry"] for row in await audit_of(system, shop.caller, caller)])
        assert [secret for secret in (*secrets, TOKEN, CSC["csc"], PASSWORD) if secret in entries] == []


async def audit_of(system: System, *callers: Caller) -> list[Any]:
    """Returns the audit of subscriptions as texts."""
    owners = [caller.subscription_id for caller in callers]
    query = "select a::text as entry from audit_entries a where subscription_id = any($1)"
    rows = await system.fetch(query, owners)
    assert rows
    return rows
