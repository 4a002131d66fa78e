"""The whole life of a document of each real type, over the simulator.

What all types share is proven with the toys (tests/toy); here is that each real type takes part in it. Lost
answers are in test_files.
"""

import pytest

from integration.issuing.actions import JOURNALS, cancel, events_of, replayed
from integration.issuing.printer import ask, digits, pdf_of
from integration.issuing.shop import KINDS, REFUSAL_CODES, REFUSALS, Shop, accepted, body_of, own_number
from pdf_reading import text_of
from support import data_of


@pytest.mark.parametrize("kind", KINDS)
class TestWholeLife:
    async def test_of_a_document_that_is_authorized_and_canceled(self, shop: Shop, kind: str) -> None:
        made = accepted(await shop.post(f"/{kind}", body_of(kind, externalId="pedido-1"), key="k"))
        record = await shop.settled(made)
        assert (record["status"], own_number(record)) == ("authorized", 1)
        assert replayed(await shop.post(f"/{kind}", body_of(kind), key="k")) == record
        file = await shop.get(f"/{kind}/{record['id']}/xml")
        assert (file.status_code, record["accessKey"] in file.text) == (200, True)
        assert record["accessKey"] in digits(text_of(pdf_of(await ask(shop, record))))
        assert data_of(await cancel(shop, record))["status"] == "canceled"
        journal = await shop.floor.journal(record["accessKey"])
        assert [(one["service"], one["code"]) for one in journal] == JOURNALS[kind]
        told = [event["event"] for event in await events_of(shop.caller)]
        assert told == [f"{kind}.authorized", f"{kind}.cancelled"]
        assert await shop.count() == 1

    async def test_of_a_document_that_is_refused_corrected_and_emitted(self, shop: Shop, kind: str) -> None:
        refused = await shop.issue(kind, notes=REFUSALS[kind])
        assert (refused["status"], refused["rejection"]["code"]) == ("rejected", REFUSAL_CODES[kind])
        data_of(await shop.patch(refused, notes=None))
        accepted(await shop.emit(refused))
        record = await shop.settled(refused)
        assert (record["status"], own_number(record)) == ("authorized", own_number(refused))
        codes = [entry["code"] for entry in await shop.journal(record)]
        assert codes == [REFUSAL_CODES[kind], "100"]
