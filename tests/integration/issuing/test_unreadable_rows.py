"""Rows that another version wrote, or a person damaged, do not turn answers into internal errors."""

from collections.abc import Mapping, Sequence
from typing import Any
from uuid import UUID

import pytest
import structlog

from integration.issuing.floor import Floor
from integration.issuing.shop import NFE, Shop, accepted, error_of
from support import data_of

SETTINGS = [
    '{"nfe": {"oldKey": 1}}',
    '{"nfe": {"paper": "zz"}}',
    '{"nfe": {"series": "x"}}',
    '{"nfe": "x"}',
    '{"nfce": {"active": "x"}}',
    '{"defaults": {"old": 1}}',
    '{"defaults": []}',
    '"x"',
]


async def damage(floor: Floor, shop: Shop, statement: str) -> None:
    """Damages rows of a company; the revision makes processes read the company again."""
    await floor.fetch(statement.replace("COMPANY", f"'{UUID(shop.id)}'"))
    await floor.fetch("update companies set revision = revision + 1 where id = $1", UUID(shop.id))


async def damage_settings(floor: Floor, shop: Shop, settings: str) -> None:
    await damage(floor, shop, f"update companies set settings = '{settings}' where id = COMPANY")


def unreadable_in(logs: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    return [line for line in logs if line["event"] == "row_unreadable"]


class TestSettings:
    @pytest.mark.parametrize("settings", SETTINGS)
    async def test_settings_that_can_not_be_read_are_left_out(
        self, floor: Floor, shop: Shop, settings: str
    ) -> None:
        issued = await shop.issue()
        before = data_of(await shop.get("/settings"))
        await damage_settings(floor, shop, settings)
        with structlog.testing.capture_logs() as logs:
            after = data_of(await shop.get("/settings"))
        assert after["nfe"] == before["nfe"]
        assert {(line["table"], line["id"]) for line in unreadable_in(logs)} == {("companies", shop.id)}
        assert data_of(await shop.get("/status"))["companyId"] == shop.id
        assert data_of(await shop.caller.http.get("/v1/company"))["settings"] == after
        assert (await shop.get(f"/nfe/{issued['id']}/pdf")).status_code == 200

    @pytest.mark.parametrize(
        ("settings", "path"),
        [('{"nfe": {"oldKey": 1}}', "nfe.oldKey"), ('{"defaults": {"old": 1}}', "defaults.old")],
    )
    async def test_a_document_warns_of_settings_that_are_unknown(
        self, floor: Floor, shop: Shop, settings: str, path: str
    ) -> None:
        await damage_settings(floor, shop, settings)
        document = accepted(await shop.post("/nfe", NFE))
        assert any("não pôde ser lida" in one and path in one for one in document["warnings"])

    @pytest.mark.parametrize(
        ("settings", "path"),
        [
            ('{"nfe": {"series": "x"}}', "nfe.series"),
            ('{"nfe": "x"}', "nfe"),
            ('{"defaults": {"origin": 5.5}}', "defaults.origin"),
        ],
    )
    async def test_no_document_is_made_with_a_default_in_the_place_of_an_invalid_setting(
        self, floor: Floor, shop: Shop, settings: str, path: str
    ) -> None:
        await damage_settings(floor, shop, settings)
        assert error_of(await shop.post("/nfe", NFE), 422, "COMPANY_NOT_READY")["missing"] == [path]

    @pytest.mark.parametrize("settings", SETTINGS)
    async def test_a_change_of_settings_repairs_them(self, floor: Floor, shop: Shop, settings: str) -> None:
        await damage_settings(floor, shop, settings)
        shown = data_of(await shop.caller.http.put(shop.path("/settings"), json={"nfe": {"number": 40}}))
        assert shown["nfe"]["number"] == 40
        with structlog.testing.capture_logs() as logs:
            assert data_of(await shop.get("/settings")) == shown
        assert unreadable_in(logs) == []


class TestDocuments:
    @pytest.mark.parametrize(
        "column", ["environment = 'zz'", "type = 'zz'", "rejection = '\"x\"'", "rejection = '[1]'"]
    )
    async def test_a_damaged_document_does_not_hide_the_others(
        self, floor: Floor, shop: Shop, column: str
    ) -> None:
        bad, good = await shop.issue(), await shop.issue()
        await floor.fetch(f"update documents set {column} where id = $1", UUID(bad["id"]))
        second, first = data_of(await shop.get("/invoices"))
        assert second == good
        assert (first["id"], first["amount"]) == (bad["id"], bad["amount"])
        assert any("não pôde ser lida" in warning for warning in first["warnings"])

    @pytest.mark.parametrize("address", ['"x"', "[]", '{"a": 1}'])
    @pytest.mark.parametrize("path", ["/invoices", "/sales", "/numbering", "/status"])
    async def test_a_damaged_address_of_the_company_does_not_hide_its_documents(
        self, floor: Floor, shop: Shop, address: str, path: str
    ) -> None:
        document = await shop.issue()
        await damage(floor, shop, f"update companies set address = '{address}' where id = COMPANY")
        assert (await shop.get(path)).status_code == 200
        assert [one["id"] for one in data_of(await shop.get("/invoices"))] == [document["id"]]
        assert data_of(await shop.caller.http.get("/v1/company"))["address"] is None
        answer = await shop.post("/nfe", NFE)
        assert "address" in error_of(answer, 422, "COMPANY_NOT_READY")["missing"]
