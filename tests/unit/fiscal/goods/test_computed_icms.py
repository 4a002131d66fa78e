"""ICMS that the caller did not give, with amounts computed by hand."""

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
    text_at,
)
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

EXCESS = company(taxRegime="simplesExcess", defaults={"icmsRate": 18})
CONTRIBUTOR = {**BUYER, "taxId": "12ABC34501DE35", "stateRegistration": "110042490114"}


class TestIcmsOfTheNormalRegime:
    def test_icms_is_charged_in_full_unless_the_item_says_otherwise(self) -> None:
        invoice = nfe(by=NORMAL, items=[item_of_100()])
        assert tax_values(invoice, "ICMS/ICMS00", "orig", "CST", "modBC", "vBC", "pICMS", "vICMS") == [
            "0", "00", "3", "100.00", "18.0000", "18.00",
        ]  # fmt: skip

    def test_icms_base_includes_freight_insurance_and_expenses_but_not_the_discount(self) -> None:
        # 100.00 + 10.00 + 2.00 + 3.00 - 5.00 = 110.00
        charged = item_of_100(freight=10, insurance=2, other=3, discount=5)
        invoice = nfe(by=NORMAL, items=[charged])
        assert tax_values(invoice, "ICMS/ICMS00", "vBC", "vICMS") == ["110.00", "19.80"]

    def test_icms_base_includes_ipi_when_the_buyer_consumes_the_goods(self) -> None:
        # IPI 10 % of 100.00; 18 % of 110.00
        invoice = nfe(by=NORMAL, items=[item_of_100(ipi={"cst": "50", "rate": 10})])
        assert tax_values(invoice, "IPI/IPITrib", "vBC", "pIPI", "vIPI") == ["100.00", "10.0000", "10.00"]
        assert tax_values(invoice, "ICMS/ICMS00", "vBC", "vICMS") == ["110.00", "19.80"]

    def test_icms_base_excludes_ipi_when_the_buyer_sells_the_goods_again(self) -> None:
        invoice = nfe(by=NORMAL, recipient=CONTRIBUTOR, items=[item_of_100(ipi={"cst": "50", "rate": 10})])
        assert tax_values(invoice, "ICMS/ICMS00", "vBC", "vICMS") == ["100.00", "18.00"]

    def test_reduction_of_the_base_lowers_the_icms(self) -> None:
        # 100.00 less 33.33 % = 66.67; 18 % = 12.0006
        invoice = nfe(by=NORMAL, items=[item_of_100(icms={"cst": "20", "baseReduction": 33.33})])
        assert tax_values(invoice, "ICMS/ICMS20", "pRedBC", "vBC", "vICMS") == ["33.3300", "66.67", "12.00"]

    @pytest.mark.parametrize("cst", ["40", "41", "50"])
    def test_icms_that_is_not_due_has_no_amounts(self, cst: str) -> None:
        invoice = nfe(by=NORMAL, items=[item_of_100(icms={"cst": cst})])
        assert tax_values(invoice, "ICMS/ICMS40", "CST", "vICMSDeson") == [cst, None]

    def test_partial_deferral_lowers_the_icms(self) -> None:
        # 18.00, of which 33.33 % = 5.9994 is paid later
        invoice = nfe(by=NORMAL, items=[item_of_100(icms={"cst": "51", "rate": 18, "deferralRate": 33.33})])
        assert tax_values(invoice, "ICMS/ICMS51", "vBC", "vICMSOp", "pDif", "vICMSDif", "vICMS") == [
            "100.00", "18.00", "33.3300", "6.00", "12.00",
        ]  # fmt: skip

    def test_icms_deferred_in_full_without_a_rate_has_no_amounts(self) -> None:
        invoice = nfe(by=NORMAL, items=[item_of_100(icms={"cst": "51"})])
        assert tax_values(invoice, "ICMS/ICMS51", "CST", "vBC", "vICMS") == ["51", None, None]

    def test_cst_of_tax_retained_earlier_is_the_default_of_its_cfop(self) -> None:
        invoice = nfe(by=NORMAL, items=[item_of_100(cfop="5405", cest="1000100")])
        assert tax_values(invoice, "ICMS/ICMS60", "CST") == ["60"]

    def test_icms_of_other_taxation_is_computed_when_a_rate_is_given(self) -> None:
        invoice = nfe(by=NORMAL, items=[item_of_100(icms={"cst": "90", "rate": 10, "baseReduction": 50})])
        assert tax_values(invoice, "ICMS/ICMS90", "vBC", "pRedBC", "pICMS", "vICMS") == [
            "50.00", "50.0000", "10.0000", "5.00",
        ]  # fmt: skip

    def test_own_icms_is_computed_beside_substitution(self) -> None:
        substitution = {"stBaseMode": "4", "stBase": 140, "stRate": 18, "stAmount": 7.2}
        invoice = nfe(by=NORMAL, items=[item_of_100(cest="1000100", icms={"cst": "10", **substitution})])
        assert tax_values(invoice, "ICMS/ICMS10", "vBC", "vICMS", "vICMSST") == ["100.00", "18.00", "7.20"]

    @pytest.mark.parametrize("cst", ["10", "30", "70"])
    def test_substitution_by_cst_requires_the_values_of_the_caller(self, cst: str) -> None:
        problems = composed_nfe(
            by=NORMAL,
            items=[item_of_100(icms={"cst": cst, "baseReduction": 10} if cst == "70" else {"cst": cst})],
        )
        assert refused(problems) == {
            f"items[0].icms.{name}": f"Obrigatório com CST {cst}."
            for name in ("stBaseMode", "stBase", "stRate", "stAmount")
        }

    def test_poverty_fund_that_the_caller_gives_is_computed(self) -> None:
        invoice = nfe(by=NORMAL, items=[item_of_100(icms={"fcpRate": 2})])
        assert tax_values(invoice, "ICMS/ICMS00", "vICMS", "pFCP", "vFCP") == ["18.00", "2.0000", "2.00"]

    def test_base_and_amount_of_the_caller_are_kept(self) -> None:
        invoice = nfe(by=NORMAL, items=[item_of_100(icms={"base": 80, "rate": 10, "amount": 7.99})])
        assert tax_values(invoice, "ICMS/ICMS00", "vBC", "vICMS") == ["80.00", "7.99"]

    def test_taxes_of_an_export_are_not_due(self) -> None:
        invoice = nfe(by=NORMAL, recipient=ABROAD, presence="other", items=[item_of_100()])
        assert tax_values(invoice, "ICMS/ICMS40", "CST") == ["41"]
        assert (
            tax_values(invoice, "PIS/PISNT", "CST") == tax_values(invoice, "COFINS/COFINSNT", "CST") == ["08"]
        )
        assert tax_values(invoice, "IBSCBS", "CST", "cClassTrib") == ["410", "410004"]

    def test_taxes_of_an_operation_that_is_no_sale_must_be_given(self) -> None:
        problems = composed_nfe(by=NORMAL, items=[item_of_100(cfop="5915")])
        assert refused(problems) == {
            f"items[0].{field}": "Obrigatório com operações que não são vendas."
            for field in ("icms.cst", "pis.cst", "cofins.cst", "ibsCbs.taxClassCode")
        }


class TestRate:
    def test_interstate_rate_is_that_of_the_senate(self) -> None:
        to_bahia = {**CONTRIBUTOR, "address": IN_BAHIA["address"], "stateRegistration": "077770790"}
        invoice = nfe(by=NORMAL, recipient=to_bahia, items=[item_of_100(), item_of_100(origin="1")])
        assert text_at(invoice, "det/imposto/ICMS/ICMS00/pICMS") == "7.0000"
        assert text_at(invoice, "det[2]/imposto/ICMS/ICMS00/pICMS") == "4.0000"

    def test_rate_of_the_item_is_used_before_the_rate_of_the_company(self) -> None:
        invoice = nfe(by=NORMAL, items=[item_of_100(icms={"rate": 12})])
        assert tax_values(invoice, "ICMS/ICMS00", "pICMS") == ["12.0000"]

    def test_rate_of_the_table_is_used_with_a_warning(self) -> None:
        seller = company(taxRegime="normal", pisCofinsRegime="cumulative")
        composition = composed_nfe(
            by=seller, items=[item_of_100(approximateTaxes=30)] * 2, **SOLD_IN_THE_SHOP
        )
        assert isinstance(composition, Composition)
        assert tax_values(composition.document, "ICMS/ICMS00", "pICMS") == ["18.0000"]
        assert composition.warnings == (
            "Alíquota interna do ICMS não informada: usada a geral de SP, 18%. Confira a do produto.",
        )

    def test_rate_of_the_table_comes_with_the_general_poverty_fund(self) -> None:
        seller = company(
            taxRegime="normal",
            pisCofinsRegime="cumulative",
            address=RIO_DE_JANEIRO,
            stateRegistrations=[{"state": "RJ", "number": "77040072"}],
        )
        invoice = nfe(by=seller, recipient=IN_RIO, items=[item_of_100()])
        assert tax_values(invoice, "ICMS/ICMS00", "pICMS", "vICMS", "pFCP", "vFCP") == [
            "20.0000", "20.00", "2.0000", "2.00",
        ]  # fmt: skip

    def test_rate_of_the_company_or_the_item_causes_no_warning(self) -> None:
        for seller, changes in ((NORMAL, {}), (PRESUMED, {"icms": {"rate": 12}})):
            items = [item_of_100(approximateTaxes=30, **changes)]
            composition = composed_nfe(by=seller, items=items, **SOLD_IN_THE_SHOP)
            assert isinstance(composition, Composition)
            assert composition.warnings == ()


class TestIcmsOfTheSimples:
    def test_simples_credit_uses_the_rate_of_the_company(self) -> None:
        seller = company(defaults={"simplesCreditRate": 1.25})
        invoice = nfe(by=seller, recipient=CONTRIBUTOR, items=[item_of_100(icms={"csosn": "101"})])
        assert tax_values(invoice, "ICMS/ICMSSN101", "pCredSN", "vCredICMSSN") == ["1.2500", "1.25"]

    def test_simples_credit_uses_the_rate_of_the_item(self) -> None:
        invoice = nfe(recipient=CONTRIBUTOR, items=[item_of_100(icms={"csosn": "101", "creditRate": 2.82})])
        assert tax_values(invoice, "ICMS/ICMSSN101", "vCredICMSSN") == ["2.82"]

    def test_simples_credit_without_a_rate_is_refused(self) -> None:
        problems = composed_nfe(items=[item_of_100(icms={"csosn": "101"})])
        assert refused(problems) == {"items[0].icms.creditRate": "Obrigatório com CSOSN 101."}

    @pytest.mark.parametrize("csosn", ["201", "202", "203"])
    def test_substitution_by_csosn_requires_the_values_of_the_caller(self, csosn: str) -> None:
        problems = composed_nfe(
            by=company(defaults={"simplesCreditRate": 1}), items=[item_of_100(icms={"csosn": csosn})]
        )
        assert refused(problems) == {
            f"items[0].icms.{name}": f"Obrigatório com CSOSN {csosn}."
            for name in ("stBaseMode", "stBase", "stRate", "stAmount")
        }

    @pytest.mark.parametrize("csosn", ["102", "103", "300", "400"])
    def test_csosn_without_amounts_is_written_alone(self, csosn: str) -> None:
        invoice = nfe(items=[item_of_100(icms={"csosn": csosn})])
        assert tax_values(invoice, "ICMS/ICMSSN102", "CSOSN") == [csosn]

    def test_csosn_of_tax_retained_earlier_is_the_default_of_its_cfop(self) -> None:
        invoice = nfe(items=[item_of_100(cfop="5405", cest="1000100")])
        assert tax_values(invoice, "ICMS/ICMSSN500", "CSOSN") == ["500"]

    def test_simples_icms_of_other_taxation_is_computed_when_a_rate_is_given(self) -> None:
        invoice = nfe(items=[item_of_100(icms={"csosn": "900", "rate": 18})])
        assert tax_values(invoice, "ICMS/ICMSSN900", "vBC", "vICMS") == ["100.00", "18.00"]

    def test_simples_above_its_limit_pays_icms_as_the_normal_regime_does(self) -> None:
        invoice = nfe(by=EXCESS, items=[item_of_100()])
        assert tax_values(invoice, "ICMS/ICMS00", "vICMS") == ["18.00"]
        assert tax_values(invoice, "PIS/PISOutr", "CST", "vPIS") == ["49", "0.00"]
        assert tax_values(invoice, "IBSCBS", "CST") == [None]


class TestShareOfTheBuyersState:
    def test_share_of_the_buyers_state_is_the_difference_to_its_internal_rate(self) -> None:
        # SP to RJ: 12 % = 12.00; 20 % - 12 % = 8.00; FCP 2 % = 2.00
        invoice = nfe(by=NORMAL, recipient=IN_RIO, items=[item_of_100()])
        assert tax_values(invoice, "ICMS/ICMS00", "vICMS") == ["12.00"]
        bases = tax_values(invoice, "ICMSUFDest", "vBCUFDest", "vBCFCPUFDest")
        rates = tax_values(invoice, "ICMSUFDest", "pFCPUFDest", "pICMSUFDest", "pICMSInter", "pICMSInterPart")
        amounts = tax_values(invoice, "ICMSUFDest", "vFCPUFDest", "vICMSUFDest", "vICMSUFRemet")
        assert bases == ["100.00", "100.00"]
        assert rates == ["2.0000", "20.0000", "12.00", "100.0000"]
        assert amounts == ["2.00", "8.00", "0.00"]
        assert text_at(invoice, "total/ICMSTot/vICMSUFDest") == "8.00"
        assert text_at(invoice, "total/ICMSTot/vFCPUFDest") == "2.00"

    def test_internal_rate_of_the_caller_causes_no_warning(self) -> None:
        shared = item_of_100(approximateTaxes=30, stateShare={"internalRate": 18, "fcpRate": 2})
        composition = composed_nfe(by=NORMAL, recipient=IN_BAHIA, items=[shared], **SOLD_IN_THE_SHOP)
        assert isinstance(composition, Composition)
        assert tax_values(composition.document, "ICMSUFDest", "pICMSInter", "vICMSUFDest", "vFCPUFDest") == [
            "7.00", "11.00", "2.00",
        ]  # fmt: skip
        assert composition.warnings == ()

    @pytest.mark.parametrize("seller", [SIMPLES, company(taxRegime="mei")])
    def test_share_of_the_buyers_state_is_not_owed_by_the_simples(self, seller: Any) -> None:
        invoice = nfe(by=seller, recipient=IN_RIO, items=[item_of_100()])
        assert tax_values(invoice, "ICMSUFDest", "vBCUFDest") == [None]

    def test_share_of_the_buyers_state_is_owed_by_the_simples_above_its_limit(self) -> None:
        invoice = nfe(by=EXCESS, recipient=IN_RIO, items=[item_of_100()])
        assert tax_values(invoice, "ICMSUFDest", "vICMSUFDest") == ["8.00"]

    def test_share_of_the_buyers_state_is_not_owed_for_a_contributor(self) -> None:
        in_rio = {**CONTRIBUTOR, "address": RIO_DE_JANEIRO, "stateRegistration": "77040072"}
        invoice = nfe(by=NORMAL, recipient=in_rio, items=[item_of_100()])
        assert tax_values(invoice, "ICMSUFDest", "vBCUFDest") == [None]
