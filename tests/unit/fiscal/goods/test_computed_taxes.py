"""Taxes that the caller did not give, with amounts computed by hand."""

from typing import Any

import pytest

from carimbo.fiscal.making import Composition
from carimbo.fiscal.parties.company import Company
from unit.fiscal.goods.support import BUYER, company, composed_nfe, item, nfce, nfe, refused, text_at
from unit.fiscal.goods.taxed_sales import (
    ABROAD,
    IN_BAHIA,
    IN_RIO,
    NORMAL,
    PRESUMED,
    SIMPLES,
    item_of_100,
    tax_values,
)


class TestContributions:
    def test_contributions_of_real_profit_are_on_the_revenue_without_icms(self) -> None:
        # 1.65 % and 7.6 % of 82.00
        invoice = nfe(by=NORMAL, items=[item_of_100()])
        assert tax_values(invoice, "PIS/PISAliq", "CST", "vBC", "pPIS", "vPIS") == [
            "01",
            "82.00",
            "1.6500",
            "1.35",
        ]
        assert tax_values(invoice, "COFINS/COFINSAliq", "CST", "vBC", "pCOFINS", "vCOFINS") == [
            "01", "82.00", "7.6000", "6.23",
        ]  # fmt: skip

    def test_contributions_of_presumed_profit_have_the_lower_rates(self) -> None:
        # 0.65 % and 3 % of 82.00
        invoice = nfe(by=PRESUMED, items=[item_of_100()])
        assert tax_values(invoice, "PIS/PISAliq", "vPIS") == ["0.53"]
        assert tax_values(invoice, "COFINS/COFINSAliq", "vCOFINS") == ["2.46"]

    def test_contributions_require_the_regime_of_the_company(self) -> None:
        problems = composed_nfe(by=company(taxRegime="normal"), items=[item_of_100()])
        assert set(refused(problems)) == {"company.pisCofinsRegime"}

    def test_contribution_at_a_special_rate_uses_the_rate_of_the_caller(self) -> None:
        invoice = nfe(by=NORMAL, items=[item_of_100(pis={"cst": "02", "rate": 2.1})])
        assert tax_values(invoice, "PIS/PISAliq", "CST", "vBC", "vPIS") == ["02", "82.00", "1.72"]

    def test_contribution_at_a_special_rate_requires_a_rate(self) -> None:
        problems = composed_nfe(by=NORMAL, items=[item_of_100(pis={"cst": "02"})])
        assert set(refused(problems)) == {"items[0].pis.rate"}

    @pytest.mark.parametrize("cst", ["04", "05", "06", "07", "08", "09"])
    def test_contributions_that_are_not_due_have_only_their_cst(self, cst: str) -> None:
        invoice = nfe(by=NORMAL, items=[item_of_100(pis={"cst": cst}, cofins={"cst": cst})])
        assert (
            tax_values(invoice, "PIS/PISNT", "CST") == tax_values(invoice, "COFINS/COFINSNT", "CST") == [cst]
        )

    @pytest.mark.parametrize("cst", ["49", "99"])
    def test_contributions_of_other_operations_are_zero_unless_a_rate_is_given(self, cst: str) -> None:
        invoice = nfe(by=NORMAL, items=[item_of_100(pis={"cst": cst}, cofins={"cst": cst, "rate": 3})])
        assert tax_values(invoice, "PIS/PISOutr", "CST", "vBC", "vPIS") == [cst, "0.00", "0.00"]
        assert tax_values(invoice, "COFINS/COFINSOutr", "vBC", "vCOFINS") == ["82.00", "2.46"]

    def test_contributions_by_quantity_are_computed(self) -> None:
        invoice = nfe(by=NORMAL, items=[item_of_100(pis={"cst": "03", "quantity": 12, "unitRate": 0.1235})])
        assert tax_values(invoice, "PIS/PISQtde", "vPIS") == ["1.48"]


class TestIbsAndCbs:
    def test_normal_regime_always_states_ibs_and_cbs(self) -> None:
        # 100.00 - 18.00 - 1.35 - 6.23 = 74.42
        invoice = nfe(by=NORMAL, items=[item_of_100()])
        assert tax_values(invoice, "IBSCBS", "CST", "cClassTrib") == ["000", "000001"]
        assert tax_values(
            invoice, "IBSCBS/gIBSCBS", "vBC", "gIBSUF/pIBSUF", "gIBSUF/vIBSUF", "gIBSMun/pIBSMun",
            "gIBSMun/vIBSMun", "vIBS", "gCBS/pCBS", "gCBS/vCBS",
        ) == ["74.42", "0.1000", "0.07", "0.0000", "0.00", "0.07", "0.9000", "0.67"]  # fmt: skip
        assert text_at(invoice, "det/vItem") == text_at(invoice, "total/vNFTot") == "100.00"
        assert text_at(invoice, "total/IBSCBSTot/gCBS/vCBS") == "0.67"

    def test_base_of_ibs_and_cbs_excludes_the_share_of_the_buyers_state(self) -> None:
        # 100.00 - 12.00 - 8.00 - 2.00 - 1.45 (1.65 % of 88.00) - 6.69 (7.6 % of 88.00) = 69.86
        invoice = nfe(by=NORMAL, recipient=IN_RIO, items=[item_of_100()])
        assert tax_values(invoice, "IBSCBS/gIBSCBS", "vBC") == ["69.86"]

    def test_tax_class_reduces_ibs_and_cbs(self) -> None:
        # 60 % off: 0.04 % and 0.36 % of 74.42
        invoice = nfe(by=NORMAL, items=[item_of_100(ibsCbs={"taxClassCode": "200032"})])
        group = "IBSCBS/gIBSCBS/gIBSUF"
        assert tax_values(invoice, group, "gRed/pRedAliq", "gRed/pAliqEfet", "vIBSUF") == [
            "60.0000",
            "0.0400",
            "0.03",
        ]
        assert tax_values(invoice, "IBSCBS/gIBSCBS/gIBSMun", "gRed/pAliqEfet", "vIBSMun") == [
            "0.0000",
            "0.00",
        ]
        assert tax_values(invoice, "IBSCBS/gIBSCBS/gCBS", "gRed/pAliqEfet", "vCBS") == ["0.3600", "0.27"]

    @pytest.mark.parametrize("tax_class", ["400001", "410001", "820001"])
    def test_ibs_and_cbs_without_amounts_are_two_codes(self, tax_class: str) -> None:
        invoice = nfe(by=NORMAL, items=[item_of_100(ibsCbs={"taxClassCode": tax_class})])
        assert tax_values(invoice, "IBSCBS", "CST", "cClassTrib", "gIBSCBS/vBC") == [
            tax_class[:3],
            tax_class,
            None,
        ]

    def test_other_regimes_state_ibs_and_cbs_only_on_request(self) -> None:
        invoice = nfe(items=[item_of_100(ibsCbs={})])
        assert tax_values(invoice, "IBSCBS/gIBSCBS", "vBC", "gCBS/vCBS") == ["100.00", "0.90"]

    def test_ibs_and_cbs_are_computed_from_the_base_of_the_caller(self) -> None:
        invoice = nfe(by=NORMAL, items=[item_of_100(ibsCbs={"base": 50})])
        assert tax_values(invoice, "IBSCBS/gIBSCBS", "gIBSUF/vIBSUF", "gCBS/vCBS") == ["0.05", "0.45"]

    def test_deferral_rate_of_the_caller_defers_ibs_and_cbs(self) -> None:
        # Base 74.42: 0.1 % = 0.07 and 0.9 % = 0.67, all of it later
        later = {"deferral": {"rate": 100}}
        body = {"taxClassCode": "510001", "state": later, "city": later, "cbs": later}
        invoice = nfe(by=NORMAL, items=[item_of_100(ibsCbs=body)])
        assert tax_values(invoice, "IBSCBS/gIBSCBS/gCBS", "gDif/vDif", "vCBS") == ["0.67", "0.00"]


class TestReceipt:
    def test_receipt_computes_the_same_taxes(self) -> None:
        invoice = nfce(by=NORMAL, items=[item_of_100()])
        assert tax_values(invoice, "ICMS/ICMS00", "vICMS") == ["18.00"]
        assert tax_values(invoice, "IBSCBS/gIBSCBS", "vBC") == ["74.42"]


class TestCharges:
    def test_charges_of_the_document_are_shared_out_to_the_cent(self) -> None:
        items = [item(quantity=1, unitValue=price) for price in (10, 20, 3.33)]
        invoice = nfe(
            items=items, discount=1, insurance=0.5, other=2, freight={"mode": "sender", "amount": 10}
        )
        assert [text_at(invoice, f"det[{at}]/prod/vFrete") for at in (1, 2, 3)] == ["3.00", "6.00", "1.00"]
        assert [text_at(invoice, f"det[{at}]/prod/vDesc") for at in (1, 2, 3)] == ["0.30", "0.60", "0.10"]
        tags = ("vFrete", "vSeg", "vDesc", "vOutro")
        totals = [text_at(invoice, f"total/ICMSTot/{tag}") for tag in tags]
        assert totals == ["10.00", "0.50", "1.00", "2.00"]
        assert text_at(invoice, "total/ICMSTot/vNF") == "44.83"

    def test_charge_in_both_the_document_and_an_item_is_refused(self) -> None:
        problems = composed_nfe(items=[item(discount=1)], discount=1)
        assert refused(problems) == {
            "discount": "Informe discount do documento ou items[].discount, não os dois."
        }

    def test_charges_leave_out_items_that_do_not_count_in_the_total(self) -> None:
        invoice = nfe(items=[item(), item(countsInTotal=False)], discount=1)
        assert text_at(invoice, "det/prod/vDesc") == "1.00"
        assert text_at(invoice, "det[2]/prod/vDesc") is None


class TestDestination:
    def test_destination_is_the_place_of_delivery(self) -> None:
        # SP to BA: 7 % = 7.00; 20.5 % - 7 % = 13.50
        invoice = nfe(by=NORMAL, deliveryAddress=IN_BAHIA["address"], items=[item_of_100()])
        assert text_at(invoice, "ide/idDest") == "2"
        assert tax_values(invoice, "ICMS/ICMS00", "pICMS") == ["7.0000"]
        assert tax_values(invoice, "ICMSUFDest", "pICMSUFDest", "vICMSUFDest") == ["20.5000", "13.50"]

    def test_destination_of_a_foreigner_in_the_shop_is_within_the_state(self) -> None:
        invoice = nfe(
            by=NORMAL, recipient=ABROAD, destination="internal", finalConsumer=True, items=[item_of_100()]
        )
        assert tax_values(invoice, "ICMS/ICMS00", "vICMS") == ["18.00"]
        assert tax_values(invoice, "IBSCBS", "cClassTrib") == ["000001"]


class TestPartsOfTheCallers:
    def test_reduction_does_not_lower_the_share_of_the_buyers_state(self) -> None:
        reduced = item_of_100(icms={"cst": "20", "baseReduction": 33.33})
        invoice = nfe(by=NORMAL, recipient=IN_BAHIA, items=[reduced])
        assert tax_values(invoice, "ICMSUFDest", "vBCUFDest", "vICMSUFDest") == ["100.00", "13.50"]

    def test_deferral_without_a_rate_uses_the_usual_rate(self) -> None:
        invoice = nfe(by=NORMAL, items=[item_of_100(icms={"cst": "51", "deferralRate": 33.33})])
        assert tax_values(invoice, "ICMS/ICMS51", "pICMS", "vICMSDif", "vICMS") == [
            "18.0000",
            "6.00",
            "12.00",
        ]

    def test_deducted_exemption_lowers_the_revenue(self) -> None:
        # 100.00 - 18.00 = 82.00
        exempt = {"cst": "40", "exemptedAmount": 18, "exemptionReason": "9", "exemptionIsDeducted": "1"}
        invoice = nfe(by=NORMAL, items=[item_of_100(icms=exempt)])
        assert tax_values(invoice, "PIS/PISAliq", "vBC", "vPIS") == ["82.00", "1.35"]

    def test_fund_of_the_buyers_state_requires_a_rate(self) -> None:
        problems = composed_nfe(
            by=NORMAL, recipient=IN_BAHIA, items=[item_of_100(stateShare={"fcpAmount": 5})]
        )
        assert set(refused(problems)) == {"items[0].stateShare.fcpRate"}


class TestSituationsThatAreAskedFor:
    @pytest.mark.parametrize("cfop", ["5401", "5403", "5656", "5109"])
    @pytest.mark.parametrize(("seller", "name"), [(NORMAL, "cst"), (SIMPLES, "csosn")])
    def test_cst_or_csosn_is_required_of_substitutes_fuels_and_free_zones(
        self, cfop: str, seller: Any, name: str
    ) -> None:
        problems = composed_nfe(by=seller, items=[item_of_100(cfop=cfop)])
        assert refused(problems) == {f"items[0].icms.{name}": f"Obrigatório com CFOP {cfop}."}

    def test_csosn_of_an_operation_that_is_no_sale_is_assumed_with_a_warning(self) -> None:
        composition = composed_nfe(items=[item_of_100(cfop="5915")], presence="inPerson")
        assert isinstance(composition, Composition)
        assert composition.warnings == (
            "CSOSN não informado em operação que não é venda (CFOP 5915): usado o 102. Confira, e informe"
            " items[].icms.csosn se for outro.",
        )


class TestPayment:
    def test_operation_that_is_no_sale_has_no_payment(self) -> None:
        assert text_at(nfe(items=[item_of_100(cfop="5152")]), "pag/detPag/tPag") == "90"


class TestItemsOfOneDocument:
    @pytest.mark.parametrize("by", [NORMAL, PRESUMED, SIMPLES])
    @pytest.mark.parametrize("recipient", [BUYER, IN_RIO])
    def test_items_are_taxed_as_in_documents_of_their_own(
        self, by: Company, recipient: dict[str, Any]
    ) -> None:
        items = [
            item_of_100(),
            item_of_100(origin="1"),
            item_of_100(cfop="5405", cest="2806300"),
            item_of_100(pis={"cst": "06"}),
            item_of_100(ibsCbs={"taxClassCode": "200032"}),
            item_of_100(ipi={"cst": "50", "rate": 10}),
            item(quantity=3, unitValue=33.33),
        ]
        together = nfe(by=by, recipient=recipient, items=items)
        expected = [nfe(by=by, recipient=recipient, items=[alone]).items[0].taxes for alone in items]
        assert [line.taxes for line in together.items] == expected

    def test_every_item_reports_its_own_missing_codes(self) -> None:
        problems = refused(composed_nfe(by=NORMAL, items=[item_of_100(cfop="5910")] * 3))
        assert {path for path in problems if path.endswith("icms.cst")} == {
            f"items[{position}].icms.cst" for position in range(3)
        }
