"""Taxes that the caller did not tell, with figures worked out by hand."""

from typing import Any

import pytest

from carimbo.fiscal.goods.composition import Composition
from carimbo.fiscal.layouts.nfe_v4.invoice import Invoice
from unit.fiscal.goods.support import (
    BUYER,
    LISBON,
    RIO_DE_JANEIRO,
    SAO_PAULO,
    company,
    composed_nfe,
    item,
    nfce,
    nfe,
    refused,
    said,
)

SIMPLES = company(taxRegime="simples")
EXCESS = company(taxRegime="simplesExcess", defaults={"icmsRate": 18})
NORMAL = company(taxRegime="normal", pisCofinsRegime="nonCumulative", defaults={"icmsRate": 18})
PRESUMED = company(taxRegime="normal", pisCofinsRegime="cumulative", defaults={"icmsRate": 18})
CONTRIBUTOR = {**BUYER, "taxId": "12ABC34501DE35", "stateRegistration": "110042490114"}
IN_RIO = {**BUYER, "address": RIO_DE_JANEIRO}
IN_BAHIA = {**BUYER, "address": {**SAO_PAULO, "zipcode": "40020-000", "city": "Salvador", "state": "BA"}}
ABROAD = {"foreignId": "PASS12345", "name": "John Smith", "address": LISBON}


def hundred(**changes: Any) -> dict[str, Any]:
    """An item of 100.00."""
    return item(quantity=1, unitValue=100, **changes)


def told(invoice: Invoice, group: str, *tags: str) -> list[str | None]:
    """Values of a tax of the first item."""
    return [said(invoice, f"det/imposto/{group}/{tag}") for tag in tags]


class TestIcmsOfTheNormalRegime:
    def test_is_taxed_in_full_unless_the_item_says_otherwise(self) -> None:
        made = nfe(by=NORMAL, items=[hundred()])
        assert told(made, "ICMS/ICMS00", "orig", "CST", "modBC", "vBC", "pICMS", "vICMS") == [
            "0", "00", "3", "100.00", "18.0000", "18.00",
        ]  # fmt: skip

    def test_has_freight_insurance_and_expenses_in_its_base_and_discount_out(self) -> None:
        # 100.00 + 10.00 + 2.00 + 3.00 - 5.00 = 110.00
        charged = hundred(freight=10, insurance=2, other=3, discount=5)
        made = nfe(by=NORMAL, items=[charged])
        assert told(made, "ICMS/ICMS00", "vBC", "vICMS") == ["110.00", "19.80"]

    def test_has_ipi_in_its_base_when_the_buyer_consumes_the_goods(self) -> None:
        # IPI 10 % of 100.00; 18 % of 110.00
        made = nfe(by=NORMAL, items=[hundred(ipi={"cst": "50", "rate": 10})])
        assert told(made, "IPI/IPITrib", "vBC", "pIPI", "vIPI") == ["100.00", "10.0000", "10.00"]
        assert told(made, "ICMS/ICMS00", "vBC", "vICMS") == ["110.00", "19.80"]

    def test_has_no_ipi_in_its_base_when_the_buyer_sells_them_again(self) -> None:
        made = nfe(by=NORMAL, recipient=CONTRIBUTOR, items=[hundred(ipi={"cst": "50", "rate": 10})])
        assert told(made, "ICMS/ICMS00", "vBC", "vICMS") == ["100.00", "18.00"]

    def test_on_a_reduced_base(self) -> None:
        # 100.00 less 33.33 % = 66.67; 18 % = 12.0006
        made = nfe(by=NORMAL, items=[hundred(icms={"cst": "20", "baseReduction": 33.33})])
        assert told(made, "ICMS/ICMS20", "pRedBC", "vBC", "vICMS") == ["33.3300", "66.67", "12.00"]

    @pytest.mark.parametrize("cst", ["40", "41", "50"])
    def test_that_is_not_due_tells_no_amounts(self, cst: str) -> None:
        made = nfe(by=NORMAL, items=[hundred(icms={"cst": cst})])
        assert told(made, "ICMS/ICMS40", "CST", "vICMSDeson") == [cst, None]

    def test_deferred_in_part(self) -> None:
        # 18.00, of which 33.33 % = 5.9994 is paid later
        made = nfe(by=NORMAL, items=[hundred(icms={"cst": "51", "rate": 18, "deferralRate": 33.33})])
        assert told(made, "ICMS/ICMS51", "vBC", "vICMSOp", "pDif", "vICMSDif", "vICMS") == [
            "100.00", "18.00", "33.3300", "6.00", "12.00",
        ]  # fmt: skip

    def test_deferred_in_whole_without_a_rate_tells_nothing_more(self) -> None:
        made = nfe(by=NORMAL, items=[hundred(icms={"cst": "51"})])
        assert told(made, "ICMS/ICMS51", "CST", "vBC", "vICMS") == ["51", None, None]

    def test_retained_earlier_is_the_default_of_its_cfop(self) -> None:
        made = nfe(by=NORMAL, items=[hundred(cfop="5405", cest="1000100")])
        assert told(made, "ICMS/ICMS60", "CST") == ["60"]

    def test_of_other_taxations_is_computed_when_a_rate_is_told(self) -> None:
        made = nfe(by=NORMAL, items=[hundred(icms={"cst": "90", "rate": 10, "baseReduction": 50})])
        assert told(made, "ICMS/ICMS90", "vBC", "pRedBC", "pICMS", "vICMS") == [
            "50.00", "50.0000", "10.0000", "5.00",
        ]  # fmt: skip

    def test_with_substitution_computes_its_own_part(self) -> None:
        substitution = {"stBaseMode": "4", "stBase": 140, "stRate": 18, "stAmount": 7.2}
        made = nfe(by=NORMAL, items=[hundred(cest="1000100", icms={"cst": "10", **substitution})])
        assert told(made, "ICMS/ICMS10", "vBC", "vICMS", "vICMSST") == ["100.00", "18.00", "7.20"]

    @pytest.mark.parametrize("cst", ["10", "30", "70"])
    def test_with_substitution_wants_the_callers_values(self, cst: str) -> None:
        problems = composed_nfe(
            by=NORMAL,
            items=[hundred(icms={"cst": cst, "baseReduction": 10} if cst == "70" else {"cst": cst})],
        )
        assert refused(problems) == {
            f"items[0].icms.{name}": f"Obrigatório com CST {cst}."
            for name in ("stBaseMode", "stBase", "stRate", "stAmount")
        }

    def test_has_the_poverty_fund_that_is_told(self) -> None:
        made = nfe(by=NORMAL, items=[hundred(icms={"fcpRate": 2})])
        assert told(made, "ICMS/ICMS00", "vICMS", "pFCP", "vFCP") == ["18.00", "2.0000", "2.00"]

    def test_takes_the_callers_base_and_amount_as_they_are(self) -> None:
        made = nfe(by=NORMAL, items=[hundred(icms={"base": 80, "rate": 10, "amount": 7.99})])
        assert told(made, "ICMS/ICMS00", "vBC", "vICMS") == ["80.00", "7.99"]

    def test_of_an_export_is_not_due(self) -> None:
        made = nfe(by=NORMAL, recipient=ABROAD, items=[hundred()])
        assert told(made, "ICMS/ICMS40", "CST") == ["41"]
        assert told(made, "PIS/PISNT", "CST") == told(made, "COFINS/COFINSNT", "CST") == ["08"]
        assert told(made, "IBSCBS", "CST", "cClassTrib") == ["410", "410004"]

    def test_of_what_is_no_sale_must_be_told(self) -> None:
        problems = composed_nfe(by=NORMAL, items=[hundred(cfop="5915")])
        assert refused(problems) == {
            f"items[0].{field}": "Obrigatório com operações que não são vendas."
            for field in ("icms.cst", "pis.cst", "cofins.cst", "ibsCbs.taxClassCode")
        }


class TestRate:
    def test_between_states_is_that_of_the_senate(self) -> None:
        to_bahia = {**CONTRIBUTOR, "address": IN_BAHIA["address"], "stateRegistration": "077770790"}
        made = nfe(by=NORMAL, recipient=to_bahia, items=[hundred(), hundred(origin="1")])
        assert said(made, "det/imposto/ICMS/ICMS00/pICMS") == "7.0000"
        assert said(made, "det[2]/imposto/ICMS/ICMS00/pICMS") == "4.0000"

    def test_of_the_item_wins_over_that_of_the_company(self) -> None:
        made = nfe(by=NORMAL, items=[hundred(icms={"rate": 12})])
        assert told(made, "ICMS/ICMS00", "pICMS") == ["12.0000"]

    def test_of_the_table_is_told_as_an_assumption(self) -> None:
        seller = company(taxRegime="normal", pisCofinsRegime="cumulative")
        made = composed_nfe(by=seller, items=[hundred(), hundred()])
        assert isinstance(made, Composition)
        assert told(made.invoice, "ICMS/ICMS00", "pICMS") == ["18.0000"]
        assert made.warnings == (
            "Alíquota interna do ICMS não informada: usada a geral de SP, 18%. Confira a do produto.",
        )

    def test_of_the_table_brings_the_general_poverty_fund_with_it(self) -> None:
        seller = company(
            taxRegime="normal",
            pisCofinsRegime="cumulative",
            address=RIO_DE_JANEIRO,
            stateRegistrations=[{"state": "RJ", "number": "77040072"}],
        )
        made = nfe(by=seller, recipient=IN_RIO, items=[hundred()])
        assert told(made, "ICMS/ICMS00", "pICMS", "vICMS", "pFCP", "vFCP") == [
            "20.0000", "20.00", "2.0000", "2.00",
        ]  # fmt: skip

    def test_that_the_company_or_the_item_says_is_no_assumption(self) -> None:
        for seller, changes in ((NORMAL, {}), (PRESUMED, {"icms": {"rate": 12}})):
            made = composed_nfe(by=seller, items=[hundred(**changes)])
            assert isinstance(made, Composition)
            assert made.warnings == ()


class TestIcmsOfTheSimples:
    def test_gives_the_buyer_the_credit_of_the_company(self) -> None:
        seller = company(defaults={"simplesCreditRate": 1.25})
        made = nfe(by=seller, recipient=CONTRIBUTOR, items=[hundred(icms={"csosn": "101"})])
        assert told(made, "ICMS/ICMSSN101", "pCredSN", "vCredICMSSN") == ["1.2500", "1.25"]

    def test_gives_the_buyer_the_credit_of_the_item(self) -> None:
        made = nfe(recipient=CONTRIBUTOR, items=[hundred(icms={"csosn": "101", "creditRate": 2.82})])
        assert told(made, "ICMS/ICMSSN101", "vCredICMSSN") == ["2.82"]

    def test_with_a_credit_of_unknown_rate_is_refused(self) -> None:
        problems = composed_nfe(items=[hundred(icms={"csosn": "101"})])
        assert refused(problems) == {"items[0].icms.creditRate": "Obrigatório com CSOSN 101."}

    @pytest.mark.parametrize("csosn", ["201", "202", "203"])
    def test_with_substitution_wants_the_callers_values(self, csosn: str) -> None:
        problems = composed_nfe(
            by=company(defaults={"simplesCreditRate": 1}), items=[hundred(icms={"csosn": csosn})]
        )
        assert refused(problems) == {
            f"items[0].icms.{name}": f"Obrigatório com CSOSN {csosn}."
            for name in ("stBaseMode", "stBase", "stRate", "stAmount")
        }

    @pytest.mark.parametrize("csosn", ["102", "103", "300", "400"])
    def test_without_amounts(self, csosn: str) -> None:
        made = nfe(items=[hundred(icms={"csosn": csosn})])
        assert told(made, "ICMS/ICMSSN102", "CSOSN") == [csosn]

    def test_retained_earlier_is_the_default_of_its_cfop(self) -> None:
        made = nfe(items=[hundred(cfop="5405", cest="1000100")])
        assert told(made, "ICMS/ICMSSN500", "CSOSN") == ["500"]

    def test_of_other_taxations_is_computed_when_a_rate_is_told(self) -> None:
        made = nfe(items=[hundred(icms={"csosn": "900", "rate": 18})])
        assert told(made, "ICMS/ICMSSN900", "vBC", "vICMS") == ["100.00", "18.00"]

    def test_above_its_limit_is_that_of_the_normal_regime(self) -> None:
        made = nfe(by=EXCESS, items=[hundred()])
        assert told(made, "ICMS/ICMS00", "vICMS") == ["18.00"]
        assert told(made, "PIS/PISOutr", "CST", "vPIS") == ["49", "0.00"]
        assert told(made, "IBSCBS", "CST") == [None]


class TestShareOfTheBuyersState:
    def test_is_the_difference_to_the_internal_rate_of_the_buyers_state(self) -> None:
        # SP to RJ: 12 % = 12.00; 20 % - 12 % = 8.00; FCP 2 % = 2.00
        made = nfe(by=NORMAL, recipient=IN_RIO, items=[hundred()])
        assert told(made, "ICMS/ICMS00", "vICMS") == ["12.00"]
        bases = told(made, "ICMSUFDest", "vBCUFDest", "vBCFCPUFDest")
        rates = told(made, "ICMSUFDest", "pFCPUFDest", "pICMSUFDest", "pICMSInter", "pICMSInterPart")
        amounts = told(made, "ICMSUFDest", "vFCPUFDest", "vICMSUFDest", "vICMSUFRemet")
        assert bases == ["100.00", "100.00"]
        assert rates == ["2.0000", "20.0000", "12.00", "100.0000"]
        assert amounts == ["2.00", "8.00", "0.00"]
        assert said(made, "total/ICMSTot/vICMSUFDest") == "8.00"
        assert said(made, "total/ICMSTot/vFCPUFDest") == "2.00"

    def test_by_the_callers_internal_rate_assumes_nothing(self) -> None:
        made = composed_nfe(
            by=NORMAL, recipient=IN_BAHIA, items=[hundred(stateShare={"internalRate": 18, "fcpRate": 2})]
        )
        assert isinstance(made, Composition)
        assert told(made.invoice, "ICMSUFDest", "pICMSInter", "vICMSUFDest", "vFCPUFDest") == [
            "7.00", "11.00", "2.00",
        ]  # fmt: skip
        assert made.warnings == ()

    @pytest.mark.parametrize("seller", [SIMPLES, company(taxRegime="mei")])
    def test_is_not_owed_by_the_simples(self, seller: Any) -> None:
        made = nfe(by=seller, recipient=IN_RIO, items=[hundred()])
        assert told(made, "ICMSUFDest", "vBCUFDest") == [None]

    def test_is_owed_by_the_simples_above_its_limit(self) -> None:
        made = nfe(by=EXCESS, recipient=IN_RIO, items=[hundred()])
        assert told(made, "ICMSUFDest", "vICMSUFDest") == ["8.00"]

    def test_is_not_owed_for_a_contributor(self) -> None:
        in_rio = {**CONTRIBUTOR, "address": RIO_DE_JANEIRO, "stateRegistration": "77040072"}
        made = nfe(by=NORMAL, recipient=in_rio, items=[hundred()])
        assert told(made, "ICMSUFDest", "vBCUFDest") == [None]


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
        made = composed_nfe(items=[hundred(cfop="5915")])
        assert isinstance(made, Composition)
        assert made.warnings == (
            "CSOSN não informado em operação que não é venda (CFOP 5915): usado o 102. Confira.",
        )


class TestPayment:
    def test_of_what_is_no_sale_is_none(self) -> None:
        assert said(nfe(items=[hundred(cfop="5152")]), "pag/detPag/tPag") == "90"
