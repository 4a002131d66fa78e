"""What received CT-e say: parties, price, cargo documents and taxes."""

from decimal import Decimal

import pytest

from carimbo.fiscal.documents.cte.received import RECEIVING
from unit.fiscal.documents.cte.received_files import EXAMPLES, SIMPLIFIED, authorized, example

CTES = sorted((EXAMPLES / "cte").glob("*.xml"))
ROAD = example("cte/road-freight")
ISSUER = "11222333000181"


class TestDetails:
    def test_parties_have_names_and_places(self) -> None:
        parties = {party.role: party for party in RECEIVING.details(authorized(ROAD)).parties}
        assert {"issuer", "shipper", "recipient", "taker"} <= set(parties)
        assert parties["issuer"].tax_id == ISSUER
        assert parties["issuer"].state_registration
        assert all(party.city and party.state for party in parties.values())
        assert parties["taker"].tax_id in {parties["shipper"].tax_id, parties["recipient"].tax_id}

    def test_items_are_components_and_invoices(self) -> None:
        items = RECEIVING.details(authorized(example("cte/thirty-invoices"))).items
        assert {item["type"] for item in items} == {"component", "nfe"}
        assert sum(item["type"] == "nfe" for item in items) == 30

    @pytest.mark.parametrize(
        ("name", "types"),
        [
            ("paper-invoices", {"component", "paper"}),
            ("other-documents", {"component", "other"}),
            ("content-declarations", {"component", "dce"}),
        ],
    )
    def test_other_documents_of_the_cargo_are_items_too(self, name: str, types: set[str]) -> None:
        items = RECEIVING.details(authorized(example(f"cte/{name}"))).items
        assert {item["type"] for item in items} == types

    def test_hidden_keys_are_null(self) -> None:
        masked = ROAD.replace(ROAD.partition("<chave>")[2].partition("<")[0], "9" * 44)
        items = RECEIVING.details(authorized(masked)).items
        assert next(item["accessKey"] for item in items if item["type"] == "nfe") is None
        schema = "procCTe_v4.00.xsd"
        assert RECEIVING.read(schema, authorized(masked), ISSUER) == RECEIVING.read(
            schema, authorized(ROAD), ISSUER
        )

    def test_totals_have_the_names_of_previews(self) -> None:
        totals = RECEIVING.details(authorized(SIMPLIFIED, "cteSimpProc")).totals
        assert totals == {
            "amount": Decimal("150.00"),
            "receivableAmount": Decimal("149.00"),
            "cargoAmount": Decimal("5000.00"),
            "icmsBase": Decimal("150.00"),
            "icmsAmount": Decimal("18.00"),
            "ibsAmount": Decimal("0.13"),
            "cbsAmount": Decimal("1.19"),
        }

    def test_details_are_an_answer_in_json(self) -> None:
        details = RECEIVING.details(authorized(ROAD))
        assert details.model_dump(mode="json")["parties"][0]["taxId"] == ISSUER
        assert details.nature


class TestAmounts:
    def test_simplified_cte_sums_the_taxes_of_its_services(self) -> None:
        lines = {line.tax: line for line in RECEIVING.amounts(authorized(SIMPLIFIED, "cteSimpProc"))}
        assert set(lines) == {"icms", "ibs", "cbs"}
        assert (lines["icms"].cfop, lines["icms"].cst, lines["icms"].items) == ("6353", "00", Decimal(150))
        assert (lines["icms"].base, lines["icms"].amount) == (Decimal(150), Decimal(18))
        assert (lines["cbs"].cst, lines["cbs"].items, lines["cbs"].base, lines["cbs"].amount) == (
            "000",
            Decimal(150),
            Decimal(132),
            Decimal("1.19"),
        )

    @pytest.mark.parametrize(
        ("name", "cst", "has_amount"),
        [("exempt", "40", False), ("simples", "90", False), ("starts-elsewhere", "90", True)],
    )
    def test_icms_has_its_cst(self, name: str, cst: str, has_amount: bool) -> None:
        lines = RECEIVING.amounts(authorized(example(f"cte/{name}")))
        line = next(line for line in lines if line.tax == "icms")
        assert (line.cst, line.amount > 0) == (cst, has_amount)
        assert line.items > 0

    def test_icms_of_a_substitute_is_a_tax_of_its_own(self) -> None:
        lines = {line.tax: line for line in RECEIVING.amounts(authorized(example("cte/withheld")))}
        assert (lines["icms"].cst, lines["icms"].amount) == ("60", Decimal(0))
        assert lines["icmsSt"].amount > 0

    def test_lines_differ_in_cfop_tax_or_cst(self) -> None:
        for file in CTES:
            lines = RECEIVING.amounts(authorized(file.read_text("utf-8")))
            assert len({(line.cfop, line.tax, line.cst) for line in lines}) == len(lines), file
