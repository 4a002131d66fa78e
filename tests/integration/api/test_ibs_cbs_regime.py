"""`ibsCbsRegime`: the options of a company of Simples Nacional for IBS and CBS, by half-year."""

from datetime import date
from typing import Any
from uuid import UUID

import pytest

from carimbo.fiscal.environment import Environment
from carimbo.fiscal.registry import DOCUMENT_TYPES
from carimbo.service.companies.snapshot import CompanySnapshot, CompanySnapshots
from carimbo.storage.database import Database
from support import CNPJ, Caller, data_of, fields_of

REGULAR = [{"halfYear": "2027-1", "regime": "regular"}]
MIXED = [{"halfYear": "2027-1", "regime": "mixed"}]
ADDRESS = {
    "zipcode": "01310-100", "street": "Avenida Paulista", "number": "1000", "district": "Bela Vista",
    "city": "São Paulo", "state": "SP",
}  # fmt: skip


async def created(caller: Caller, **fields: Any) -> dict[str, Any]:
    body = {"taxId": CNPJ, "legalName": "Loja Modelo Ltda", "environment": "homologation", **fields}
    record = data_of(await caller.http.post("/v1/companies", json=body))
    del record["warnings"]
    return dict(record)


async def snapshot_of(database: Database, company_id: str) -> CompanySnapshot:
    """Returns the company snapshot that documents are made from."""
    async with database.connection() as connection:
        row = await connection.fetchrow(
            "select subscription_id, revision from companies where id = $1", UUID(company_id)
        )
    assert row is not None
    return await CompanySnapshots(database).of(row["subscription_id"], UUID(company_id), row["revision"])


class TestOptions:
    async def test_options_are_empty_by_default_and_sorted(self, caller: Caller) -> None:
        record = await created(caller, taxRegime="simples")
        assert record["ibsCbsRegime"] == []
        path = f"/v1/companies/{record['id']}"
        later = {"halfYear": "2027-2", "regime": "das"}
        changed = data_of(await caller.http.put(path, json={"ibsCbsRegime": [later, *REGULAR]}))
        assert changed["ibsCbsRegime"] == [*REGULAR, later]
        assert data_of(await caller.http.get(path)) == changed

    async def test_options_are_kept_by_put_and_cleared_by_null(self, caller: Caller) -> None:
        record = await created(caller, taxRegime="simples", ibsCbsRegime=REGULAR)
        path = f"/v1/companies/{record['id']}"
        same = data_of(await caller.http.put(path, json=record))
        assert same == {**record, "updatedAt": same["updatedAt"]}
        for left_out in ({}, {"tradeName": "Outra"}):
            assert data_of(await caller.http.put(path, json=left_out))["ibsCbsRegime"] == REGULAR
        assert data_of(await caller.http.put(path, json={"ibsCbsRegime": None}))["ibsCbsRegime"] == []

    async def test_options_of_a_deleted_company_do_not_come_back(self, caller: Caller) -> None:
        record = await created(caller, taxRegime="simples", ibsCbsRegime=REGULAR)
        await caller.http.delete(f"/v1/companies/{record['id']}")
        again = await created(caller, taxRegime="simples")
        assert (again["id"], again["ibsCbsRegime"]) == (record["id"], [])

    async def test_options_are_part_of_the_company_snapshot(self, caller: Caller, database: Database) -> None:
        record = await created(caller, taxRegime="simples", address=ADDRESS, ibsCbsRegime=REGULAR)
        company = (await snapshot_of(database, record["id"])).company
        days = (date(2026, 12, 31), date(2027, 1, 1), date(2027, 6, 30), date(2027, 7, 1))
        assert [company.informs_ibs_cbs(day) for day in days] == [False, True, True, False]

    async def test_unreadable_options_keep_the_company_from_issuing(
        self, caller: Caller, database: Database
    ) -> None:
        record = await created(caller, taxRegime="simples", address=ADDRESS)
        async with database.connection() as connection:
            await connection.execute(
                "update companies set ibs_cbs_regime = '[{}]', revision = revision + 1 where id = $1",
                UUID(record["id"]),
            )
        snapshot = await snapshot_of(database, record["id"])
        for document_type in DOCUMENT_TYPES:
            assert "ibsCbsRegime" in snapshot.missing_for(document_type, Environment.HOMOLOGATION)


class TestRefusal:
    @pytest.mark.parametrize(
        ("regime", "options"),
        [("normal", REGULAR), ("mei", REGULAR), ("mei", MIXED), ("simples", MIXED)],
    )
    async def test_options_that_the_tax_regime_does_not_have_are_refused(
        self, caller: Caller, regime: str, options: list[dict[str, str]]
    ) -> None:
        body = {"taxId": CNPJ, "legalName": "Loja", "taxRegime": regime, "ibsCbsRegime": options}
        assert list(fields_of(await caller.http.post("/v1/companies", json=body))) == ["ibsCbsRegime"]
        record = await created(caller, taxRegime=regime)
        answer = await caller.http.put(f"/v1/companies/{record['id']}", json={"ibsCbsRegime": options})
        assert list(fields_of(answer)) == ["ibsCbsRegime"]

    async def test_tax_regime_without_the_stored_options_is_refused(self, caller: Caller) -> None:
        record = await created(caller, taxRegime="simplesExcess", ibsCbsRegime=MIXED)
        path = f"/v1/companies/{record['id']}"
        refused = fields_of(await caller.http.put(path, json={"taxRegime": "normal"}))
        assert "envie ibsCbsRegime com uma lista vazia" in refused["ibsCbsRegime"]
        changes = {"taxRegime": "normal", "ibsCbsRegime": []}
        assert data_of(await caller.http.put(path, json=changes))["taxRegime"] == "normal"

    async def test_regime_without_a_half_year_is_refused_with_an_example(self, caller: Caller) -> None:
        for undated in ("regular", True, ["regular"], {"halfYear": "2027-1", "regime": "regular"}):
            body = {"taxId": CNPJ, "legalName": "Loja", "taxRegime": "simples", "ibsCbsRegime": undated}
            refused = fields_of(await caller.http.post("/v1/companies", json=body))
            assert '[{"halfYear": "2027-1", "regime": "regular"}]' in refused["ibsCbsRegime"]
