"""NF-e that a supplier issues to a company: from the distribution into its inbox."""

from typing import Any
from uuid import UUID

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

    async def test_summary_of_a_company_that_follows_no_more_promises_no_acknowledgement(
        self, buyer: Buyer
    ) -> None:
        await buyer.shop.put_settings(received={"autoAcknowledge": False})
        await buyer.buys()
        await buyer.sync()
        await buyer.shop.caller.http.delete(buyer.shop.path("/received-nfes/sync"))
        await buyer.shop.put_settings(received={"autoAcknowledge": True})
        file = data_of(await buyer.shop.get(f"/received-nfes/{(await buyer.only())['id']}/xml"))
        assert "a ciência automática está parada" in file["reason"]

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
        assert "cancelou" in refusal.json()["error"]["message"]

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
        assert (letter["origin"], letter["text"]) == ("issuer", correction["correction"])

    async def test_events_have_the_xml_that_the_authority_registered(self, buyer: Buyer) -> None:
        bought = await buyer.buys()
        await buyer.sync()
        correction = {"correction": "O endereço de entrega é Rua das Flores, 10"}
        data_of(await buyer.supplier.post(f"/nfe/{bought['id']}/correction", correction))
        await buyer.an_hour_passes()
        path = f"/received-nfes/{(await buyer.only())['id']}/events"
        codes = []
        for event in data_of(await buyer.shop.get(path)):
            registered = etree.fromstring((await buyer.shop.get(f"{path}/{event['id']}/xml")).content)
            assert registered.tag.endswith("procEventoNFe")
            codes.append(registered.findtext(".//{*}tpEvento", ""))
        assert sorted(codes) == ["110110", "210210"]
        stranger = await buyer.shop.get(f"{path}/{bought['id']}/xml")
        error_of(stranger, 404, "NOT_FOUND")

    async def test_event_that_came_as_a_summary_has_no_xml(self, buyer: Buyer) -> None:
        bought = await buyer.buys()
        await buyer.sync()
        data_of(await buyer.supplier.caller.http.delete(buyer.supplier.path(f"/nfe/{bought['id']}")))
        await buyer.an_hour_passes()
        await buyer.shop.system.fetch(
            "update received_events set has_full_xml = false where company_id = $1", UUID(buyer.shop.id)
        )
        path = f"/received-nfes/{(await buyer.only())['id']}/events"
        (event,) = [event for event in data_of(await buyer.shop.get(path)) if event["origin"] == "issuer"]
        error_of(await buyer.shop.get(f"{path}/{event['id']}/xml"), 409, "INVALID_STATE")


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

    async def test_other_justification_is_another_statement(self, buyer: Buyer) -> None:
        await buyer.buys()
        await buyer.sync()
        document = await buyer.only()
        other = "Mercadoria avariada no transporte"
        statements = [
            data_of(await manifest(buyer, document, "notPerformed", text)) for text in (REASON, other, other)
        ]
        assert [statement["sequence"] for statement in statements] == [1, 2, 2]
        events = data_of(await buyer.shop.get(f"/received-nfes/{document['id']}/events"))
        assert [event["text"] for event in events] == [None, REASON, other]
        error_of(await manifest(buyer, document, "notPerformed", REASON), 409, "INVALID_STATE")

    async def test_statement_does_not_wait_for_an_automatic_acknowledgement(self, buyer: Buyer) -> None:
        await buyer.shop.put_settings(received={"autoAcknowledge": False})
        await buyer.buys()
        await buyer.sync()
        document = await buyer.only()
        await buyer.shop.system.fetch(
            "insert into manifestations (subscription_id, id, company_id, document_id, type, sequence,"
            " request, status_after, is_conclusive, is_automatic, state, next_action_at)"
            " select subscription_id, gen_random_uuid(), company_id, id, 'science', 1,"
            """ '{"type":"science","justification":null}', 'science', false, true, 'sent', null"""
            " from received_documents where id = $1",
            UUID(document["id"]),
        )
        assert data_of(await manifest(buyer, document, "confirmed"))["status"] == "confirmed"

    async def test_last_statement_counts_and_each_kind_is_possible_twice(self, buyer: Buyer) -> None:
        await buyer.buys()
        await buyer.sync()
        document = await buyer.only()
        for kind in ("confirmed", "unknown", "confirmed", "unknown"):
            assert data_of(await manifest(buyer, document, kind))["status"] == kind
        error_of(await manifest(buyer, document, "confirmed"), 409, "INVALID_STATE")

    async def test_document_of_the_other_environment_gets_no_statement(self, buyer: Buyer) -> None:
        await buyer.buys()
        await buyer.sync()
        document = await buyer.only()
        other = {"environment": "homologation"}
        assert (await buyer.shop.caller.http.patch(buyer.shop.path("/environment"), json=other)).is_success
        refusal = await manifest(buyer, document, "confirmed")
        error_of(refusal, 409, "INVALID_STATE")
        assert "outro ambiente" in refusal.json()["error"]["message"]

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

    async def test_late_acknowledgement_names_the_term_of_a_conclusive_statement(self, buyer: Buyer) -> None:
        await buyer.shop.put_settings(received={"autoAcknowledge": False})
        await buyer.buys()
        await buyer.sync()
        document = await buyer.only()
        await buyer.shop.system.fetch(
            "update received_documents set authorized_at = '2026-01-05T01:00:00Z',"
            " respond_by = '2126-04-05T01:00:00Z' where id = $1",
            UUID(document["id"]),
        )
        refusal = await manifest(buyer, document, "science")
        assert error_of(refusal, 422, "MANIFEST_DEADLINE_EXCEEDED") == {"deadline": "2026-01-15T01:00:00Z"}
        # In the time zone of the company.
        assert refusal.json()["error"]["message"] == (
            "O prazo desta manifestação (Ciência da operação) terminou em 14/01/2026."
            " Até 04/04/2126 ainda cabe confirmar ou recusar a operação."
        )

    async def test_statement_of_another_program_counts_but_its_text_is_not_ours(self, buyer: Buyer) -> None:
        """The authority distributes no statement to its author, and refuses the second one (573)."""
        await buyer.buys()
        await buyer.sync()
        document = await buyer.only()
        ours = data_of(await manifest(buyer, document, "notPerformed", REASON))
        assert ours["warnings"] == []
        await buyer.shop.system.fetch("delete from manifestations where type = 'notPerformed'")
        await buyer.shop.system.fetch(
            "update received_documents set status = 'pending' where access_key = $1", document["accessKey"]
        )
        again = data_of(await manifest(buyer, document, "notPerformed", "Outra razão, nunca registrada"))
        assert (again["status"], again["protocol"]) == ("notPerformed", ours["protocol"])
        assert "feita por outro programa" in again["warnings"][0]
        events = data_of(await buyer.shop.get(f"/received-nfes/{document['id']}/events"))
        (event,) = [event for event in events if event["type"] == "notPerformed"]
        assert (event["authorityCode"], event["text"]) == ("573", None)

    async def test_registered_statement_is_returned_after_its_term_too(self, buyer: Buyer) -> None:
        await buyer.buys()
        await buyer.sync()
        document = await buyer.only()
        first = data_of(await manifest(buyer, document, "confirmed"))
        await buyer.shop.system.fetch(
            "update received_documents set authorized_at = authorized_at - interval '91 days'"
            " where access_key = $1",
            document["accessKey"],
        )
        assert data_of(await manifest(buyer, document, "confirmed")) == first


class TestDeletedCompany:
    async def test_received_documents_of_a_deleted_company_can_be_read_but_not_stated_about(
        self, buyer: Buyer
    ) -> None:
        """The law wants the XML to be kept for years."""
        bought = await buyer.buys()
        await buyer.sync()
        document = await buyer.only()
        data_of(await buyer.shop.caller.http.delete(buyer.shop.path()))
        for path in ("", "/xml", "/events", "/pdf"):
            assert (await buyer.shop.get(f"/received-nfes/{document['id']}{path}")).status_code == 200
        assert [row["id"] for row in await buyer.inbox()] == [document["id"]]
        assert data_of(await buyer.shop.get("/received-nfes/totals", month=bought["issuedAt"][:7]))["totals"]
        error_of(await manifest(buyer, document, "confirmed"), 404, "NOT_FOUND")


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
