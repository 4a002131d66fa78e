"""PATCH of NF-e and NFC-e, whose bodies have nested lists and objects, and transmit of receipts."""

from typing import Any

import pytest

from integration.issuing.actions import text_in_xml
from integration.issuing.shop import MUG, REFUSED, Shop, accepted, error_of
from support import data_of, fields_of


@pytest.fixture
async def refused(shop: Shop) -> dict[str, Any]:
    """An NF-e that the authority refused for its note."""
    return await shop.issue("nfe", notes=REFUSED, payments=None, externalId="pedido-1")


class TestPatch:
    async def test_patch_merges_objects(self, shop: Shop, refused: dict[str, Any]) -> None:
        changes = {"name": "João da Silva", "address": {"number": "200"}}
        data_of(await shop.patch(refused, recipient=changes, notes=None))
        accepted(await shop.emit(refused))
        record = await shop.settled(refused)
        party = [await text_in_xml(shop, record, f"dest/{name}") for name in ("CPF", "xNome")]
        address = [await text_in_xml(shop, record, f"enderDest/{name}") for name in ("xLgr", "nro")]
        assert (party, address) == (["52998224725", "João da Silva"], ["Avenida Paulista", "200"])

    async def test_patch_replaces_arrays(self, shop: Shop, refused: dict[str, Any]) -> None:
        items = [MUG | {"quantity": 1.2345, "unitValue": 81.0044552449}]
        assert data_of(await shop.patch(refused, items=items))["amount"] == 100

    async def test_patch_keeps_the_exact_value_of_unchanged_numbers(self, shop: Shop) -> None:
        item = MUG | {"quantity": 1.2345, "unitValue": 81.0044552449}
        refused = await shop.issue(items=[item], notes=REFUSED, payments=None)
        data_of(await shop.patch(refused, notes=None))
        accepted(await shop.emit(refused))
        record = await shop.settled(refused)
        amounts = [await text_in_xml(shop, record, f"prod/{name}") for name in ("qCom", "vUnCom")]
        assert amounts == ["1.2345", "81.0044552449"]

    async def test_patch_that_breaks_a_rule_changes_nothing(
        self, shop: Shop, refused: dict[str, Any]
    ) -> None:
        answer = await shop.patch(refused, items=[MUG | {"ncm": "99999999"}])
        details = error_of(answer, 422, "FISCAL_RULE_VIOLATION")
        assert [rule["field"] for rule in details["rules"]] == ["items[0].ncm"]
        assert await shop.read(refused) == refused

    @pytest.mark.parametrize(
        ("changes", "field"),
        [({"items": None}, "items"), ({"items": [MUG | {"quantity": "2"}]}, "items[0].quantity")],
        ids=str,
    )
    async def test_patch_that_makes_the_body_invalid_changes_nothing(
        self, shop: Shop, refused: dict[str, Any], changes: dict[str, Any], field: str
    ) -> None:
        assert set(fields_of(await shop.patch(refused, **changes))) == {field}
        assert await shop.read(refused) == refused


class TestTransmit:
    async def test_only_nfce_can_be_transmitted(self, shop: Shop) -> None:
        record = await shop.issue("nfe")
        error_of(await shop.post(f"/nfe/{record['id']}/transmit"), 404, "NOT_FOUND")
        error_of(await shop.post(f"/nfce/{record['id']}/transmit"), 404, "NOT_FOUND")
