"""Documents, sales and filings say who created them, and each entry of a history says who caused it."""

from dataclasses import dataclass
from typing import Any
from uuid import UUID

import pytest

from carimbo.fiscal.documents.nfe.definition import NFE as NFE_TYPE
from carimbo.service.companies.registration import find_company
from carimbo.service.documents.queries import DocumentReference
from carimbo.service.issuing.accept import DocumentOrder, accept
from carimbo.service.issuing.drafts import change_document, emit_document
from carimbo.service.json_values import write_json
from carimbo.service.services import Services
from carimbo.storage.actors import Actor, ActorKind
from carimbo.storage.companies import CompanyRow
from carimbo.storage.identifiers import new_id
from carimbo.storage.subscriptions import Subscription
from integration.issuing.actions import correct, out_of_service
from integration.issuing.number_ledger import inutilize_numbers
from integration.issuing.shop import NFE, REFUSED, Shop
from integration.receiving.inbox import NFES, Buyer
from integration.sales.store import fired, open_store, waiting
from support import data_of, make_due

ANA = Actor(ActorKind.PERSON, new_id(), "Ana Souza")
BY_ANA = {"kind": "person", "name": "Ana Souza"}
BY_API = {"kind": "credential", "name": None}
BY_SCHEDULE = {"kind": "schedule", "name": None}


@dataclass(frozen=True)
class Desk:
    """A person who uses the services for a company."""

    services: Services
    subscription: Subscription
    company: CompanyRow

    def reference(self, document: dict[str, Any]) -> DocumentReference:
        return DocumentReference(self.subscription.id, UUID(document["id"]))


@pytest.fixture
async def ana(shop: Shop) -> Desk:
    """Ana, who uses the services as the dashboard does."""
    services: Services = shop.system.app.state.services
    caller = await services.authenticator.authenticate(str(shop.caller.subscription_id), shop.caller.secret)
    company = await find_company(services.database, caller.subscription.id, UUID(shop.id))
    return Desk(services.acting_as(ANA), caller.subscription, company)


async def actors_of(shop: Shop, document: dict[str, Any]) -> list[tuple[str, Any]]:
    """Returns the entries of a history, each with its actor."""
    return [(event["type"], event["actor"]) for event in await shop.events(document)]


BY_THE_WORKER = [(name, None) for name in ("numbered", "signed", "transmitted", "authorized")]


class TestDocuments:
    async def test_document_of_the_api_names_the_credential_and_authorities_are_nobody(
        self, shop: Shop
    ) -> None:
        document = await shop.issue("nfe")
        assert document["createdBy"] == BY_API
        listed = data_of(await shop.get("/invoices"))
        assert [record["createdBy"] for record in listed] == [BY_API]
        history = await actors_of(shop, document)
        assert history == [("created", BY_API), ("queued", BY_API), *BY_THE_WORKER]

    async def test_document_of_a_person_names_the_person(self, shop: Shop, ana: Desk) -> None:
        request = NFE_TYPE.issuing.request.model_validate(NFE)
        order = DocumentOrder(ana.subscription, ana.company, NFE_TYPE, request, write_json(NFE), None)
        accepted = await accept(ana.services.issuing, order)
        document = await shop.settled({"id": str(accepted.record.id), "type": "nfe"})
        assert document["createdBy"] == BY_ANA
        assert (await actors_of(shop, document))[:2] == [("created", BY_ANA), ("queued", BY_ANA)]

    async def test_document_that_a_person_corrects_keeps_its_creator(self, shop: Shop, ana: Desk) -> None:
        refused = await shop.issue("nfe", notes=REFUSED)
        issuing, which = ana.services.issuing, ana.reference(refused)
        await change_document(issuing, ana.subscription, ana.company, which, 1, {"notes": None})
        await emit_document(issuing, ana.subscription, ana.company, which)
        document = await shop.settled(refused)
        assert document["createdBy"] == BY_API
        by_ana = [name for name, actor in await actors_of(shop, document) if actor == BY_ANA]
        assert by_ana == ["changed", "queued"]

    async def test_document_of_an_earlier_release_names_nobody(self, shop: Shop) -> None:
        document = await shop.issue("nfe")
        # As the release before stored it.
        await shop.system.fetch("update documents set created_by = null where company_id = $1", UUID(shop.id))
        assert (await shop.read(document))["createdBy"] is None

    async def test_scheduled_sale_is_created_by_its_caller_and_emitted_by_schedule(self, shop: Shop) -> None:
        store = await open_store(shop)
        sale = await waiting(store, "caneca")
        await make_due(store.system.fetch, sale["id"])
        sale = await fired(store, sale)
        assert sale["createdBy"] == BY_API
        document = await store.invoice(sale, "nfe")
        assert document["createdBy"] == BY_API
        history = await actors_of(store, document)
        assert history[:2] == [("created", BY_API), ("queued", BY_SCHEDULE)]


class TestFilings:
    async def test_registered_event_names_who_filed_it(self, shop: Shop) -> None:
        document = await shop.issue("nfe")
        assert data_of(await correct(shop, document))["actor"] == BY_API
        assert (await actors_of(shop, document))[-1] == ("correction", BY_API)

    @pytest.mark.usefixtures("short_wait")
    async def test_event_under_way_names_who_filed_it(self, shop: Shop) -> None:
        document = await shop.issue("nfe")
        async with out_of_service(shop.system, "SP"):
            assert (await correct(shop, document)).status_code == 202
            assert (await actors_of(shop, document))[-1] == ("correction", BY_API)

    async def test_voided_numbers_name_who_voided_them(self, shop: Shop) -> None:
        filed = data_of(await inutilize_numbers(shop, 1, 2))
        assert filed["createdBy"] == BY_API
        listed = data_of(await shop.get("/nfe/inutilizations"))
        assert [record["createdBy"] for record in listed] == [BY_API]

    async def test_statements_name_the_caller_or_the_schedule(self, buyer: Buyer) -> None:
        await buyer.buys()
        await buyer.sync()
        path = f"/{NFES}/{(await buyer.only())['id']}"
        stated = data_of(await buyer.shop.post(f"{path}/manifest", {"type": "confirmed"}))
        assert stated["createdBy"] == BY_API
        events = data_of(await buyer.shop.get(f"{path}/events"))
        assert [(event["type"], event["actor"]) for event in events] == [
            ("science", BY_SCHEDULE), ("confirmed", BY_API),
        ]  # fmt: skip
