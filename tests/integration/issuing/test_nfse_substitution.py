"""An NFS-e that replaces another one, which is canceled by that."""

import asyncio
from typing import Any
from uuid import UUID

import pytest

from integration.issuing.actions import cancel
from integration.issuing.shop import (
    BORROWER,
    REFUSALS,
    NewShop,
    Shop,
    accepted,
    body_of,
    error_of,
    note_of,
)
from integration.issuing.system import System, gate_before
from pdf_reading import text_of
from support import ABSENT, data_of, fields_of

REASON = "O nome do tomador estava errado"
ISSUING = "/producao/sefin/nfse/SefinNacional/nfse"


def replacing(document: dict[str, Any], **changes: Any) -> dict[str, Any]:
    """Returns the body of a note that replaces another one."""
    replaces = {"documentId": document["id"], "reason": REASON}
    corrected = BORROWER | {"name": "Maria Aparecida da Silva"}
    return body_of("nfse", borrower=corrected, replaces=replaces, **changes)


async def replaced(shop: Shop, document: dict[str, Any], **changes: Any) -> dict[str, Any]:
    """Creates a note that replaces another one, and returns its outcome."""
    return await shop.settled(accepted(await shop.post("/nfse", replacing(document, **changes))))


class TestSubstitution:
    async def test_substitution_cancels_the_replaced_note(self, shop: Shop) -> None:
        old = await shop.issue("nfse")
        new = await replaced(shop, old)
        assert (new["status"], new["number"], new["replacedById"]) == ("authorized", 2, None)
        read = await shop.read(old)
        assert (read["status"], read["replacedById"]) == ("canceled", new["id"])
        assert (read["number"], read["accessKey"]) == (old["number"], old["accessKey"])
        event = (await shop.events(old))[-1]
        assert (event["type"], event["status"]) == ("substitution", "canceled")
        assert "substitution" not in [event["type"] for event in await shop.events(new)]

    async def test_substitution_contains_the_key_of_the_replaced_note_and_the_reason(
        self, shop: Shop
    ) -> None:
        old = await shop.issue("nfse")
        note = await note_of(shop, await replaced(shop, old))
        assert note.text("subst/chSubstda") == old["accessKey"]
        assert (note.text("subst/cMotivo"), note.text("subst/xMotivo")) == ("99", REASON)

    async def test_pdf_of_the_replaced_note_says_that_it_is_replaced(self, shop: Shop) -> None:
        old = await shop.issue("nfse")
        await replaced(shop, old)
        pdf = (await shop.get(f"/nfse/{old['id']}/pdf")).content
        assert "SUBSTITUÍDA" in "".join(text_of(pdf).split()).upper()

    async def test_substitution_does_not_change_the_xml_of_the_replaced_note(self, shop: Shop) -> None:
        old = await shop.issue("nfse")
        before = (await shop.get(f"/nfse/{old['id']}/xml")).content
        await replaced(shop, old)
        assert (await shop.get(f"/nfse/{old['id']}/xml")).content == before

    async def test_refused_substitution_cancels_the_replaced_note_only_once_corrected(
        self, shop: Shop
    ) -> None:
        old = await shop.issue("nfse")
        refused = await replaced(shop, old, notes=REFUSALS["nfse"])
        assert refused["status"] == "rejected"
        assert await shop.read(old) == old
        accepted(await shop.emit(data_of(await shop.patch(refused, notes=None))))
        assert (await shop.settled(refused))["status"] == "authorized"
        assert (await shop.read(old))["replacedById"] == refused["id"]

    async def test_substitution_whose_answer_is_lost_cancels_the_replaced_note(self, shop: Shop) -> None:
        old = await shop.issue("nfse")
        new = await replaced(shop, old, notes="SIMULA:RESPOSTA_PERDIDA")
        assert (new["status"], (await shop.read(old))["status"]) == ("authorized", "canceled")

    async def test_substitution_is_linked_to_a_note_that_was_canceled_meanwhile(
        self, system: System, shop: Shop
    ) -> None:
        old = await shop.issue("nfse")
        async with gate_before(ISSUING) as gate:
            sent = accepted(await shop.post("/nfse", replacing(old)))
            await gate.until_arrived(1)
            await system.fetch("update documents set status = 'canceled' where id = $1", UUID(old["id"]))
        new = await shop.settled(sent)
        read = await shop.read(old)
        assert (read["status"], read["replacedById"]) == ("canceled", new["id"])
        assert (await shop.events(old))[-1]["type"] == "substitution"

    async def test_repeated_idempotency_key_returns_the_substitution(self, shop: Shop) -> None:
        old = await shop.issue("nfse")
        new = await shop.settled(accepted(await shop.post("/nfse", replacing(old), key="k")))
        again = await shop.post("/nfse", replacing(old), key="k")
        assert (again.status_code, again.json()["data"]) == (200, new)

    async def test_only_one_of_two_concurrent_substitutions_is_authorized(
        self, system: System, shop: Shop
    ) -> None:
        old = await shop.issue("nfse")
        async with system.worker_stopped():
            answers = await asyncio.gather(*(shop.post("/nfse", replacing(old)) for _ in range(2)))
        settled = [await shop.settled(accepted(answer)) for answer in answers]
        assert sorted(note["status"] for note in settled) == ["authorized", "rejected"]
        (winner,) = [note for note in settled if note["status"] == "authorized"]
        assert (await shop.read(old))["replacedById"] == winner["id"]

    async def test_substitution_can_be_replaced_itself(self, shop: Shop) -> None:
        first = await shop.issue("nfse")
        second = await replaced(shop, first)
        third = await replaced(shop, second)
        statuses = [(await shop.read(note))["status"] for note in (first, second, third)]
        assert statuses == ["canceled", "canceled", "authorized"]

    async def test_replaced_note_can_not_be_canceled(self, shop: Shop) -> None:
        old = await shop.issue("nfse")
        await replaced(shop, old)
        assert error_of(await cancel(shop, old), 409, "INVALID_STATE")["currentStatus"] == "canceled"

    async def test_substitution_can_be_canceled_itself(self, shop: Shop) -> None:
        old = await shop.issue("nfse")
        new = await replaced(shop, old)
        assert data_of(await cancel(shop, new))["status"] == "canceled"
        assert (await shop.read(old))["status"] == "canceled"

    async def test_dry_run_of_a_substitution_changes_nothing(self, shop: Shop) -> None:
        old = await shop.issue("nfse")
        trial = data_of(await shop.post("/nfse", replacing(old), dryRun="true"))
        assert (trial["problems"], f"<chSubstda>{old['accessKey']}</chSubstda>" in trial["xml"]) == ([], True)
        assert await shop.read(old) == old


class TestIrreplaceableDocument:
    @staticmethod
    async def assert_refused(shop: Shop, document: dict[str, Any]) -> None:
        before = await shop.count()
        answer = await shop.post("/nfse", replacing(document))
        (rule,) = error_of(answer, 422, "FISCAL_RULE_VIOLATION")["rules"]
        assert rule["field"] == "replaces.documentId"
        assert rule["hint"]
        assert await shop.count() == before

    async def test_unknown_document_can_not_be_replaced(self, idle_shop: Shop) -> None:
        await self.assert_refused(idle_shop, {"id": ABSENT})

    async def test_rejected_note_can_not_be_replaced(self, shop: Shop) -> None:
        await self.assert_refused(shop, await shop.issue("nfse", notes=REFUSALS["nfse"]))

    async def test_canceled_note_can_not_be_replaced(self, shop: Shop) -> None:
        document = await shop.issue("nfse")
        data_of(await cancel(shop, document))
        await self.assert_refused(shop, document)

    async def test_document_of_another_type_can_not_be_replaced(self, shop: Shop) -> None:
        await self.assert_refused(shop, await shop.issue("nfe"))

    async def test_note_of_another_company_can_not_be_replaced(self, shop: Shop, new_shop: NewShop) -> None:
        document = await shop.issue("nfse")
        await self.assert_refused(await new_shop(shop.caller), document)
        await self.assert_refused(await new_shop(), document)

    async def test_note_of_another_environment_can_not_be_replaced(self, shop: Shop) -> None:
        document = await shop.issue("nfse")
        path = shop.path("/environment")
        data_of(await shop.caller.http.patch(path, json={"environment": "homologation"}))
        await self.assert_refused(shop, document)

    async def test_note_that_was_canceled_after_acceptance_rejects_the_substitution(
        self, system: System, shop: Shop
    ) -> None:
        old = await shop.issue("nfse")
        async with system.worker_stopped():
            document = accepted(await shop.post("/nfse", replacing(old)))
            await system.fetch("update documents set status = 'canceled' where id = $1", UUID(old["id"]))
        record = await shop.settled(document)
        assert (record["status"], record["rejection"]["field"]) == ("rejected", "replaces.documentId")
        assert [event["type"] for event in await shop.events(record)] == ["created", "queued", "rejected"]
        assert record["dps"] is None


class TestReason:
    async def test_default_reason_code_needs_a_reason(self, shop: Shop) -> None:
        old = await shop.issue("nfse")
        body = body_of("nfse", replaces={"documentId": old["id"]})
        (rule,) = error_of(await shop.post("/nfse", body), 422, "FISCAL_RULE_VIOLATION")["rules"]
        assert (rule["code"], rule["field"]) == ("E0078", "replaces.reason")

    async def test_reason_code_of_the_list_needs_no_reason(self, shop: Shop) -> None:
        old = await shop.issue("nfse")
        body = body_of("nfse", replaces={"documentId": old["id"], "reasonCode": "05"})
        new = await shop.settled(accepted(await shop.post("/nfse", body)))
        assert new["status"] == "authorized"

    @pytest.mark.parametrize(
        ("replaces", "field"),
        [
            ({"documentId": "1"}, "replaces.documentId"),
            ({"reason": REASON}, "replaces.documentId"),
            ({"documentId": ABSENT, "reasonCode": "06"}, "replaces.reasonCode"),
            ({"documentId": ABSENT, "reason": "curta"}, "replaces.reason"),
        ],
    )
    async def test_invalid_substitution_field_is_reported(
        self, idle_shop: Shop, replaces: dict[str, str], field: str
    ) -> None:
        assert set(fields_of(await idle_shop.post("/nfse", body_of("nfse", replaces=replaces)))) == {field}


class TestNoteReplacedElsewhere:
    async def test_note_that_another_system_replaced_is_canceled_when_we_cancel_it(self, shop: Shop) -> None:
        """The authority says that the note is not valid any more, and we query its events."""
        old = await shop.issue("nfse")
        await replaced(shop, old)
        await forget_substitution(shop, old)
        assert (await shop.read(old))["status"] == "authorized"
        assert data_of(await cancel(shop, old))["status"] == "canceled"
        event = (await shop.events(old))[-1]
        assert (event["type"], event["status"]) == ("cancellation", "canceled")


async def forget_substitution(shop: Shop, document: dict[str, Any]) -> None:
    """Removes the substitution from our own records."""
    document_id = UUID(document["id"])
    await shop.system.fetch(
        "update documents set status = 'authorized', replaced_by = null where id = $1", document_id
    )
    await shop.system.fetch("update emissions set state = 'authorized' where document_id = $1", document_id)
