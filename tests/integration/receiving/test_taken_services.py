"""CT-e and NFS-e that a company takes: the same inbox, and what the taker can declare about them."""

import asyncio
from typing import Any
from uuid import UUID

import pytest

from integration.issuing.shop import error_of, sister_of
from integration.receiving.inbox import Buyer, carried, served, upload, xml_of
from support import data_of

CTES, NFSES = "received-ctes", "received-nfses"
REASON = "Valor do frete diferente do combinado"


class TestWaybills:
    async def test_cte_is_received_whole_read_and_printed(self, buyer: Buyer) -> None:
        issued = await carried(buyer)
        await buyer.sync(CTES)
        received = await buyer.only(CTES)
        assert (received["accessKey"], received["role"]) == (issued["accessKey"], "taker")
        assert (received["hasFullXml"], received["amount"]) == (True, 59.8)
        details = data_of(await buyer.shop.get(f"/{CTES}/{received['id']}"))["details"]
        assert {"issuer", "shipper", "recipient"} <= {party["role"] for party in details["parties"]}
        assert (await buyer.shop.get(f"/{CTES}/{received['id']}/pdf")).content.startswith(b"%PDF")

    async def test_taker_disagrees_and_withdraws_it(self, buyer: Buyer) -> None:
        issued = await carried(buyer)
        await buyer.sync(CTES)
        path = f"/{CTES}/{(await buyer.only(CTES))['id']}"
        disagreed = data_of(await buyer.shop.post(f"{path}/disagreement", {"justification": REASON}))
        assert (disagreed["status"], disagreed["manifestationStatus"]) == ("disagreed", "authorized")
        withdrawn = data_of(await buyer.shop.caller.http.delete(buyer.shop.path(f"{path}/disagreement")))
        assert withdrawn["status"] == "pending"
        again = await buyer.shop.caller.http.delete(buyer.shop.path(f"{path}/disagreement"))
        error_of(again, 409, "INVALID_STATE")
        assert "desacordo" in again.json()["error"]["message"]
        calls = await buyer.shop.system.journal(issued["accessKey"])
        assert [call["code"] for call in calls if "Evento" in call["service"]] == ["135", "135"]

    async def test_each_disagreement_with_another_text_is_withdrawn_alone(self, buyer: Buyer) -> None:
        await carried(buyer)
        await buyer.sync(CTES)
        path = f"/{CTES}/{(await buyer.only(CTES))['id']}/disagreement"
        for number, text in enumerate((REASON, "Peso do frete diferente do combinado"), 1):
            disagreed = data_of(await buyer.shop.post(path, {"justification": text}))
            assert (disagreed["status"], disagreed["sequence"]) == ("disagreed", number)
        for status in ("disagreed", "pending"):
            withdrawn = data_of(await buyer.shop.caller.http.delete(buyer.shop.path(path)))
            assert (withdrawn["status"], withdrawn["manifestationStatus"]) == (status, "authorized")

    async def test_disagreement_that_was_withdrawn_is_made_again(self, buyer: Buyer) -> None:
        await carried(buyer)
        await buyer.sync(CTES)
        path = f"/{CTES}/{(await buyer.only(CTES))['id']}/disagreement"
        other = {"justification": "Peso do frete diferente do combinado"}
        data_of(await buyer.shop.post(path, {"justification": REASON}))
        withdrawn = data_of(await buyer.shop.post(path, other))
        data_of(await buyer.shop.caller.http.delete(buyer.shop.path(path)))
        again = data_of(await buyer.shop.post(path, other))
        assert (withdrawn["sequence"], again["sequence"]) == (2, 3)
        assert again["manifestationStatus"] == "authorized"

    async def test_cte_in_disagreement_does_not_count_until_it_is_withdrawn(self, buyer: Buyer) -> None:
        issued = await carried(buyer)
        await buyer.sync(CTES)
        path = f"/{CTES}/{(await buyer.only(CTES))['id']}/disagreement"

        async def totals() -> Any:
            month = issued["issuedAt"][:7]
            return data_of(await buyer.shop.get(f"/{CTES}/totals", month=month))["totals"]

        before = await totals()
        assert before
        data_of(await buyer.shop.post(path, {"justification": REASON}))
        assert await totals() == []
        data_of(await buyer.shop.caller.http.delete(buyer.shop.path(path)))
        assert await totals() == before

    async def test_cancellation_of_the_carrier_changes_the_situation(self, buyer: Buyer) -> None:
        issued = await carried(buyer)
        await buyer.sync(CTES)
        data_of(await buyer.supplier.caller.http.delete(buyer.supplier.path(f"/cte/{issued['id']}")))
        await buyer.an_hour_passes()
        assert (await buyer.only(CTES))["situation"] == "canceled"


class TestServiceNotes:
    async def test_nfse_is_received_read_and_printed(self, buyer: Buyer) -> None:
        issued = await served(buyer)
        await buyer.sync(NFSES)
        received = await buyer.only(NFSES)
        assert (received["accessKey"], received["role"]) == (issued["accessKey"], "taker")
        assert received["amount"] == 59.8
        details = data_of(await buyer.shop.get(f"/{NFSES}/{received['id']}"))["details"]
        assert details["items"]
        assert (await buyer.shop.get(f"/{NFSES}/{received['id']}/pdf")).content.startswith(b"%PDF")
        month = data_of(await buyer.shop.get(f"/{NFSES}/totals", month=issued["issuedAt"][:7]))
        assert {total["cfop"] for total in month["totals"]} == {""}

    async def test_taker_refuses_a_note_with_its_reason(self, buyer: Buyer) -> None:
        await served(buyer)
        await buyer.sync(NFSES)
        path = f"/{NFSES}/{(await buyer.only(NFSES))['id']}/manifest"
        details = error_of(await buyer.shop.post(path, {"type": "refused"}), 422, "VALIDATION_ERROR")
        assert details["fields"][0]["field"] == "reasonCode"
        refused = data_of(await buyer.shop.post(path, {"type": "refused", "reasonCode": "1"}))
        assert (refused["status"], refused["manifestationStatus"]) == ("refused", "authorized")
        (event,) = data_of(await buyer.shop.get(f"{path.removesuffix('/manifest')}/events"))
        assert event["text"] == "Motivo 1: NFS-e em duplicidade."

    async def test_taker_states_only_once(self, buyer: Buyer) -> None:
        """The authority takes a single statement of each party, of any kind (E1833)."""
        await served(buyer)
        await buyer.sync(NFSES)
        path = f"/{NFSES}/{(await buyer.only(NFSES))['id']}/manifest"
        confirmed = data_of(await buyer.shop.post(path, {"type": "confirmed"}))
        assert data_of(await buyer.shop.post(path, {"type": "confirmed"})) == confirmed
        other = await buyer.shop.post(path, {"type": "refused", "reasonCode": "1"})
        error_of(other, 409, "INVALID_STATE")
        assert "Confirmação do tomador" in other.json()["error"]["message"]

    async def test_statement_whose_answer_was_lost_is_registered(self, buyer: Buyer) -> None:
        await served(buyer)
        await buyer.sync(NFSES)
        path = f"/{NFSES}/{(await buyer.only(NFSES))['id']}/manifest"
        await buyer.shop.system.switch(lostAnswers=1)
        sending = asyncio.create_task(buyer.shop.post(path, {"type": "confirmed"}))
        await buyer.shop.system.until("(select count(*) > 0 from manifestations where state = 'sent')")
        await asyncio.sleep(0.3)
        await buyer.shop.system.switch(lostAnswers=0)
        confirmed = data_of(await sending)
        assert (confirmed["status"], confirmed["manifestationStatus"]) == ("confirmed", "authorized")

    async def test_own_notes_are_received_only_if_another_program_issued_them(self, buyer: Buyer) -> None:
        """The national environment distributes a taxpayer's own notes too."""
        for _ in range(2):
            await buyer.shop.issue("nfse")
        # As if another program had issued it.
        await buyer.shop.system.fetch(
            "delete from emissions where assigned_key = (select max(assigned_key) from emissions"
            " where company_id = $1)",
            UUID(buyer.shop.id),
        )
        await buyer.sync(NFSES)
        own = await buyer.only(NFSES)
        assert own["role"] == "issuer"
        refusal = await buyer.shop.post(f"/{NFSES}/{own['id']}/manifest", {"type": "confirmed"})
        error_of(refusal, 409, "INVALID_STATE")

    async def test_note_to_one_establishment_is_not_imported_into_another(self, buyer: Buyer) -> None:
        xml = await xml_of(buyer.supplier, await served(buyer))
        sister = await sister_of(buyer.shop)
        details = error_of(await upload(sister, xml, NFSES), 422, "VALIDATION_ERROR")
        assert "não está no documento" in details["fields"][0]["error"]

    @pytest.mark.parametrize("place", [b"<vLiq>", b"<vServ>"])
    async def test_note_whose_amount_was_changed_is_not_imported(self, buyer: Buyer, place: bytes) -> None:
        """The first is of the note; the second is of the DPS in it."""
        xml = await xml_of(buyer.supplier, await served(buyer))
        forged = xml.replace(place + b"59.80", place + b"9.80")
        assert forged != xml
        details = error_of(await upload(buyer.shop, forged, NFSES), 422, "VALIDATION_ERROR")
        assert details["fields"][0]["field"] == "file"
        assert "não é o que foi assinado" in details["fields"][0]["error"]

    async def test_empty_answer_is_asked_again_after_an_hour(self, buyer: Buyer) -> None:
        await buyer.sync(NFSES)
        await served(buyer)
        await buyer.sync(NFSES)
        assert await buyer.inbox(NFSES) == []
        await buyer.an_hour_passes()
        assert len(await buyer.inbox(NFSES)) == 1
