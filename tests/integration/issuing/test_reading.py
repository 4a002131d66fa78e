"""Filters of lists that depend on what real types say: prefixes of keys, sales, and types to come."""

import pytest

from integration.issuing.actions import listed_ids
from integration.issuing.number_ledger import ledger
from integration.issuing.shop import KINDS, Shop
from support import ABSENT

PREFIXES = {"nfe": "NFe", "nfce": "NFe", "nfse": "NFS"}


class TestFilters:
    @pytest.mark.parametrize("kind", KINDS)
    async def test_a_key_may_have_the_prefix_of_its_id(self, shop: Shop, kind: str) -> None:
        document = await shop.issue(kind)
        for path in (f"/{kind}", "/invoices"):
            assert await listed_ids(shop, path, accessKey=PREFIXES[kind] + document["accessKey"]) == [
                document["id"]
            ]

    async def test_documents_are_found_by_their_sale(self, shop: Shop) -> None:
        note, _ = await shop.create("nfse"), await shop.create("nfse")
        assert await listed_ids(shop, "/nfse", saleId=note["saleId"]) == [note["id"]]
        assert await listed_ids(shop, "/nfe", saleId=note["saleId"]) == []
        assert await listed_ids(shop, saleId=ABSENT) == []

    @pytest.mark.parametrize("kind", ["cte", "cteOs", "mdfe"])
    async def test_a_type_that_is_not_issued_yet_has_no_documents_and_no_numbers(
        self, shop: Shop, kind: str
    ) -> None:
        await shop.issue()
        assert await listed_ids(shop, type=kind) == []
        assert await ledger(shop, type=kind) == []


async def test_a_receipt_and_its_items_are_not_read_as_another_type(shop: Shop) -> None:
    receipt = await shop.create("nfce", transmit="later")
    paths = [f"/{kind}/{receipt['id']}{rest}" for kind in ("nfe", "nfse") for rest in ("", "/xml", "/items")]
    statuses = {path: (await shop.get(path)).status_code for path in paths}
    assert statuses == dict.fromkeys(paths, 404)
