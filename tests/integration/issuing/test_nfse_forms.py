"""The body of an NFS-e: its two forms, its description and its dates."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from integration.issuing.shop import DETAILED, NFSE, NFSE_SETTINGS, Shop, accepted, body_of, error_of, note_of
from support import data_of, fields_of

DAY = timedelta(days=1)
HOSTING = {"name": "Hospedagem", "type": "service", "category": "saas", "cityServiceCode": "02800"}


class TestForms:
    async def test_shortcut_takes_the_service_from_the_company(self, shop: Shop) -> None:
        note = await note_of(shop, await shop.issue("nfse"))
        assert (note.text("cTribNac"), note.text("vServ")) == ("010501", "59.80")
        assert note.text("xDescServ") == NFSE["serviceDescription"]

    async def test_detailed_form_takes_no_service_from_the_company(self, shop: Shop) -> None:
        await shop.put_settings(nfse=NFSE_SETTINGS | {"cityServiceCode": "777"})
        note = await note_of(shop, await shop.issue("nfse", **DETAILED))
        assert (note.text("cTribNac"), note.text("cTribMun")) == ("010701", None)

    async def test_municipal_code_is_written_only_where_the_layout_has_room_for_it(self, shop: Shop) -> None:
        trial = await shop.post("/nfse", body_of("nfse", serviceCode="001"), dryRun="true")
        assert "<cTribMun>001</cTribMun>" in data_of(trial)["xml"]
        trial = await shop.post("/nfse", body_of("nfse", serviceCode="1.05-00"), dryRun="true")
        assert "<cTribMun>" not in data_of(trial)["xml"]

    async def test_shortcut_with_code_and_rate_is_issued_without_any_settings(self, shop: Shop) -> None:
        await shop.put_settings(nfse={"federalServiceCode": None, "issRate": None})
        record = await shop.issue("nfse", federalServiceCode="01.07", iss={"rate": 2})
        assert record["status"] == "authorized"
        assert (await note_of(shop, record)).text("cTribNac") == "010701"

    async def test_municipal_code_of_the_shortcut_finds_the_service_in_the_catalog(self, shop: Shop) -> None:
        await shop.put_settings(nfse={"federalServiceCode": None, "issRate": None})
        body = body_of("nfse", serviceCode="02800")
        (rule, _) = error_of(await shop.post("/nfse", body), 422, "FISCAL_RULE_VIOLATION")["rules"]
        assert "cityServiceCode “02800”" in rule["message"]
        item = HOSTING | {"sku": "HOSP", "serviceItemCode": "01.03.02", "iss": {"rate": 3}}
        data_of(await shop.post("/products", item))
        record = await shop.settled(accepted(await shop.post("/nfse", body)))
        assert record["status"] == "authorized"
        assert "01.03.02 é o do item “HOSP” do catálogo" in record["warnings"][0]
        assert (await note_of(shop, record)).text("cTribNac") == "010302"

    async def test_municipal_code_of_different_services_in_the_catalog_is_refused(self, shop: Shop) -> None:
        for sku, code in (("A", "01.05"), ("B", "01.07")):
            data_of(await shop.post("/products", HOSTING | {"sku": sku, "serviceItemCode": code}))
        answer = await shop.post("/nfse", body_of("nfse", serviceCode="02800"))
        (rule,) = error_of(answer, 422, "FISCAL_RULE_VIOLATION")["rules"]
        assert (rule["code"], rule["field"]) == ("AMBIGUOUS", "serviceCode")
        assert rule["candidates"] == ["01.05", "01.07"]

    async def test_missing_and_unknown_fields_are_reported_at_once(self, idle_shop: Shop) -> None:
        body = {"cityServiceCode": "1", "iss": {}, "borrower": {}, "cor": "azul"}
        assert set(fields_of(await idle_shop.post("/nfse", body))) == {
            "serviceDescription", "amount", "borrower.name", "iss.rate", "federalServiceCode", "cor",
        }  # fmt: skip
        assert await idle_shop.count() == 0

    async def test_fields_missing_in_body_and_settings_are_reported_at_once(self, shop: Shop) -> None:
        await shop.put_settings(nfse={"federalServiceCode": None, "issRate": None})
        details = error_of(await shop.post("/nfse", NFSE), 422, "FISCAL_RULE_VIOLATION")
        assert {rule["field"] for rule in details["rules"]} == {"federalServiceCode", "iss.rate"}
        assert all(rule["hint"] for rule in details["rules"])
        assert await shop.count() == 0

    async def test_federal_code_of_several_services_is_ambiguous(self, idle_shop: Shop) -> None:
        body = body_of("nfse", **DETAILED | {"federalServiceCode": "01.03"})
        (rule,) = error_of(await idle_shop.post("/nfse", body), 422, "FISCAL_RULE_VIOLATION")["rules"]
        assert (rule["code"], rule["field"]) == ("AMBIGUOUS", "federalServiceCode")
        assert rule["candidates"][:2] == ["01.03.01", "01.03.02"]

    @pytest.mark.parametrize("code", ["01.03.02", "010302"])
    async def test_federal_code_may_name_a_single_service(self, shop: Shop, code: str) -> None:
        note = await note_of(shop, await shop.issue("nfse", **DETAILED | {"federalServiceCode": code}))
        assert note.text("cTribNac") == "010302"

    @pytest.mark.parametrize("code", ["01.99", "99.99.99", "999999"])
    async def test_federal_code_that_does_not_exist_is_a_rule_violation(
        self, idle_shop: Shop, code: str
    ) -> None:
        body = body_of("nfse", **DETAILED | {"federalServiceCode": code})
        (rule,) = error_of(await idle_shop.post("/nfse", body), 422, "FISCAL_RULE_VIOLATION")["rules"]
        assert (rule["code"], rule["field"]) == ("E0310", "federalServiceCode")

    async def test_iss_rate_of_zero_is_accepted(self, shop: Shop) -> None:
        body = body_of("nfse", **DETAILED | {"iss": {"rate": 0}})
        trial = data_of(await shop.post("/nfse", body, dryRun="true"))
        assert (trial["problems"], trial["totals"]["issRate"]) == ([], 0)
        assert (await shop.settled(accepted(await shop.post("/nfse", body))))["status"] == "authorized"

    @pytest.mark.parametrize(
        "changes",
        [
            {"amount": 0}, {"amount": -1}, {"amount": 1.001}, {"amount": "10"}, {"serviceDescription": ""},
            {"serviceDescription": "x" * 2001}, {"name": "ab"}, {"name": "x" * 65}, {"guarantee": 0},
            {"guarantee": 366}, {"guarantee": 1.5}, {"cnaeCode": "123456"}, {"natureOfOperation": "7"},
            {"natureOfOperation": 7}, {"serviceLocation": "3"}, {"municipalityOfIncidence": "3"},
            {"issueDate": "14/11/2026"}, {"nbs": "1.1502.10"},
            DETAILED | {"federalServiceCode": "105"}, DETAILED | {"cityServiceCode": "x" * 21},
        ],
        ids=str,
    )  # fmt: skip
    async def test_invalid_field_is_reported(self, idle_shop: Shop, changes: dict[str, Any]) -> None:
        field = next(name for name, value in changes.items() if DETAILED.get(name) != value)
        answer = await idle_shop.post("/nfse", body_of("nfse", **changes))
        assert set(fields_of(answer)) == {field}

    async def test_amount_is_limited_to_what_the_catalog_can_store(self, shop: Shop) -> None:
        answer = await shop.post("/nfse", body_of("nfse", amount=999_999_999_999.99))
        assert fields_of(answer) == {"amount": "Deve ter no máximo 11 dígitos antes da vírgula."}
        largest = body_of("nfse", amount=99_999_999_999.99, discounts={"unconditional": 99_999_999_999.98})
        assert accepted(await shop.post("/nfse", largest))["amount"] == 0.01

    @pytest.mark.parametrize("rate", [-0.01, 100.01, "2"])
    async def test_iss_rate_outside_zero_to_a_hundred_is_invalid(self, idle_shop: Shop, rate: Any) -> None:
        answer = await idle_shop.post("/nfse", body_of("nfse", **DETAILED | {"iss": {"rate": rate}}))
        assert set(fields_of(answer)) == {"iss.rate"}


class TestDescription:
    async def test_description_has_its_variables_filled_in(self, shop: Shop) -> None:
        text = "Plano {nomeProduto} de {nomeCliente}, pedido {pedido}"
        record = await shop.issue("nfse", serviceDescription=text, name="Pro", externalId="42")
        note = await note_of(shop, record)
        assert note.text("xDescServ") == "Plano Pro de Maria da Silva, pedido 42"

    async def test_description_keeps_unknown_variables_and_warns(self, shop: Shop) -> None:
        record = await shop.issue("nfse", serviceDescription="Plano {coisa}")
        assert (record["status"], len(record["warnings"])) == ("authorized", 1)
        assert "{coisa}" in record["warnings"][0]
        assert (await note_of(shop, record)).text("xDescServ") == "Plano {coisa}"

    async def test_description_without_a_value_for_a_variable_is_a_rule_violation(
        self, idle_shop: Shop
    ) -> None:
        answer = await idle_shop.post("/nfse", body_of("nfse", serviceDescription="Plano {nomeProduto}"))
        (rule,) = error_of(answer, 422, "FISCAL_RULE_VIOLATION")["rules"]
        assert rule["field"] == "serviceDescription"


class TestCompetence:
    async def test_competence_may_differ_from_the_moment_of_issue(self, shop: Shop) -> None:
        before = datetime.now(UTC) - 40 * DAY
        record = await shop.issue("nfse", issueDate=f"{before:%Y-%m-%d}")
        assert record["status"] == "authorized"
        assert (await note_of(shop, record)).text("dCompet") == f"{before:%Y-%m-%d}"
        assert datetime.now(UTC) - datetime.fromisoformat(record["issuedAt"]) < DAY

    async def test_competence_may_be_given_as_a_moment(self, shop: Shop) -> None:
        record = await shop.issue("nfse", issueDate="2026-11-14T23:30:00-03:00")
        assert (await note_of(shop, record)).text("dCompet") == "2026-11-14"

    async def test_competence_in_the_future_is_a_rule_violation(self, idle_shop: Shop) -> None:
        body = body_of("nfse", issueDate=f"{datetime.now(UTC) + 2 * DAY:%Y-%m-%d}")
        (rule,) = error_of(await idle_shop.post("/nfse", body), 422, "FISCAL_RULE_VIOLATION")["rules"]
        assert (rule["code"], rule["field"]) == ("E0015", "issueDate")
