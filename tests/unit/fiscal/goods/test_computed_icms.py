"""ICMS that the caller did not tell, with figures worked out by hand."""

from typing import Any

import pytest

from carimbo.fiscal.making import Composition
from unit.fiscal.goods.support import (
    BUYER,
    RIO_DE_JANEIRO,
    SOLD_IN_THE_SHOP,
    company,
    composed_nfe,
    nfe,
    refused,
    said,
)
from unit.fiscal.goods.taxed_sales import ABROAD, IN_BAHIA, IN_RIO, NORMAL, PRESUMED, SIMPLES, hundred, told

EXCESS = company(taxRegime="simplesExcess", defaults={"icmsRate": 18})
CONTRIBUTOR = {**BUYER, "taxId": "12ABC34501DE35", "stateRegistration": "110042490114"}


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
        made = nfe(by=NORMAL, recipient=ABROAD, presence="other", items=[hundred()])
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
        made = composed_nfe(by=seller, items=[hundred(approximateTaxes=30)] * 2, **SOLD_IN_THE_SHOP)
        assert isinstance(made, Composition)
        assert told(made.document, "ICMS/ICMS00", "pICMS") == ["18.0000"]
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
            items = [hundred(approximateTaxes=30, **changes)]
            made = composed_nfe(by=seller, items=items, **SOLD_IN_THE_SHOP)
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
        shared = hundred(approximateTaxes=30, stateShare={"internalRate": 18, "fcpRate": 2})
        made = composed_nfe(by=NORMAL, recipient=IN_BAHIA, items=[shared], **SOLD_IN_THE_SHOP)
        assert isinstance(made, Composition)
        assert told(made.document, "ICMSUFDest", "pICMSInter", "vICMSUFDest", "vFCPUFDest") == [
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
