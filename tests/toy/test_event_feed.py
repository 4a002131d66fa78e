"""`GET /v1/events`: events of documents in order, as webhooks receive them."""

from datetime import datetime

import httpx2
import pytest

from integration.issuing.actions import cancel, events_of
from integration.issuing.shop import NewShop, Shop, own_number
from support import ABSENT, data_of, fields_of
from toy.codes import REFUSED
from toy.shop import KINDS

COMMON = {"id", "companyId", "taxId", "status", "type", "amount", "invoiceNumber", "issuedAt"}
FILES = {"pdfUrl", "xmlUrl"}
of_every_type = pytest.mark.parametrize("document_type", KINDS)


class TestDocuments:
    @of_every_type
    async def test_authorization_and_cancellation_are_published(self, shop: Shop, document_type: str) -> None:
        document = await shop.issue(document_type, externalId="pedido-1")
        assert (await cancel(shop, document)).status_code == 200
        authorized, canceled = await events_of(shop.caller)
        assert (authorized["event"], authorized["data"]["status"]) == (
            f"{document_type}.authorized",
            "authorized",
        )
        assert (canceled["event"], canceled["data"]["status"]) == (f"{document_type}.cancelled", "canceled")
        company = data_of(await shop.get(""))
        for event in (authorized, canceled):
            assert set(event) == {"id", "event", "createdAt", "data"}
            data = event["data"]
            assert set(data) - {"saleId"} == COMMON | FILES | {"externalId"}
            assert (data["id"], data["companyId"], data["taxId"]) == (
                document["id"],
                shop.id,
                company["taxId"],
            )
            assert (data["type"], data["externalId"], data["amount"]) == (document_type, "pedido-1", 59.8)
            assert data["invoiceNumber"] == str(document["number"])
            assert data["issuedAt"] == document["issuedAt"]
            assert data.get("saleId") == document["saleId"]

    @of_every_type
    async def test_rejection_is_published(self, shop: Shop, document_type: str) -> None:
        document = await shop.issue(document_type, notes=REFUSED)
        (event,) = await events_of(shop.caller)
        assert (event["event"], event["data"]["status"]) == (f"{document_type}.rejected", "rejected")
        assert set(event["data"]) - {"saleId"} == COMMON | {"rejection"}
        assert event["data"]["rejection"] == document["rejection"]
        # A document that the authority numbers has no number before it is authorized.
        number = None if document["number"] is None else str(own_number(document))
        assert event["data"]["invoiceNumber"] == number

    async def test_events_of_homologation_are_published(self, shop: Shop) -> None:
        answer = await shop.caller.http.patch(shop.path("/environment"), json={"environment": "homologation"})
        data_of(answer)
        document = await shop.issue()
        assert document["environment"] == "homologation"
        (event,) = await events_of(shop.caller)
        assert set(event["data"]) > FILES

    async def test_rejection_and_later_authorization_are_both_published(self, shop: Shop) -> None:
        refused = await shop.issue(notes=REFUSED)
        changed = data_of(await shop.patch(refused, notes=None, externalId=None))
        assert (await shop.emit(changed)).status_code == 202
        await shop.settled(changed)
        first, second = await events_of(shop.caller)
        assert [first["event"], second["event"]] == ["toy.rejected", "toy.authorized"]
        assert first["data"]["status"] == "rejected"
        assert first["data"]["rejection"] == refused["rejection"]
        assert "rejection" not in second["data"]
        assert datetime.fromisoformat(first["createdAt"]) < datetime.fromisoformat(second["createdAt"])


class TestCursor:
    async def test_cursor_continues_where_the_last_page_ended(self, shop: Shop) -> None:
        documents = [await shop.issue() for _ in range(3)]
        seen, query = [], {"limit": 2}
        for more in (True, False, False):
            answer = await shop.caller.http.get("/v1/events", params=query)
            seen += [event["data"]["id"] for event in data_of(answer)]
            info = answer.json()["pageInfo"]
            assert set(answer.json()) == {"success", "data", "pageInfo"}
            assert set(info) == {"hasMore", "nextCursor"}
            assert info["hasMore"] is more
            query["after"] = info["nextCursor"]
        assert seen == [document["id"] for document in documents]

    async def test_cursor_at_the_end_stays_the_same(self, idle_shop: Shop, shop: Shop) -> None:
        empty = await idle_shop.caller.http.get("/v1/events")
        assert empty.json() == {
            "success": True, "data": [], "pageInfo": {"hasMore": False, "nextCursor": None},
        }  # fmt: skip
        await shop.issue()
        (event,) = await events_of(shop.caller)
        rest = (await shop.caller.http.get("/v1/events", params={"after": event["id"]})).json()
        assert (rest["data"], rest["pageInfo"]) == ([], {"hasMore": False, "nextCursor": event["id"]})

    @pytest.mark.parametrize("query", ["limit=0", "limit=101", "limit=x", "after=x", "page=1"])
    async def test_invalid_query_parameter_is_reported(self, idle_shop: Shop, query: str) -> None:
        answer = await idle_shop.caller.http.get(f"/v1/events?{query}")
        assert list(fields_of(answer)) == [query.partition("=")[0]]

    async def test_events_of_another_subscription_are_not_shown(self, shop: Shop, new_shop: NewShop) -> None:
        await shop.issue()
        (event,) = await events_of(shop.caller)
        other = await new_shop()
        for unknown in (event["id"], ABSENT):
            answer: httpx2.Response = await other.caller.http.get(f"/v1/events?after={unknown}")
            assert fields_of(answer) == {
                "after": "Evento não encontrado: informe o id de um evento desta assinatura."
            }
        assert await events_of(other.caller) == []

    async def test_events_of_all_companies_of_the_subscription_are_shown(
        self, shop: Shop, new_shop: NewShop
    ) -> None:
        other = await new_shop(shop.caller)
        documents = [await shop.issue(), await other.issue()]
        companies = [event["data"]["companyId"] for event in await events_of(shop.caller)]
        assert (companies, len(documents)) == ([shop.id, other.id], 2)
