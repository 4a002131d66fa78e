"""Taxes that the caller did not tell, with figures worked out by hand."""

from typing import Any

import pytest

from carimbo.fiscal.making import Composition
from unit.fiscal.goods.support import company, composed_nfe, item, nfce, nfe, refused, said
from unit.fiscal.goods.taxed_sales import ABROAD, IN_BAHIA, IN_RIO, NORMAL, PRESUMED, SIMPLES, hundred, told


class TestContributions:
    def test_of_real_profit_are_on_the_revenue_without_icms(self) -> None:
        # 1.65 % and 7.6 % of 82.00
        made = nfe(by=NORMAL, items=[hundred()])
        assert told(made, "PIS/PISAliq", "CST", "vBC", "pPIS", "vPIS") == ["01", "82.00", "1.6500", "1.35"]
        assert told(made, "COFINS/COFINSAliq", "CST", "vBC", "pCOFINS", "vCOFINS") == [
            "01", "82.00", "7.6000", "6.23",
        ]  # fmt: skip

    def test_of_presumed_profit_have_the_lower_rates(self) -> None:
        # 0.65 % and 3 % of 82.00
        made = nfe(by=PRESUMED, items=[hundred()])
        assert told(made, "PIS/PISAliq", "vPIS") == ["0.53"]
        assert told(made, "COFINS/COFINSAliq", "vCOFINS") == ["2.46"]

    def test_of_a_company_without_a_regime_ask_for_it(self) -> None:
        problems = composed_nfe(by=company(taxRegime="normal"), items=[hundred()])
        assert set(refused(problems)) == {"company.pisCofinsRegime"}

    def test_at_a_special_rate_take_the_callers(self) -> None:
        made = nfe(by=NORMAL, items=[hundred(pis={"cst": "02", "rate": 2.1})])
        assert told(made, "PIS/PISAliq", "CST", "vBC", "vPIS") == ["02", "82.00", "1.72"]

    def test_at_a_special_rate_want_one(self) -> None:
        problems = composed_nfe(by=NORMAL, items=[hundred(pis={"cst": "02"})])
        assert set(refused(problems)) == {"items[0].pis.rate"}

    @pytest.mark.parametrize("cst", ["04", "05", "06", "07", "08", "09"])
    def test_that_are_not_due_tell_only_why(self, cst: str) -> None:
        made = nfe(by=NORMAL, items=[hundred(pis={"cst": cst}, cofins={"cst": cst})])
        assert told(made, "PIS/PISNT", "CST") == told(made, "COFINS/COFINSNT", "CST") == [cst]

    @pytest.mark.parametrize("cst", ["49", "99"])
    def test_of_other_operations_are_zero_unless_a_rate_is_told(self, cst: str) -> None:
        made = nfe(by=NORMAL, items=[hundred(pis={"cst": cst}, cofins={"cst": cst, "rate": 3})])
        assert told(made, "PIS/PISOutr", "CST", "vBC", "vPIS") == [cst, "0.00", "0.00"]
        assert told(made, "COFINS/COFINSOutr", "vBC", "vCOFINS") == ["82.00", "2.46"]

    def test_by_quantity_are_computed(self) -> None:
        made = nfe(by=NORMAL, items=[hundred(pis={"cst": "03", "quantity": 12, "unitRate": 0.1235})])
        assert told(made, "PIS/PISQtde", "vPIS") == ["1.48"]


class TestIbsAndCbs:
    def test_are_told_by_the_normal_regime_always(self) -> None:
        # 100.00 - 18.00 - 1.35 - 6.23 = 74.42
        made = nfe(by=NORMAL, items=[hundred()])
        assert told(made, "IBSCBS", "CST", "cClassTrib") == ["000", "000001"]
        assert told(
            made, "IBSCBS/gIBSCBS", "vBC", "gIBSUF/pIBSUF", "gIBSUF/vIBSUF", "gIBSMun/pIBSMun",
            "gIBSMun/vIBSMun", "vIBS", "gCBS/pCBS", "gCBS/vCBS",
        ) == ["74.42", "0.1000", "0.07", "0.0000", "0.00", "0.07", "0.9000", "0.67"]  # fmt: skip
        assert said(made, "det/vItem") == said(made, "total/vNFTot") == "100.00"
        assert said(made, "total/IBSCBSTot/gCBS/vCBS") == "0.67"

    def test_have_the_share_of_the_buyers_state_out_of_their_base(self) -> None:
        # 100.00 - 12.00 - 8.00 - 2.00 - 1.45 (1.65 % of 88.00) - 6.69 (7.6 % of 88.00) = 69.86
        made = nfe(by=NORMAL, recipient=IN_RIO, items=[hundred()])
        assert told(made, "IBSCBS/gIBSCBS", "vBC") == ["69.86"]

    def test_are_reduced_by_the_classification(self) -> None:
        # 60 % off: 0.04 % and 0.36 % of 74.42
        made = nfe(by=NORMAL, items=[hundred(ibsCbs={"taxClassCode": "200032"})])
        group = "IBSCBS/gIBSCBS/gIBSUF"
        assert told(made, group, "gRed/pRedAliq", "gRed/pAliqEfet", "vIBSUF") == ["60.0000", "0.0400", "0.03"]
        assert told(made, "IBSCBS/gIBSCBS/gIBSMun", "gRed/pAliqEfet", "vIBSMun") == ["0.0000", "0.00"]
        assert told(made, "IBSCBS/gIBSCBS/gCBS", "gRed/pAliqEfet", "vCBS") == ["0.3600", "0.27"]

    @pytest.mark.parametrize("tax_class", ["400001", "410001", "820001"])
    def test_without_amounts_are_two_codes(self, tax_class: str) -> None:
        made = nfe(by=NORMAL, items=[hundred(ibsCbs={"taxClassCode": tax_class})])
        assert told(made, "IBSCBS", "CST", "cClassTrib", "gIBSCBS/vBC") == [tax_class[:3], tax_class, None]

    def test_are_told_by_others_only_when_asked(self) -> None:
        made = nfe(items=[hundred(ibsCbs={})])
        assert told(made, "IBSCBS/gIBSCBS", "vBC", "gCBS/vCBS") == ["100.00", "0.90"]

    def test_take_the_callers_base_and_compute_the_rest(self) -> None:
        made = nfe(by=NORMAL, items=[hundred(ibsCbs={"base": 50})])
        assert told(made, "IBSCBS/gIBSCBS", "gIBSUF/vIBSUF", "gCBS/vCBS") == ["0.05", "0.45"]

    def test_are_deferred_by_the_callers_rate(self) -> None:
        # Base 74.42: 0.1 % = 0.07 and 0.9 % = 0.67, all of it later
        later = {"deferral": {"rate": 100}}
        body = {"taxClassCode": "510001", "state": later, "city": later, "cbs": later}
        made = nfe(by=NORMAL, items=[hundred(ibsCbs=body)])
        assert told(made, "IBSCBS/gIBSCBS/gCBS", "gDif/vDif", "vCBS") == ["0.67", "0.00"]


class TestReceipt:
    def test_computes_the_same_taxes(self) -> None:
        made = nfce(by=NORMAL, items=[hundred()])
        assert told(made, "ICMS/ICMS00", "vICMS") == ["18.00"]
        assert told(made, "IBSCBS/gIBSCBS", "vBC") == ["74.42"]


class TestCharges:
    def test_of_the_document_are_shared_out_to_the_cent(self) -> None:
        items = [item(quantity=1, unitValue=price) for price in (10, 20, 3.33)]
        made = nfe(items=items, discount=1, insurance=0.5, other=2, freight={"mode": "sender", "amount": 10})
        assert [said(made, f"det[{at}]/prod/vFrete") for at in (1, 2, 3)] == ["3.00", "6.00", "1.00"]
        assert [said(made, f"det[{at}]/prod/vDesc") for at in (1, 2, 3)] == ["0.30", "0.60", "0.10"]
        assert [said(made, f"total/ICMSTot/{tag}") for tag in ("vFrete", "vSeg", "vDesc", "vOutro")] == [
            "10.00", "0.50", "1.00", "2.00",
        ]  # fmt: skip
        assert said(made, "total/ICMSTot/vNF") == "44.83"

    def test_told_twice_are_refused(self) -> None:
        problems = composed_nfe(items=[item(discount=1)], discount=1)
        assert refused(problems) == {
            "discount": "Informe discount do documento ou items[].discount, não os dois."
        }

    def test_leave_out_what_does_not_count_in_the_total(self) -> None:
        made = nfe(items=[item(), item(countsInTotal=False)], discount=1)
        assert said(made, "det/prod/vDesc") == "1.00"
        assert said(made, "det[2]/prod/vDesc") is None


class TestDestination:
    def test_is_where_the_goods_are_delivered(self) -> None:
        # SP to BA: 7 % = 7.00; 20.5 % - 7 % = 13.50
        made = nfe(by=NORMAL, deliveryAddress=IN_BAHIA["address"], items=[hundred()])
        assert said(made, "ide/idDest") == "2"
        assert told(made, "ICMS/ICMS00", "pICMS") == ["7.0000"]
        assert told(made, "ICMSUFDest", "pICMSUFDest", "vICMSUFDest") == ["20.5000", "13.50"]

    def test_of_a_foreigner_in_the_shop_is_within_the_state(self) -> None:
        made = nfe(by=NORMAL, recipient=ABROAD, destination="internal", finalConsumer=True, items=[hundred()])
        assert told(made, "ICMS/ICMS00", "vICMS") == ["18.00"]
        assert told(made, "IBSCBS", "cClassTrib") == ["000001"]


class TestPartsOfTheCallers:
    def test_reduction_does_not_lower_the_share_of_the_buyers_state(self) -> None:
        reduced = hundred(icms={"cst": "20", "baseReduction": 33.33})
        made = nfe(by=NORMAL, recipient=IN_BAHIA, items=[reduced])
        assert told(made, "ICMSUFDest", "vBCUFDest", "vICMSUFDest") == ["100.00", "13.50"]

    def test_deferral_without_a_rate_has_the_usual_one(self) -> None:
        made = nfe(by=NORMAL, items=[hundred(icms={"cst": "51", "deferralRate": 33.33})])
        assert told(made, "ICMS/ICMS51", "pICMS", "vICMSDif", "vICMS") == ["18.0000", "6.00", "12.00"]

    def test_exemption_that_is_deducted_is_no_revenue(self) -> None:
        # 100.00 - 18.00 = 82.00
        exempt = {"cst": "40", "exemptedAmount": 18, "exemptionReason": "9", "exemptionIsDeducted": "1"}
        made = nfe(by=NORMAL, items=[hundred(icms=exempt)])
        assert told(made, "PIS/PISAliq", "vBC", "vPIS") == ["82.00", "1.35"]

    def test_fund_of_the_buyers_state_needs_a_rate(self) -> None:
        problems = composed_nfe(by=NORMAL, recipient=IN_BAHIA, items=[hundred(stateShare={"fcpAmount": 5})])
        assert set(refused(problems)) == {"items[0].stateShare.fcpRate"}


class TestSituationsThatAreAskedFor:
    @pytest.mark.parametrize("cfop", ["5401", "5403", "5656", "5109"])
    @pytest.mark.parametrize(("seller", "name"), [(NORMAL, "cst"), (SIMPLES, "csosn")])
    def test_are_those_of_substitutes_fuels_and_free_zones(self, cfop: str, seller: Any, name: str) -> None:
        problems = composed_nfe(by=seller, items=[hundred(cfop=cfop)])
        assert refused(problems) == {f"items[0].icms.{name}": f"Obrigatório com CFOP {cfop}."}

    def test_are_assumed_by_the_simples_for_what_is_no_sale(self) -> None:
        made = composed_nfe(items=[hundred(cfop="5915")], presence="inPerson")
        assert isinstance(made, Composition)
        assert made.warnings == (
            "CSOSN não informado em operação que não é venda (CFOP 5915): usado o 102. Confira, e informe"
            " items[].icms.csosn se for outro.",
        )


class TestPayment:
    def test_of_what_is_no_sale_is_none(self) -> None:
        assert said(nfe(items=[hundred(cfop="5152")]), "pag/detPag/tPag") == "90"
