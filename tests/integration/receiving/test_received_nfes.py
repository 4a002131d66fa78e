"""NF-e that a supplier issues to a company: from the distribution into its inbox."""

from typing import Any

from lxml import etree

from integration.issuing.shop import MUG, error_of
from integration.receiving.inbox import Buyer
from support import data_of

REASON = "Mercadoria recusada na entrega"


async def manifest(
    buyer: Buyer, document: dict[str, Any], kind: str, justification: str | None = None
) -> Any:
    path = f"/received-nfes/{document['id']}/manifest"
    return await buyer.shop.post(path, {"type": kind, "justification": justification})


class TestReceiving:
    async def test_nfe_of_a_supplier_arrives_is_acknowledged_and_completed(self, buyer: Buyer) -> None:
        bought = await buyer.buys()
        queued = await buyer.sync()
        assert queued["status"] == "queued"
        received = await buyer.only()
        assert received["accessKey"] == bought["accessKey"]
        assert received["issuer"]["name"] == "Loja Modelo Ltda"
        assert (received["amount"], received["role"]) == (59.8, "recipient")
        assert (received["status"], received["hasFullXml"]) == ("science", True)

    async def test_whole_document_is_read_printed_and_downloaded(self, buyer: Buyer) -> None:
        bought = await buyer.buys(
            items=[MUG, MUG | {"description": "Prato"}], payments=[{"method": "pix", "amount": 119.6}]
        )
        await buyer.sync()
        path = f"/received-nfes/{(await buyer.only())['id']}"
        details = data_of(await buyer.shop.get(path))["details"]
        assert [item["description"] for item in details["items"]] == ["Caneca", "Prato"]
        assert {party["role"] for party in details["parties"]} >= {"issuer", "recipient"}
        file = data_of(await buyer.shop.get(f"{path}/xml"))
        assert (file["availability"], file["accessKey"]) == ("available", bought["accessKey"])
        assert etree.fromstring(file["xml"].encode()).tag.endswith("nfeProc")
        linked = await buyer.shop.system.client({}).get(file["xmlUrl"])
        assert linked.content == file["xml"].encode()
        pdf = await buyer.shop.get(f"{path}/pdf")
        assert pdf.content.startswith(b"%PDF")

    async def test_summary_says_why_its_xml_is_missing(self, buyer: Buyer) -> None:
        await buyer.shop.put_settings(received={"autoAcknowledge": False})
        await buyer.buys()
        await buyer.sync()
        document = await buyer.only()
        assert (document["status"], document["hasFullXml"]) == ("pending", False)
        file = data_of(await buyer.shop.get(f"/received-nfes/{document['id']}/xml"))
        assert (file["xml"], file["availability"]) == (None, "summaryOnly")
        assert "autoAcknowledge" in file["reason"]

    async def test_xml_that_a_person_wants_is_asked_for_by_its_key(self, buyer: Buyer) -> None:
        await buyer.shop.put_settings(received={"autoAcknowledge": False})
        await buyer.buys()
        await buyer.sync()
        document = await buyer.only()
        data_of(await manifest(buyer, document, "confirmed"))
        path = f"/received-nfes/{document['id']}/xml"
        assert data_of(await buyer.shop.get(path))["availability"] == "requested"
        await buyer.quiet()
        assert data_of(await buyer.shop.get(path))["availability"] == "available"

    async def test_cancellation_of_the_issuer_changes_the_situation(self, buyer: Buyer) -> None:
        bought = await buyer.buys()
        await buyer.sync()
        data_of(await buyer.supplier.caller.http.delete(buyer.supplier.path(f"/nfe/{bought['id']}")))
        await buyer.an_hour_passes()
        document = await buyer.only()
        assert document["situation"] == "canceled"
        refusal = await manifest(buyer, document, "confirmed")
        assert "cancelado" in refusal.json()["error"]["message"]

    async def test_letter_of_the_issuer_changes_the_situation(self, buyer: Buyer) -> None:
        bought = await buyer.buys()
        await buyer.sync()
        correction = {"correction": "O endereço de entrega é Rua das Flores, 10"}
        data_of(await buyer.supplier.post(f"/nfe/{bought['id']}/correction", correction))
        await buyer.an_hour_passes()
        document = await buyer.only()
        assert document["situation"] == "corrected"
        events = data_of(await buyer.shop.get(f"/received-nfes/{document['id']}/events"))
        (letter,) = [event for event in events if event["type"] == "110110"]
        assert (letter["origin"], letter["text"]) == ("other", correction["correction"])


class TestManifesting:
    async def test_statement_is_registered_once_however_often_it_is_sent(self, buyer: Buyer) -> None:
        await buyer.buys()
        await buyer.sync()
        document = await buyer.only()
        first = data_of(await manifest(buyer, document, "confirmed"))
        assert (first["status"], first["manifestationStatus"]) == ("confirmed", "authorized")
        assert data_of(await manifest(buyer, document, "confirmed")) == first

    async def test_operation_that_was_not_performed_needs_a_reason(self, buyer: Buyer) -> None:
        await buyer.buys()
        await buyer.sync()
        document = await buyer.only()
        details = error_of(await manifest(buyer, document, "notPerformed"), 422, "VALIDATION_ERROR")
        assert details["fields"][0]["field"] == "justification"
        registered = data_of(await manifest(buyer, document, "notPerformed", REASON))
        assert registered["status"] == "notPerformed"

    async def test_last_statement_counts_and_each_kind_is_possible_twice(self, buyer: Buyer) -> None:
        await buyer.buys()
        await buyer.sync()
        document = await buyer.only()
        for kind in ("confirmed", "unknown", "confirmed", "unknown"):
            assert data_of(await manifest(buyer, document, kind))["status"] == kind
        error_of(await manifest(buyer, document, "confirmed"), 409, "INVALID_STATE")

    async def test_late_statement_names_its_deadline(self, buyer: Buyer) -> None:
        await buyer.buys()
        await buyer.sync()
        document = await buyer.only()
        await buyer.shop.system.fetch(
            "update received_documents set authorized_at = authorized_at - interval '91 days'"
            " where access_key = $1",
            document["accessKey"],
        )
        details = error_of(await manifest(buyer, document, "confirmed"), 422, "MANIFEST_DEADLINE_EXCEEDED")
        assert details["deadline"] < document["manifestDeadline"]

    async def test_statement_of_another_program_counts_as_ours(self, buyer: Buyer) -> None:
        """The authority distributes no statement to its author, and refuses the second one (573)."""
        await buyer.buys()
        await buyer.sync()
        document = await buyer.only()
        data_of(await manifest(buyer, document, "confirmed"))
        await buyer.shop.system.fetch("delete from manifestations where type = 'confirmed'")
        await buyer.shop.system.fetch(
            "update received_documents set status = 'pending' where access_key = $1", document["accessKey"]
        )
        again = data_of(await manifest(buyer, document, "confirmed"))
        assert again["status"] == "confirmed"


class TestReadiness:
    async def test_company_without_certificate_is_not_ready(self, buyer: Buyer) -> None:
        await buyer.shop.caller.http.delete(buyer.shop.path("/certificate"))
        error_of(await buyer.shop.post("/received-nfes/sync"), 422, "CERTIFICATE_MISSING")

    async def test_company_that_can_not_issue_nfe_is_not_ready(self, buyer: Buyer) -> None:
        registrations = data_of(await buyer.shop.get("/state-registrations"))
        for registration in registrations:
            await buyer.shop.caller.http.delete(buyer.shop.path(f"/state-registrations/{registration['id']}"))
        details = error_of(await buyer.shop.post("/received-nfes/sync"), 422, "COMPANY_NOT_READY")
        assert details["missing"] == ["stateRegistration"]
