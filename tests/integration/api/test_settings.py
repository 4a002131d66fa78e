"""A company's settings: merged, numbered per environment, secrets encrypted and masked."""

from typing import Any
from uuid import UUID

import pytest

from carimbo.storage.database import Database
from support import Caller, data_of, fields_of

CSC = "0123456789ABCDEF0123456789ABCDEF"


async def path_of(caller: Caller) -> str:
    return f"/v1/companies/{await caller.create_company()}/settings"


class TestRead:
    async def test_settings_have_sensible_defaults(self, caller: Caller) -> None:
        settings = data_of(await caller.http.get(await path_of(caller)))
        assert settings["mdfe"] == {"series": 1, "number": 1, "closeAfterDays": None}
        assert settings["nfce"]["active"] is False
        assert (settings["nfce"]["qrVersion"], settings["nfce"]["paper"]) == (2, "80mm")
        assert settings["defaults"] == {
            "productInvoiceType": "nfe",
            "cfop": None,
            "ncm": None,
            "origin": None,
            "presence": None,
            "paymentMethod": None,
            "icmsRate": None,
            "simplesCreditRate": None,
            "approximateTaxRates": None,
            "simplesLegends": True,
        }
        assert settings["email"] == {"sendOnAuthorization": False}
        assert settings["numbering"] == {"inutilizeGaps": "manual"}
        types = {"nfe", "nfce", "nfse", "cte", "cteOs", "mdfe"}
        assert settings["received"] == {"autoAcknowledge": True}
        assert set(settings) == types | {"defaults", "email", "numbering", "received"}


class TestChange:
    async def test_change_is_merged_into_the_settings(self, caller: Caller) -> None:
        path = await path_of(caller)
        await caller.http.put(path, json={"nfce": {"active": True, "series": 7, "number": 100}})
        changed = data_of(await caller.http.put(path, json={"nfce": {"number": 150}, "nfe": {"series": 2}}))
        assert (changed["nfce"]["series"], changed["nfce"]["number"]) == (7, 150)
        assert changed["nfce"]["active"] is True
        assert changed["nfe"] == {"series": 2, "number": 1}
        assert data_of(await caller.http.get(path)) == changed

    async def test_approximate_tax_rates_are_merged_and_cleared_by_null(self, caller: Caller) -> None:
        path = await path_of(caller)
        for rates in ({"federal": 13.45}, {"state": 18}):
            answer = await caller.http.put(path, json={"defaults": {"approximateTaxRates": rates}})
        merged = {"federal": 13.45, "state": 18.0, "municipal": 0.0}
        assert data_of(answer)["defaults"]["approximateTaxRates"] == merged
        answer = await caller.http.put(path, json={"defaults": {"approximateTaxRates": None}})
        assert data_of(answer)["defaults"]["approximateTaxRates"] is None

    async def test_default_presence_and_payment_are_shown_as_they_were_set(self, caller: Caller) -> None:
        path, terms = await path_of(caller), {"presence": "internet", "paymentMethod": "creditCard"}
        answer = await caller.http.put(path, json={"defaults": terms})
        assert data_of(answer)["defaults"].items() >= terms.items()
        refused = await caller.http.put(path, json={"defaults": {"paymentMethod": "shells"}})
        assert set(fields_of(refused)) == {"defaults.paymentMethod"}

    async def test_numbers_are_kept_per_series(self, caller: Caller) -> None:
        path = await path_of(caller)
        await caller.http.put(path, json={"nfe": {"series": 1, "number": 500}})
        assert data_of(await caller.http.put(path, json={"nfe": {"series": 2}}))["nfe"]["number"] == 1
        assert data_of(await caller.http.put(path, json={"nfe": {"series": 1}}))["nfe"]["number"] == 500

    async def test_numbers_are_kept_per_environment(self, caller: Caller) -> None:
        path = await path_of(caller)
        environment = path.replace("settings", "environment")
        await caller.http.put(path, json={"nfe": {"number": 500}})
        await caller.http.patch(environment, json={"environment": "homologation"})
        assert data_of(await caller.http.get(path))["nfe"]["number"] == 1
        await caller.http.put(path, json={"nfe": {"number": 9}})
        await caller.http.patch(environment, json={"environment": "production"})
        assert data_of(await caller.http.get(path))["nfe"]["number"] == 500

    @pytest.mark.parametrize("name", ["test", "homologation"])
    async def test_environment_of_a_document_type_has_its_own_numbers(
        self, caller: Caller, name: str
    ) -> None:
        path = await path_of(caller)
        await caller.http.put(path, json={"nfce": {"number": 500}})
        changed = data_of(await caller.http.put(path, json={"nfce": {"environment": name}}))
        assert (changed["nfce"]["environment"], changed["nfce"]["number"]) == (name, 1)

    @pytest.mark.parametrize(
        ("body", "field"),
        [
            ({"nfe": {"series": 890}}, "nfe.series"),
            ({"nfe": {"series": 999}}, "nfe.series"),
            ({"nfe": {"series": -1}}, "nfe.series"),
            ({"nfe": {"series": "1"}}, "nfe.series"),
            ({"nfe": {"series": True}}, "nfe.series"),
            ({"nfe": {"number": 0}}, "nfe.number"),
            ({"nfe": {"number": 1_000_000_000}}, "nfe.number"),
            ({"nfe": {"number": 1.5}}, "nfe.number"),
            ({"nfse": {"series": 50_000}}, "nfse.series"),
            ({"nfse": {"series": 0}}, "nfse.series"),
            ({"nfce": {"active": "yes"}}, "nfce.active"),
            ({"nfce": {"environment": "staging"}}, "nfce.environment"),
            ({"nfce": {"qrVersion": 1}}, "nfce.qrVersion"),
            ({"nfce": {"qrVersion": True}}, "nfce.qrVersion"),
            ({"nfce": {"cscId": 1.5}}, "nfce.cscId"),
            ({"nfce": {"paper": "a4"}}, "nfce.paper"),
            ({"cte": {"rntrc": "123"}}, "cte.rntrc"),
            ({"nfcom": {}}, "nfcom"),
            ({"nfe": {"active": True}}, "nfe.active"),
            ({"defaults": {"cfop": "0102"}}, "defaults.cfop"),
            ({"defaults": {"approximateTaxRates": {"federal": 101}}}, "defaults.approximateTaxRates.federal"),
        ],
    )
    async def test_wrong_values_are_refused_by_their_paths(
        self, caller: Caller, body: dict[str, Any], field: str
    ) -> None:
        path = await path_of(caller)
        before = data_of(await caller.http.get(path))
        assert list(fields_of(await caller.http.put(path, json=body))) == [field]
        assert data_of(await caller.http.get(path)) == before


class TestSecrets:
    async def test_secrets_are_shown_masked_and_stored_encrypted(
        self, caller: Caller, database: Database
    ) -> None:
        path = await path_of(caller)
        body = {"nfce": {"csc": CSC, "cscId": "1", "homologation": {"csc": "TEST" + CSC[4:], "cscId": "2"}}}
        shown = data_of(await caller.http.put(path, json=body))["nfce"]
        assert shown["csc"] == "********CDEF"
        assert shown["homologation"] == {"cscId": "2", "csc": "********CDEF"}
        async with database.connection() as connection:
            stored = await connection.fetchval(
                "select settings::text from companies where subscription_id = $1", caller.subscription_id
            )
            sealed = await connection.fetch(
                "select name, sealed from secrets where subscription_id = $1 order by name",
                caller.subscription_id,
            )
        assert CSC not in stored
        assert [row["name"] for row in sealed] == ["nfce.csc", "nfce.homologation.csc"]
        assert all(CSC.encode() not in row["sealed"] for row in sealed)

    async def test_masked_secrets_that_are_sent_back_are_kept(
        self, caller: Caller, database: Database
    ) -> None:
        path = await path_of(caller)
        await caller.http.put(path, json={"nfce": {"csc": CSC}})
        shown = data_of(await caller.http.get(path))
        await caller.http.put(path, json=shown)
        company_id = path.split("/")[3]
        async with database.tenant(caller.subscription_id) as tenant:
            assert await tenant.secrets.get(UUID(company_id), "nfce.csc") == CSC.encode()

    @pytest.mark.parametrize("mask", ["********ZZZZ", "********"])
    async def test_mask_of_another_secret_is_refused(self, caller: Caller, mask: str) -> None:
        path = await path_of(caller)
        await caller.http.put(path, json={"nfce": {"csc": CSC}})
        answer = await caller.http.put(path, json={"nfce": {"csc": mask, "active": True}})
        assert list(fields_of(answer)) == ["nfce.csc"]
        shown = data_of(await caller.http.get(path))["nfce"]
        assert (shown["csc"], shown["active"]) == ("********CDEF", False)

    async def test_secrets_are_removed_by_null(self, caller: Caller) -> None:
        path = await path_of(caller)
        body = {"nfce": {"csc": CSC, "homologation": {"csc": CSC}}}
        await caller.http.put(path, json=body)
        cleared = await caller.http.put(path, json={"nfce": {"csc": None, "homologation": None}})
        assert data_of(cleared)["nfce"]["csc"] is None
        assert data_of(cleared)["nfce"]["homologation"] is None
        again = await caller.http.put(path, json={"nfce": {"homologation": {"cscId": "1"}}})
        assert data_of(again)["nfce"]["homologation"] == {"cscId": "1", "csc": None}

    async def test_short_secrets_are_masked_completely(self, caller: Caller) -> None:
        shown = data_of(await caller.http.put(await path_of(caller), json={"nfce": {"csc": "ABCD1234"}}))
        assert shown["nfce"]["csc"] == "********"
