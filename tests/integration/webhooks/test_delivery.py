import re
from datetime import UTC, datetime, timedelta
from typing import Any

import httpx2

from carimbo import __version__
from integration.issuing.actions import cancel
from integration.issuing.shop import KINDS, REFUSALS, NewShop, Shop
from integration.webhooks.conftest import NewListener
from integration.webhooks.listener import EVERYTHING, Listener, listening
from receiver import Receiver, Reply
from support import data_of


class TestWhatIsTold:
    async def test_an_authorization_is_told_by_exactly_the_fields_of_the_specification(
        self, shop: Shop, listener: Listener
    ) -> None:
        company = data_of(await shop.get(""))
        for place, kind in enumerate(KINDS, start=1):
            document = await shop.issue(kind, externalId=f"pedido-{kind}")
            told = (await listener.told(place))[-1]
            self.assert_exact(shop, company, document, told)

    @staticmethod
    def assert_exact(
        shop: Shop, company: dict[str, Any], document: dict[str, Any], told: dict[str, Any]
    ) -> None:
        kind, data = document["type"], told.pop("data")
        assert told.keys() == {"id", "event", "createdAt"}
        assert told["event"] == f"{kind}.authorized"
        links = data.pop("pdfUrl"), data.pop("xmlUrl")
        assert data == {
            "id": document["id"],
            "externalId": f"pedido-{kind}",
            "companyId": shop.id,
            "taxId": company["taxId"],
            "status": "authorized",
            "type": kind,
            "amount": document["amount"],
            "invoiceNumber": str(document["number"]),
            "issuedAt": document["issuedAt"],
        } | ({"saleId": document["saleId"]} if document["saleId"] else {})
        files = f"{re.escape(shop.floor.settings.link_base)}/files/[0-9a-f-]{{36}}/{document['id']}"
        for link, extension in zip(links, ("pdf", "xml"), strict=True):
            assert re.fullmatch(rf"{files}\.{extension}\?expires=\d+&signature=[\w-]{{43}}", link)
            assert str(shop.caller.subscription_id) not in link

    async def test_a_refusal_has_no_files(self, shop: Shop, listener: Listener) -> None:
        document = await shop.issue("nfe", notes=REFUSALS["nfe"])
        (told,) = await listener.told(1)
        assert (told["event"], told["data"]["status"]) == ("nfe.rejected", "rejected")
        assert told["data"]["id"] == document["id"]
        assert not {"pdfUrl", "xmlUrl", "saleId", "externalId"} & told["data"].keys()

    async def test_names_say_cancelled_and_statuses_canceled(self, shop: Shop, listener: Listener) -> None:
        data_of(await cancel(shop, await shop.issue("nfe")))
        first, second = await listener.told(2)
        assert (first["event"], first["data"]["status"]) == ("nfe.authorized", "authorized")
        assert (second["event"], second["data"]["status"]) == ("nfe.cancelled", "canceled")
        assert first["id"] != second["id"]

    async def test_documents_of_homologation_are_told_too(self, shop: Shop, listener: Listener) -> None:
        path, environment = shop.path("/environment"), {"environment": "homologation"}
        data_of(await shop.caller.http.patch(path, json=environment))
        document = await shop.issue("nfe")
        (told,) = await listener.told(1)
        assert document["environment"] == "homologation"
        assert told["data"]["id"] == document["id"]

    async def test_the_links_open_without_credentials(
        self, shop: Shop, listener: Listener, anybody: httpx2.AsyncClient
    ) -> None:
        document = await shop.issue("nfe")
        (told,) = await listener.told(1)
        base = shop.floor.settings.link_base
        pdf = await anybody.get(told["data"]["pdfUrl"].removeprefix(base))
        xml = await anybody.get(told["data"]["xmlUrl"].removeprefix(base))
        assert pdf.content.startswith(b"%PDF-")
        assert document["accessKey"].encode() in xml.content
        assert xml.content == (await shop.get(f"/nfe/{document['id']}/xml")).content

    async def test_only_chosen_events_are_told(
        self, shop: Shop, new_listener: NewListener, receiver: Receiver
    ) -> None:
        listener = await new_listener(receiver, events={"invoice": ["nfe.cancelled"]})
        document = await shop.issue("nfe")
        data_of(await cancel(shop, document))
        (told,) = await listener.told(1)
        assert told["event"] == "nfe.cancelled"
        assert [one["event"] for one in await listener.deliveries()] == ["nfe.cancelled"]

    async def test_other_subscriptions_hear_nothing_of_it(
        self, shop: Shop, new_shop: NewShop, listener: Listener, other_receiver: Receiver
    ) -> None:
        other = await listening(await new_shop(), other_receiver, events=EVERYTHING)
        await shop.issue("nfe")
        await listener.told(1)
        assert await other.deliveries() == []


class TestHowItIsTold:
    async def test_by_a_signed_post_of_json_with_the_headers_of_the_webhook(
        self, shop: Shop, new_listener: NewListener, receiver: Receiver
    ) -> None:
        headers = [{"key": "X-Loja", "value": "segredo-da-loja"}]
        listener = await new_listener(receiver, headers=headers)
        await shop.issue("nfe")
        (call,) = await listener.until(1)
        told = listener.verified(call)
        assert (call.method, call.path) == ("POST", "/hook")
        assert call.headers["content-type"] == "application/json"
        assert call.headers["user-agent"] == f"Carimbo/{__version__}"
        assert call.headers["x-loja"] == "segredo-da-loja"
        assert call.headers["webhook-id"] == told["id"]
        sent_at = datetime.fromtimestamp(int(call.headers["webhook-timestamp"]), UTC)
        assert abs(datetime.now(UTC) - sent_at) < timedelta(minutes=1)

    async def test_every_endpoint_of_the_subscription_is_told(
        self, shop: Shop, listener: Listener, new_listener: NewListener, other_receiver: Receiver
    ) -> None:
        other = await new_listener(other_receiver)
        await shop.issue("nfe")
        assert (await listener.told(1))[0]["id"] == (await other.told(1))[0]["id"]

    async def test_the_log_keeps_what_was_sent_and_what_came_back(
        self, shop: Shop, new_listener: NewListener, receiver: Receiver
    ) -> None:
        receiver.default = Reply(201, body=b"obrigado " * 4000, delay=0.2)
        listener = await new_listener(receiver, headers=[{"key": "X-Loja", "value": "segredo-da-loja"}])
        await shop.issue("nfe")
        delivery = await listener.until_status("delivered")
        (attempt,) = delivery["attempts"]
        (call,) = receiver.calls
        assert attempt["requestBody"].encode() == call.body
        assert attempt["requestHeaders"]["webhook-id"] == call.headers["webhook-id"]
        assert "segredo-da-loja" not in str(delivery)
        assert (attempt["responseStatus"], len(attempt["responseBody"])) == (201, 20_000)
        assert attempt["nextAttemptAt"] is None
        assert attempt["durationMs"] >= 200
        record = await listener.record()
        assert record["lastDelivery"]["id"] == delivery["id"]
        assert record["lastDelivery"]["responseStatus"] == 201
