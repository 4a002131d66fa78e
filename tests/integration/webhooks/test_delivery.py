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


class TestPayload:
    async def test_the_payload_of_an_authorization_has_exactly_the_specified_fields(
        self, shop: Shop, listener: Listener
    ) -> None:
        company = data_of(await shop.get(""))
        for count, document_type in enumerate(KINDS, start=1):
            document = await shop.issue(document_type, externalId=f"pedido-{document_type}")
            payload = (await listener.payloads(count))[-1]
            self.assert_exact(shop, company, document, payload)

    @staticmethod
    def assert_exact(
        shop: Shop, company: dict[str, Any], document: dict[str, Any], payload: dict[str, Any]
    ) -> None:
        document_type, data = document["type"], payload.pop("data")
        assert payload.keys() == {"id", "event", "createdAt"}
        assert payload["event"] == f"{document_type}.authorized"
        links = data.pop("pdfUrl"), data.pop("xmlUrl")
        assert data == {
            "id": document["id"],
            "externalId": f"pedido-{document_type}",
            "companyId": shop.id,
            "taxId": company["taxId"],
            "status": "authorized",
            "type": document_type,
            "amount": document["amount"],
            "invoiceNumber": str(document["number"]),
            "issuedAt": document["issuedAt"],
        } | ({"saleId": document["saleId"]} if document["saleId"] else {})
        files = f"{re.escape(shop.system.settings.link_base)}/files/[0-9a-f-]{{36}}/{document['id']}"
        for link, extension in zip(links, ("pdf", "xml"), strict=True):
            assert re.fullmatch(rf"{files}\.{extension}\?expires=\d+&signature=[\w-]{{43}}", link)
            assert str(shop.caller.subscription_id) not in link

    async def test_a_refusal_has_no_files(self, shop: Shop, listener: Listener) -> None:
        document = await shop.issue("nfe", notes=REFUSALS["nfe"])
        (payload,) = await listener.payloads(1)
        assert (payload["event"], payload["data"]["status"]) == ("nfe.rejected", "rejected")
        assert payload["data"]["id"] == document["id"]
        assert not {"pdfUrl", "xmlUrl", "saleId", "externalId"} & payload["data"].keys()

    async def test_event_names_say_cancelled_and_statuses_canceled(
        self, shop: Shop, listener: Listener
    ) -> None:
        data_of(await cancel(shop, await shop.issue("nfe")))
        first, second = await listener.payloads(2)
        assert (first["event"], first["data"]["status"]) == ("nfe.authorized", "authorized")
        assert (second["event"], second["data"]["status"]) == ("nfe.cancelled", "canceled")
        assert first["id"] != second["id"]

    async def test_events_of_homologation_are_delivered_too(self, shop: Shop, listener: Listener) -> None:
        path, environment = shop.path("/environment"), {"environment": "homologation"}
        data_of(await shop.caller.http.patch(path, json=environment))
        document = await shop.issue("nfe")
        (payload,) = await listener.payloads(1)
        assert document["environment"] == "homologation"
        assert payload["data"]["id"] == document["id"]

    async def test_the_links_open_without_credentials(
        self, shop: Shop, listener: Listener, anybody: httpx2.AsyncClient
    ) -> None:
        document = await shop.issue("nfe")
        (payload,) = await listener.payloads(1)
        base = shop.system.settings.link_base
        pdf = await anybody.get(payload["data"]["pdfUrl"].removeprefix(base))
        xml = await anybody.get(payload["data"]["xmlUrl"].removeprefix(base))
        assert pdf.content.startswith(b"%PDF-")
        assert document["accessKey"].encode() in xml.content
        assert xml.content == (await shop.get(f"/nfe/{document['id']}/xml")).content

    async def test_only_chosen_events_are_delivered(
        self, shop: Shop, new_listener: NewListener, receiver: Receiver
    ) -> None:
        listener = await new_listener(receiver, events={"invoice": ["nfe.cancelled"]})
        document = await shop.issue("nfe")
        data_of(await cancel(shop, document))
        (payload,) = await listener.payloads(1)
        assert payload["event"] == "nfe.cancelled"
        assert [delivery["event"] for delivery in await listener.deliveries()] == ["nfe.cancelled"]

    async def test_other_subscriptions_get_no_delivery(
        self, shop: Shop, new_shop: NewShop, listener: Listener, other_receiver: Receiver
    ) -> None:
        other = await listening(await new_shop(), other_receiver, events=EVERYTHING)
        await shop.issue("nfe")
        await listener.payloads(1)
        assert await other.deliveries() == []


class TestRequest:
    async def test_a_delivery_is_a_signed_json_post_with_the_webhook_s_headers(
        self, shop: Shop, new_listener: NewListener, receiver: Receiver
    ) -> None:
        headers = [{"key": "X-Loja", "value": "segredo-da-loja"}]
        listener = await new_listener(receiver, headers=headers)
        await shop.issue("nfe")
        (call,) = await listener.until(1)
        payload = listener.verified(call)
        assert (call.method, call.path) == ("POST", "/hook")
        assert call.headers["content-type"] == "application/json"
        assert call.headers["user-agent"] == f"Carimbo/{__version__}"
        assert call.headers["x-loja"] == "segredo-da-loja"
        assert call.headers["webhook-id"] == payload["id"]
        sent_at = datetime.fromtimestamp(int(call.headers["webhook-timestamp"]), UTC)
        assert abs(datetime.now(UTC) - sent_at) < timedelta(minutes=1)

    async def test_every_webhook_of_the_subscription_gets_the_event(
        self, shop: Shop, listener: Listener, new_listener: NewListener, other_receiver: Receiver
    ) -> None:
        other = await new_listener(other_receiver)
        await shop.issue("nfe")
        assert (await listener.payloads(1))[0]["id"] == (await other.payloads(1))[0]["id"]

    async def test_the_log_keeps_request_and_response(
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
