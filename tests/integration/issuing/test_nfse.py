"""NFS-e over HTTP: the record, the sale that it creates, and recovery from failures."""

from decimal import Decimal
from typing import Any
from uuid import UUID

import pytest

from carimbo.fiscal.identity.access_key import parse_service_key
from carimbo.fiscal.identity.certificate import A1Certificate
from integration.issuing.actions import cancel
from integration.issuing.shop import (
    ADDRESS,
    DETAILED,
    NFSE,
    REFUSALS,
    UNANSWERED,
    NewShop,
    Shop,
    accepted,
    body_of,
    error_of,
    note_of,
    provider_in,
)
from integration.issuing.system import System
from support import data_of

LONG = "Consultoria em tecnologia da informação com horas de desenvolvimento e de suporte"


class TestRecord:
    async def test_nfse_has_the_authoritys_number_and_key_and_our_dps_number(self, shop: Shop) -> None:
        await shop.put_settings(nfse={"series": 7, "number": 50})
        record = await shop.issue("nfse")
        assert (record["status"], record["number"], record["series"]) == ("authorized", 1, None)
        assert record["dps"] == {"series": 7, "number": 50}
        tax_id = data_of(await shop.caller.http.get(shop.path()))["taxId"]
        assert parse_service_key(record["accessKey"]).startswith(f"355030822{tax_id}{1:013d}")
        note = await note_of(shop, record)
        assert (note.text("nNFSe"), note.text("nDFSe")) == ("1", record["protocol"])
        assert (note.text("infDPS/serie"), note.text("infDPS/nDPS")) == ("7", "50")

    async def test_nfse_has_no_number_and_no_key_before_the_authorization(self, shop: Shop) -> None:
        document = await shop.create("nfse", notes=UNANSWERED)
        await shop.system.until(f"exists (select from emissions where document_id = '{document['id']}')")
        record = await shop.read(document)
        assert (record["status"], record["number"], record["accessKey"]) == ("processing", None, None)
        assert record["dps"] == {"series": 1, "number": 1}

    async def test_refused_nfse_has_no_number_and_no_key(self, shop: Shop) -> None:
        record = await shop.issue("nfse", notes=REFUSALS["nfse"])
        assert (record["number"], record["accessKey"], record["protocol"]) == (None, None, None)
        assert record["dps"] == {"series": 1, "number": 1}

    async def test_nfse_has_no_cancellation_deadline_because_the_municipality_sets_it(
        self, shop: Shop
    ) -> None:
        assert (await shop.issue("nfse"))["cancelableUntil"] is None

    async def test_nfse_is_numbered_separately_in_each_environment(self, shop: Shop) -> None:
        records = []
        for environment in ("production", "homologation"):
            path = shop.path("/environment")
            data_of(await shop.caller.http.patch(path, json={"environment": environment}))
            records.append(await shop.issue("nfse"))
        assert [record["environment"] for record in records] == ["production", "homologation"]
        assert [record["status"] for record in records] == ["authorized", "authorized"]
        assert [record["dps"] for record in records] == [{"series": 1, "number": 1}] * 2
        rows = await shop.system.fetch(
            "select access_key from emissions where company_id = $1", UUID(shop.id)
        )
        assert len({row["access_key"] for row in rows}) == 1
        assert records[0]["accessKey"] != records[1]["accessKey"]

    async def test_nfse_of_a_company_without_a_state_registration_is_authorized(
        self, system: System, certificate: A1Certificate
    ) -> None:
        provider = await provider_in(system, certificate, ADDRESS)
        record = await provider.issue("nfse")
        assert record["status"] == "authorized"
        assert data_of(await cancel(provider, record))["status"] == "canceled"

    async def test_nfse_is_issued_normally_while_the_company_is_in_contingency(self, shop: Shop) -> None:
        data_of(await shop.caller.http.put(shop.path("/contingency"), json={"mode": "forced"}))
        record = await shop.issue("nfse")
        assert (record["status"], record["contingency"]) == ("authorized", None)

    async def test_nfse_has_no_items_no_correction_letter_and_no_transmit(self, shop: Shop) -> None:
        record = await shop.issue("nfse")
        error_of(await shop.get(f"/nfse/{record['id']}/items"), 404, "NOT_FOUND")
        letter = {"correction": "O endereço do tomador é Rua das Flores, 10"}
        error_of(await shop.post(f"/nfse/{record['id']}/correction", letter), 404, "NOT_FOUND")
        error_of(await shop.post(f"/nfse/{record['id']}/transmit"), 404, "NOT_FOUND")

    async def test_gaps_of_nfse_are_not_voidable(self, shop: Shop) -> None:
        refused = await shop.issue("nfse", notes=REFUSALS["nfse"])
        (series,) = data_of(await shop.get("/numbering", type="nfse"))
        (gap,) = series["gaps"]
        assert (gap["documentId"], gap["voidable"], gap["deadline"]) == (refused["id"], False, None)
        nothing = await shop.post("/numbering/inutilize-gaps", {})
        assert (nothing.status_code, nothing.json()["data"]) == (200, [])
        assert (await shop.post("/nfse/inutilizations", {})).status_code == 405


async def stored(shop: Shop, table: str) -> list[dict[str, Any]]:
    """Returns the rows of a company in a table."""
    rows = await shop.system.fetch(
        f"select * from {table} where company_id = $1 order by created_at", UUID(shop.id)
    )
    return [dict(row) for row in rows]


class TestSale:
    async def test_nfse_creates_a_sale_with_the_customer_and_the_item(self, shop: Shop) -> None:
        document = accepted(await shop.post("/nfse", body_of("nfse", externalId="pedido-1")))
        (sale,), (customer,), (item,) = [
            await stored(shop, table) for table in ("sales", "customers", "products")
        ]
        assert (str(sale["id"]), sale["external_id"]) == (document["saleId"], "pedido-1")
        assert sale["amount"] == Decimal("59.80")
        assert (customer["document"], customer["name"]) == ("52998224725", "Maria da Silva")
        assert sale["customer_id"] == customer["id"]
        names = ("sku", "name", "category", "type", "guarantee")
        assert [item[name] for name in names] == [
            "direct-api-nfse", "Assinatura mensal", "other_service", "service", None,
        ]  # fmt: skip
        record = await shop.settled(document)
        assert record["saleId"] == document["saleId"]
        assert data_of(await shop.get("/nfse"))[0]["saleId"] == document["saleId"]

    async def test_item_is_named_by_the_first_64_characters_of_the_description(self, shop: Shop) -> None:
        await shop.create("nfse", serviceDescription=LONG)
        (item,) = await stored(shop, "products")
        assert item["name"] == LONG[:64].strip()

    async def test_item_takes_name_sku_category_and_guarantee_from_the_body(self, shop: Shop) -> None:
        fields = {"name": "Plano Pro", "sku": "pro", "category": "saas", "guarantee": 7}
        await shop.create("nfse", **fields)
        (item,) = await stored(shop, "products")
        assert {name: item[name] for name in fields} == fields

    async def test_existing_customer_and_item_are_used(self, shop: Shop) -> None:
        first = await shop.create("nfse", name="Plano Pro")
        other = {"taxId": "52998224725", "name": "Maria Silva", "email": "maria@example.com"}
        second = await shop.create("nfse", name="Outro nome", borrower=other)
        (customer,), (item,) = await stored(shop, "customers"), await stored(shop, "products")
        assert (customer["name"], customer["email"]) == ("Maria da Silva", "maria@example.com")
        assert item["name"] == "Plano Pro"
        assert first["saleId"] != second["saleId"]

    async def test_refused_nfse_creates_no_sale(self, shop: Shop) -> None:
        body = body_of("nfse", issueDate="2999-01-01")
        error_of(await shop.post("/nfse", body), 422, "FISCAL_RULE_VIOLATION")
        tables = ("sales", "customers", "products")
        assert [await stored(shop, table) for table in tables] == [[], [], []]

    async def test_correction_of_an_nfse_changes_its_sale(self, shop: Shop) -> None:
        refused = await shop.issue("nfse", notes=REFUSALS["nfse"])
        changed = data_of(await shop.patch(refused, amount=70, notes=None))
        assert (changed["amount"], changed["saleId"]) == (70, refused["saleId"])
        (sale,) = await stored(shop, "sales")
        assert sale["amount"] == 70
        accepted(await shop.emit(changed))
        record = await shop.settled(changed)
        assert (record["status"], record["dps"]) == ("authorized", refused["dps"])
        assert (await note_of(shop, record)).text("vServ") == "70.00"

    async def test_repeated_idempotency_key_creates_one_sale(self, shop: Shop) -> None:
        answers = [await shop.post("/nfse", NFSE, key="k") for _ in range(2)]
        assert [answer.status_code for answer in answers] == [202, 200]
        assert len({answer.json()["data"]["saleId"] for answer in answers}) == 1
        assert len(await stored(shop, "sales")) == 1


class TestTrialTotals:
    async def test_dry_run_shows_what_is_withheld_and_the_net_amount(self, new_shop: NewShop) -> None:
        shop = await new_shop()
        changes = {"taxRegime": "normal", "pisCofinsRegime": "cumulative"}
        data_of(await shop.caller.http.put(shop.path(), json=changes))
        taker = {"taxId": "12.ABC.345/01DE-35", "name": "Cliente Ltda", "address": ADDRESS}
        body = body_of(
            "nfse", amount=1000, borrower=taker, nbs="1.1502.10.00", issueDate="2026-11-02",
            **DETAILED | {"iss": {"rate": 2.9, "isWithheld": True}},
            taxes={"ir": {"rate": 1.5, "isWithheld": True}, "pis": {"rate": 0.65}},
        )  # fmt: skip
        trial = data_of(await shop.post("/nfse", body, dryRun="true"))
        assert (trial["problems"], trial["totals"]) == ([], {
            "amount": 1000, "discount": 0, "issBase": 1000, "issRate": 2.9, "issAmount": 29,
            "issWithheld": 29, "pis": 6.5, "cofins": 30, "ibsCbsBase": 934.5, "federalWithheld": 15,
            "netAmount": 956, "totalDue": None,
        })  # fmt: skip
        record = await shop.settled(accepted(await shop.post("/nfse", body)))
        note = await note_of(shop, record)
        assert (note.text("vISSQN"), note.text("vTotalRet")) == ("29.00", "44.00")
        assert note.text("vLiq") == "956.00"


class TestFailure:
    TROUBLES = (
        "RESPOSTA_PERDIDA", "CORTADA", "RESPOSTA_VAZIA", "HTML", "FALHA_SOAP", "FORA_DO_AR:109", "HTTP:400",
        "HTTP:403", "HTTP:404", "HTTP:502",
    )  # fmt: skip

    @pytest.mark.parametrize("trouble", TROUBLES)
    async def test_failure_of_the_authority_still_makes_exactly_one_note(
        self, shop: Shop, trouble: str
    ) -> None:
        record = await shop.issue("nfse", notes=f"SIMULA:{trouble}")
        assert (record["status"], record["number"]) == ("authorized", 1)
        assert record["dps"] == {"series": 1, "number": 1}
        sent = [entry for entry in await shop.journal(record) if entry["service"] == "POST /nfse"]
        assert [entry["code"] for entry in sent].count("100") == 1
        assert (await shop.issue("nfse"))["number"] == 2

    async def test_lost_answer_is_settled_without_sending_the_note_again(self, shop: Shop) -> None:
        record = await shop.issue("nfse", notes="SIMULA:RESPOSTA_PERDIDA")
        services = [entry["service"] for entry in await shop.journal(record)]
        assert services == ["POST /nfse", "GET /dps/{id}"]
