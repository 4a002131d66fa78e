"""The whole life of a document of each real type, with the simulator.

The toys (tests/toy) cover the behaviour that all types share; these tests cover that each real type has it.
Lost answers are in test_files.
"""

import pytest

from integration.issuing.actions import JOURNALS, cancel, events_of, replayed
from integration.issuing.printer import ask, digits, pdf_of
from integration.issuing.shop import KINDS, REFUSAL_CODES, REFUSALS, Shop, accepted, body_of, own_number
from pdf_reading import text_of
from support import data_of


@pytest.mark.parametrize("document_type", KINDS)
class TestWholeLife:
    async def test_document_is_authorized_and_canceled(self, shop: Shop, document_type: str) -> None:
        document = accepted(
            await shop.post(f"/{document_type}", body_of(document_type, externalId="pedido-1"), key="k")
        )
        record = await shop.settled(document)
        assert (record["status"], own_number(record)) == ("authorized", 1)
        assert replayed(await shop.post(f"/{document_type}", body_of(document_type), key="k")) == record
        file = await shop.get(f"/{document_type}/{record['id']}/xml")
        assert (file.status_code, record["accessKey"] in file.text) == (200, True)
        assert record["accessKey"] in digits(text_of(pdf_of(await ask(shop, record))))
        assert data_of(await cancel(shop, record))["status"] == "canceled"
        journal = await shop.system.journal(record["accessKey"])
        assert [(entry["service"], entry["code"]) for entry in journal] == JOURNALS[document_type]
        topics = [event["event"] for event in await events_of(shop.caller)]
        assert topics == [f"{document_type}.authorized", f"{document_type}.cancelled"]
        assert await shop.count() == 1

    async def test_document_is_refused_corrected_and_emitted(self, shop: Shop, document_type: str) -> None:
        refused = await shop.issue(document_type, notes=REFUSALS[document_type])
        assert (refused["status"], refused["rejection"]["code"]) == ("rejected", REFUSAL_CODES[document_type])
        data_of(await shop.patch(refused, notes=None))
        accepted(await shop.emit(refused))
        record = await shop.settled(refused)
        assert (record["status"], own_number(record)) == ("authorized", own_number(refused))
        codes = [entry["code"] for entry in await shop.journal(record)]
        assert codes == [REFUSAL_CODES[document_type], "100"]
