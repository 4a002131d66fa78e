"""Filters of lists that depend on the real types: prefixes of keys, sales, and future types."""

import pytest

from integration.issuing.actions import listed_ids
from integration.issuing.number_ledger import ledger
from integration.issuing.shop import KINDS, Shop
from support import ABSENT

PREFIXES = {"nfe": "NFe", "nfce": "NFe", "nfse": "NFS", "cte": "CTe"}


class TestFilters:
    @pytest.mark.parametrize("document_type", KINDS)
    async def test_key_filter_accepts_the_prefix_of_the_xml_id(self, shop: Shop, document_type: str) -> None:
        document = await shop.issue(document_type)
        for path in (f"/{document_type}", "/invoices"):
            assert await listed_ids(
                shop, path, accessKey=PREFIXES[document_type] + document["accessKey"]
            ) == [document["id"]]

    async def test_documents_are_filtered_by_their_sale(self, shop: Shop) -> None:
        note, _ = await shop.create("nfse"), await shop.create("nfse")
        assert await listed_ids(shop, "/nfse", saleId=note["saleId"]) == [note["id"]]
        assert await listed_ids(shop, "/nfe", saleId=note["saleId"]) == []
        assert await listed_ids(shop, saleId=ABSENT) == []

    @pytest.mark.parametrize("document_type", ["cteOs", "mdfe"])
    async def test_type_that_is_not_issued_yet_has_no_documents_and_no_numbers(
        self, shop: Shop, document_type: str
    ) -> None:
        await shop.issue()
        assert await listed_ids(shop, type=document_type) == []
        assert await ledger(shop, type=document_type) == []


async def test_receipt_and_its_items_can_not_be_read_as_another_type(shop: Shop) -> None:
    receipt = await shop.create("nfce", transmit="later")
    paths = [
        f"/{document_type}/{receipt['id']}{rest}"
        for document_type in ("nfe", "nfse")
        for rest in ("", "/xml", "/items")
    ]
    statuses = {path: (await shop.get(path)).status_code for path in paths}
    assert statuses == dict.fromkeys(paths, 404)
