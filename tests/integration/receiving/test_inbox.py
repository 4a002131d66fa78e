"""The inbox of received documents: lists, changes, imports, drafts of returns, and monthly sums."""

from typing import Any

import pytest

from integration.issuing.shop import MUG, accepted, error_of
from integration.receiving.inbox import NFES, Buyer, forget_emissions, upload, xml_of
from support import data_of


class TestLists:
    async def test_list_is_searched_by_issuer_number_key_and_status(self, buyer: Buyer) -> None:
        first, second = await buyer.buys(), await buyer.buys()
        await buyer.sync()
        keys = [document["accessKey"] for document in await buyer.inbox()]
        assert set(keys) == {first["accessKey"], second["accessKey"]}
        assert len(await buyer.inbox(search="loja mod")) == 2
        assert await buyer.inbox(search="padaria") == []
        for search in (first["accessKey"], str(first["number"])):
            assert [row["accessKey"] for row in await buyer.inbox(search=search)] == [first["accessKey"]]
        assert await buyer.inbox(status="confirmed") == []
        assert len(await buyer.inbox(status="science", limit=1)) == 1
        assert await buyer.inbox(startDate="2020-01-01", endDate="2020-12-31") == []

    async def test_cursor_returns_what_changed_since(self, buyer: Buyer) -> None:
        await buyer.buys()
        await buyer.buys()
        await buyer.sync()
        rows = await buyer.inbox(after=0)
        versions = [row["version"] for row in rows]
        assert versions == sorted(versions)
        assert await buyer.inbox(after=versions[-1]) == []
        path = f"/received-nfes/{rows[0]['id']}/manifest"
        data_of(await buyer.shop.post(path, {"type": "confirmed"}))
        (changed,) = await buyer.inbox(after=versions[-1])
        assert (changed["id"], changed["status"]) == (rows[0]["id"], "confirmed")

    @pytest.mark.parametrize("beside", [{"status": "pending"}, {"search": "loja"}, {"page": 2}])
    async def test_cursor_beside_a_filter_is_refused(self, buyer: Buyer, beside: dict[str, Any]) -> None:
        reply = await buyer.shop.get("/received-nfes", after=0, **beside)
        assert error_of(reply, 422, "VALIDATION_ERROR")["fields"][0]["field"] == "after"


class TestImport:
    async def test_xml_by_hand_is_in_the_inbox_and_is_completed_once(self, buyer: Buyer) -> None:
        bought = await buyer.buys()
        xml = await xml_of(buyer.supplier, bought)
        imported = data_of(await upload(buyer.shop, xml))
        assert (imported["accessKey"], imported["hasFullXml"]) == (bought["accessKey"], True)
        assert data_of(await upload(buyer.shop, xml))["id"] == imported["id"]
        await buyer.sync()
        received = await buyer.only()
        assert (received["id"], received["nsu"], received["status"]) == (imported["id"], 1, "science")

    @pytest.mark.parametrize("is_acknowledged", [True, False])
    async def test_protocol_of_a_file_does_not_change_what_the_authority_said(
        self, buyer: Buyer, is_acknowledged: bool
    ) -> None:
        """Nobody signs the protocol, neither of a whole document nor of one with a summary."""
        await buyer.shop.put_settings(received={"autoAcknowledge": is_acknowledged})
        xml = await xml_of(buyer.supplier, await buyer.buys())
        await buyer.sync()
        before = await buyer.only()
        assert before["hasFullXml"] is is_acknowledged
        denied = xml.replace(b"<cStat>100</cStat>", b"<cStat>302</cStat>")
        assert denied != xml
        assert data_of(await upload(buyer.shop, denied))["situation"] == "authorized"
        assert await buyer.only() == before

    async def test_document_that_the_authority_distributes_replaces_an_imported_one_once(
        self, buyer: Buyer
    ) -> None:
        xml = await xml_of(buyer.supplier, await buyer.buys())
        denied = xml.replace(b"<cStat>100</cStat>", b"<cStat>302</cStat>")
        assert data_of(await upload(buyer.shop, denied))["situation"] == "denied"
        await buyer.sync()
        received = await buyer.only()
        assert (received["situation"], received["hasFullXml"]) == ("authorized", True)
        events = data_of(await buyer.shop.caller.http.get("/v1/events"))
        names = [event["event"] for event in events if event["event"].startswith("receivedNfe")]
        assert "receivedNfe.completed" not in names

    async def test_document_that_the_company_issued_elsewhere_can_be_imported(self, buyer: Buyer) -> None:
        xml = await xml_of(buyer.supplier, await buyer.buys())
        await forget_emissions(buyer.supplier)
        assert data_of(await upload(buyer.supplier, xml))["role"] == "issuer"

    async def test_document_that_the_company_issued_here_is_refused(self, buyer: Buyer) -> None:
        xml = await xml_of(buyer.supplier, await buyer.buys())
        details = error_of(await upload(buyer.supplier, xml), 422, "VALIDATION_ERROR")
        assert details["fields"] == [
            {"field": "file", "error": "Este documento foi emitido aqui: ele está em /nfe."}
        ]

    async def test_document_of_others_is_refused(self, buyer: Buyer) -> None:
        """Also if it mentions the company in a text."""
        issued = await buyer.supplier.issue("nfe", notes=f"Pedido de {await buyer.tax_id()}")
        xml = await xml_of(buyer.supplier, issued)
        details = error_of(await upload(buyer.shop, xml), 422, "VALIDATION_ERROR")
        assert "não está no documento" in details["fields"][0]["error"]

    async def test_document_that_was_changed_after_its_signature_is_refused(self, buyer: Buyer) -> None:
        xml = await xml_of(buyer.supplier, await buyer.buys())
        forged = xml.replace(b"<vNF>59.80</vNF>", b"<vNF>9.80</vNF>")
        assert forged != xml
        details = error_of(await upload(buyer.shop, forged), 422, "VALIDATION_ERROR")
        assert "assinado" in details["fields"][0]["error"]

    @pytest.mark.parametrize("content", [b"", b"<nfeProc/>", b"<a>", b"\xff", b"<!DOCTYPE a><a/>"])
    async def test_file_that_is_no_document_is_refused(self, buyer: Buyer, content: bytes) -> None:
        details = error_of(await upload(buyer.shop, content), 422, "VALIDATION_ERROR")
        assert details["fields"][0]["field"] == "file"

    @pytest.mark.parametrize(
        ("content", "message"),
        [
            (b"PK\x03\x04\0\0", "O arquivo é um ZIP: envie o XML que está dentro dele."),
            (b"<cteProc/>", "O arquivo é um CT-e: use /received-ctes/import."),
            (b"<NFSe/>", "O arquivo é uma NFS-e: use /received-nfses/import."),
            (b"<procEventoNFe/>", "O XML deve ser o documento com o seu protocolo (nfeProc)."),
        ],
    )
    async def test_file_of_another_kind_is_named(self, buyer: Buyer, content: bytes, message: str) -> None:
        details = error_of(await upload(buyer.shop, content), 422, "VALIDATION_ERROR")
        assert details["fields"] == [{"field": "file", "error": message}]


class TestReturns:
    async def test_draft_of_a_return_is_reviewed_changed_and_emitted(self, buyer: Buyer) -> None:
        bought = await buyer.buys()
        await buyer.sync()
        document = await buyer.only()
        draft = accepted(await buyer.shop.post(f"/received-nfes/{document['id']}/return-draft"))
        assert (draft["status"], draft["type"], draft["amount"]) == ("pending", "nfe", 59.8)
        body = data_of(await buyer.shop.get(f"/nfe/{draft['id']}", include="request"))["request"]
        assert body["purpose"] == "return"
        assert bought["accessKey"] in str(body)
        accepted(await buyer.shop.emit(draft))
        returned = await buyer.shop.settled(draft)
        assert returned["status"] == "authorized", returned["rejection"]

    async def test_part_of_the_goods_goes_back_with_its_share_of_the_note(self, buyer: Buyer) -> None:
        charged = {**MUG, "sku": "CANECA-300", "quantity": 3, "unitValue": 10, "freight": 5}
        await buyer.buys(items=[MUG, charged], payments=[{"method": "pix", "amount": 94.8}])
        await buyer.sync()
        path = f"/{NFES}/{(await buyer.only())['id']}/return-draft"
        draft = accepted(await buyer.shop.post(path, {"items": [{"number": 2, "quantity": 1}]}))
        assert draft["amount"] == 11.67
        body = data_of(await buyer.shop.get(f"/nfe/{draft['id']}", include="request"))["request"]
        (item,) = body["items"]
        assert (item["sku"], item["quantity"], item["freight"]) == ("CANECA-300", 1, 1.67)
        assert body["freight"] == {"mode": "sender"}
        accepted(await buyer.shop.emit(draft))
        returned = await buyer.shop.settled(draft)
        assert returned["status"] == "authorized", returned["rejection"]

    async def test_part_that_the_note_does_not_have_is_refused(self, buyer: Buyer) -> None:
        await buyer.buys()
        await buyer.sync()
        path = f"/{NFES}/{(await buyer.only())['id']}/return-draft"
        refusals = [
            ({"number": 1, "quantity": 0.0001}, "items", "O que volta não chega a valer um centavo"),
            ({"number": 1, "quantity": 999}, "items[0].quantity", "Não pode passar da quantidade"),
            ({"number": 1, "quantity": 0}, "items[0].quantity", "Deve ser maior que 0."),
            ({"number": 2}, "items[0].number", "A nota não tem o item 2."),
            ({"number": 1, "amount": 1}, "items[0].amount", "Campo desconhecido"),
        ]
        for item, field, message in refusals:
            answer = await buyer.shop.post(path, {"items": [item]})
            (error,) = error_of(answer, 422, "VALIDATION_ERROR")["fields"]
            assert error["field"] == field
            assert error["error"].startswith(message)

    async def test_note_without_a_sale_has_no_draft_and_the_hint_names_the_reference(
        self, buyer: Buyer
    ) -> None:
        await buyer.buys(items=[{**MUG, "cfop": "5915"}], payments=None, paymentMethod="none")
        await buyer.sync()
        answer = await buyer.shop.post(f"/{NFES}/{(await buyer.only())['id']}/return-draft")
        (rule,) = error_of(answer, 422, "FISCAL_RULE_VIOLATION")["rules"]
        assert rule["code"] == "RETURN_NOT_POSSIBLE"
        assert "foi remetido com o CFOP 5915" in rule["message"]
        assert "items[].referencedItem" in rule["hint"]

    async def test_note_that_the_company_sold_has_no_return(self, buyer: Buyer) -> None:
        xml = await xml_of(buyer.supplier, await buyer.buys())
        await forget_emissions(buyer.supplier)
        own = data_of(await upload(buyer.supplier, xml))
        error_of(await buyer.supplier.post(f"/received-nfes/{own['id']}/return-draft"), 409, "INVALID_STATE")

    async def test_note_of_the_other_environment_has_no_return(self, buyer: Buyer) -> None:
        await buyer.buys()
        await buyer.sync()
        document = await buyer.only()
        body = {"environment": "homologation"}
        data_of(await buyer.shop.caller.http.patch(buyer.shop.path("/environment"), json=body))
        answer = await buyer.shop.post(f"/{NFES}/{document['id']}/return-draft")
        error_of(answer, 409, "INVALID_STATE")
        assert "outro ambiente" in answer.json()["error"]["message"]

    async def test_summary_has_no_return(self, buyer: Buyer) -> None:
        await buyer.shop.put_settings(received={"autoAcknowledge": False})
        await buyer.buys()
        await buyer.sync()
        path = f"/received-nfes/{(await buyer.only())['id']}/return-draft"
        error_of(await buyer.shop.post(path), 409, "INVALID_STATE")


class TestTotals:
    async def test_month_is_summed_by_cfop_tax_and_cst_without_canceled_documents(self, buyer: Buyer) -> None:
        bought, canceled = await buyer.buys(), await buyer.buys()
        await buyer.sync()
        month = bought["issuedAt"][:7]
        (goods,) = [
            total
            for total in data_of(await buyer.shop.get("/received-nfes/totals", month=month))["totals"]
            if total["tax"] == "icms"
        ]
        assert (goods["cfop"], goods["items"], goods["documents"]) == ("5102", 119.6, 2)
        data_of(await buyer.supplier.caller.http.delete(buyer.supplier.path(f"/nfe/{canceled['id']}")))
        await buyer.an_hour_passes()
        summed = data_of(await buyer.shop.get("/received-nfes/totals", month=month))
        assert {total["documents"] for total in summed["totals"]} == {1}
        assert (summed["month"], summed["documents"], summed["summaries"]) == (month, 1, 0)

    async def test_month_says_how_many_documents_are_missing_in_its_sums(self, buyer: Buyer) -> None:
        await buyer.shop.put_settings(received={"autoAcknowledge": False})
        bought = await buyer.buys()
        await buyer.sync()
        summed = data_of(await buyer.shop.get("/received-nfes/totals", month=bought["issuedAt"][:7]))
        assert (summed["documents"], summed["summaries"], summed["totals"]) == (0, 1, [])

    async def test_month_must_be_one(self, buyer: Buyer) -> None:
        error_of(await buyer.shop.get("/received-nfes/totals", month="2026-13"), 422, "VALIDATION_ERROR")


class TestWaybills:
    async def test_cte_is_filled_from_a_received_nfe(self, buyer: Buyer) -> None:
        bought = await buyer.buys()
        await buyer.sync()
        body = {
            "documents": {"nfes": [{"accessKey": bought["accessKey"]}], "fromInvoices": True},
            "cargo": {"quantities": [{"unit": "KG", "quantity": 12}]},
            "serviceAmount": 100,
            "icms": {},
        }
        waybill = await buyer.shop.issue("cte", **dict.fromkeys(buyer.shop.bodies["cte"]) | body)
        assert waybill["status"] == "authorized", waybill["rejection"]
