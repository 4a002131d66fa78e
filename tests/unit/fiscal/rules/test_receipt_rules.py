"""Receipts that the rules accept."""

import pytest

from support import CNPJ
from unit.fiscal.goods.support import BUYER, BUYER_CNPJ, CPF, ITEM, PRODUCTION
from unit.fiscal.rules.breaking import Breaking, judge
from unit.fiscal.rules.breakings_parties import refusals


class TestHomologation:
    def test_first_item_has_its_own_description_in_production(self) -> None:
        assert refusals("receipt", under=PRODUCTION) == []

    def test_only_the_first_item_has_the_text_of_homologation(self) -> None:
        assert refusals("receipt", body={"items": [ITEM, ITEM]}) == []


class TestPresence:
    def test_receipt_of_a_sale_in_the_shop_is_accepted(self) -> None:
        assert refusals("receipt", body={"presence": "inPerson"}) == []

    def test_receipt_of_a_sale_outside_the_shop_is_accepted_with_its_city(self) -> None:
        assert refusals("receipt", body={"presence": "outside", "ibsTaxableCityCode": "3550308"}) == []

    @pytest.mark.parametrize("presence", ["none", "internet", "phone", "other"])
    def test_receipt_of_a_sale_at_a_distance_is_refused(self, presence: str) -> None:
        assert refusals("receipt", body={"presence": presence}) == ["717"]


class TestDelivery:
    def test_delivery_may_have_freight_without_a_carrier(self) -> None:
        assert refusals("receipt with delivery", body={"freight.mode": "sender"}) == []

    def test_delivery_may_have_a_carrier(self) -> None:
        freight = {"mode": "thirdParty", "carrier": {"taxId": CPF, "name": "João de Souza"}}
        assert refusals("receipt with delivery", body={"freight": freight}) == []


class TestLargeAmounts:
    def test_ten_thousand_reais_need_no_buyer(self) -> None:
        assert refusals("receipt", body={"items[0].unitValue": 5000}) == []

    def test_more_than_ten_thousand_reais_need_a_buyer(self) -> None:
        body = {"items[0].quantity": 1, "items[0].unitValue": 10000.01}
        assert refusals("receipt", body=body) == ["750"]

    def test_identified_buyer_may_spend_more(self) -> None:
        assert refusals("receipt", body={"items[0].unitValue": 6000, "recipient": BUYER}) == []

    def test_foreigner_without_a_document_counts_as_identified(self) -> None:
        document = {"recipient.cpf": None, "recipient.foreign_id": ""}
        body = {"items[0].unitValue": 6000}
        assert refusals("receipt with delivery", body=body, document=document) == []


class TestCfop:
    @pytest.mark.parametrize("cfop", ["5101", "5103", "5104", "5115", "5656", "5667", "5910"])
    def test_cfops_of_sales_and_gifts_are_accepted(self, cfop: str) -> None:
        assert "725" not in refusals("receipt", document={"items[0].product.cfop": cfop})

    @pytest.mark.parametrize(
        ("state", "situation", "is_taken"),
        [
            ("SP", {"csosn": "900"}, True),
            ("RS", {"csosn": "900"}, True),
            ("SP", {"csosn": "102"}, False),
            ("RJ", {"csosn": "900"}, False),
            ("SP", {"cst": "40"}, True),
            ("RS", {"cst": "90"}, True),
            ("RS", {"cst": "40"}, False),
        ],
    )
    def test_cfop_of_other_exits_is_accepted_where_the_state_allows_it(
        self, state: str, situation: dict[str, str], is_taken: bool
    ) -> None:
        good = "receipt" if "csosn" in situation else "receipt of the normal regime"
        document = {"issuer.address.state": state, "items[0].product.cfop": "5949"}
        refused_codes = refusals(good, body={"items[0].icms": situation}, document=document)
        assert ("725" not in refused_codes) is is_taken


class TestIcms:
    @pytest.mark.parametrize("icms", [{"cst": cst} for cst in ("00", "20", "40", "41", "90")], ids=str)
    def test_cst_for_consumers_is_accepted(self, icms: dict[str, str]) -> None:
        body = {"items[0].icms": icms | ({"baseReduction": 10} if icms["cst"] == "20" else {})}
        assert refusals("receipt of the normal regime", body=body) == []

    def test_fuel_taxed_in_an_earlier_phase_is_accepted(self) -> None:
        retained = {"cst": "61", "singlePhaseRetainedRate": 1.47, "singlePhaseRetainedAmount": 2.94}
        assert refusals("receipt of the normal regime", body={"items[0].icms": retained}) == []

    def test_csosn_left_to_the_states_is_accepted(self) -> None:
        assert refusals("receipt", body={"items[0].icms": {"csosn": "900"}}) == []


class TestAbsences:
    def test_group_that_receipts_lack_is_reported_at_its_item(self) -> None:
        extras = {"ipi": {"cst": "53"}, "countsInTotal": False}
        problems = judge(Breaking("", "", "receipt", {"items": [ITEM, ITEM | extras]})).problems
        assert [(problem.code, problem.path) for problem in problems] == [
            ("742", "items[1].ipi"),
            ("774", "items[1].countsInTotal"),
        ]

    def test_invoices_may_have_the_groups_that_receipts_lack(self) -> None:
        assert refusals(body={"items[0].ipi": {"cst": "53"}, "freight": {"wagon": "V1"}}) == []


class TestBuyer:
    def test_buyer_of_a_receipt_may_be_another_company(self) -> None:
        assert refusals("receipt", body={"recipient": BUYER | {"taxId": BUYER_CNPJ}}) == []

    def test_buyer_of_an_invoice_may_be_the_seller_itself(self) -> None:
        assert "220" not in refusals(body={"recipient.taxId": CNPJ})
