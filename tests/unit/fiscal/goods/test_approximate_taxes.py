"""Approximate taxes of sales to consumers (Lei 12.741/2012)."""

from typing import Any

import pytest

from carimbo.fiscal.documents.nfce.document import compose as compose_nfce
from carimbo.fiscal.documents.nfce.request import NfceRequest
from carimbo.fiscal.emission import Contingency, EmissionType
from carimbo.fiscal.making import Composition
from carimbo.fiscal.parties.company import Company
from unit.fiscal.goods.support import (
    CONTRIBUTOR,
    ISSUED_AT,
    LISBON,
    NFCE_BODY,
    SOFTWARE,
    buyer,
    company,
    composed_nfe,
    emission,
    given_back,
    item,
    nfce,
    nfe,
    text_at,
)

RATES = {"federal": 13.45, "state": 18, "municipal": 0.5}
SHOP = company(defaults={"approximateTaxRates": RATES})
TOTAL = "total/ICMSTot/vTotTrib"
OFFLINE = emission(
    type=EmissionType.OFFLINE, contingency=Contingency(ISSUED_AT, "Sem conexão com a internet")
)


def warnings_of(**changes: Any) -> list[str]:
    composition = composed_nfe(**changes)
    assert isinstance(composition, Composition), composition
    return [warning for warning in composition.warnings if "12.741" in warning]


def receipt_warnings(by: Company, **changes: Any) -> list[str]:
    request = NfceRequest.model_validate(NFCE_BODY | changes)
    composition = compose_nfce(request, by, emission(), SOFTWARE)
    return [warning for warning in composition.warnings if "12.741" in warning]


class TestCompanyRates:
    def test_company_rates_fill_every_item_and_the_total(self) -> None:
        # 31.95 % of 71.80 = 22.9401; of 10.00 + 2.50 freight - 1.00 discount = 11.50: 3.67425.
        other = item(quantity=1, unitValue=10, freight=2.5, discount=1)
        invoice = nfe(by=SHOP, items=[item(), other], freight={"mode": "sender"})
        assert [text_at(invoice, f"det[{place}]/imposto/vTotTrib") for place in (1, 2)] == ["22.94", "3.67"]
        assert text_at(invoice, TOTAL) == "26.61"

    def test_company_rates_are_shown_by_sphere_in_the_notes(self) -> None:
        # 22.94 by 13.45 : 18 : 0.5 = 9.657, 12.924 and 0.359, to the cent in all.
        assert text_at(nfce(by=SHOP), "infAdic/infCpl") == (
            "Valor aproximado dos tributos (Lei Federal 12.741/2012): R$ 22,94 (federal R$ 9,66,"
            " estadual R$ 12,92, municipal R$ 0,36)."
            " DOCUMENTO EMITIDO POR ME OU EPP OPTANTE PELO SIMPLES NACIONAL."
            " NÃO GERA DIREITO A CRÉDITO FISCAL DE IPI."
        )

    def test_company_rates_apply_beside_computed_taxes_too(self) -> None:
        rates = {"approximateTaxRates": RATES, "icmsRate": 18}
        by = company(taxRegime="normal", pisCofinsRegime="nonCumulative", defaults=rates)
        assert text_at(nfe(by=by), TOTAL) == "22.94"

    def test_amount_of_an_item_replaces_the_company_rates(self) -> None:
        invoice = nfe(by=SHOP, items=[item(approximateTaxes=5), item()])
        assert text_at(invoice, TOTAL) == "27.94"
        assert "12.741" not in (text_at(invoice, "infAdic/infCpl") or "")

    @pytest.mark.parametrize(
        "changes",
        [
            {"recipient": CONTRIBUTOR},
            given_back(),
            {"cfop": "5915"},
            {"items": [item(countsInTotal=False), item(approximateTaxes=0)]},
            {"recipient": buyer(taxId=None, foreignId="AB-12345", address=LISBON), "presence": "other"},
        ],
        ids=["resale", "return", "repair", "outside the total", "export"],
    )
    def test_approximate_taxes_are_left_out_where_no_consumer_pays(self, changes: dict[str, Any]) -> None:
        assert text_at(nfe(by=SHOP, **changes), "det[1]/imposto/vTotTrib") is None

    def test_approximate_taxes_are_left_out_of_a_receipt_that_is_already_printed(self) -> None:
        invoice = nfce(by=SHOP, under=OFFLINE, notes="Caixa 3")
        assert text_at(invoice, TOTAL) is None
        assert text_at(invoice, "infAdic/infCpl") == "Caixa 3"

    def test_company_rates_of_zero_count_as_no_rates(self) -> None:
        invoice = nfe(by=company(defaults={"approximateTaxRates": {}}))
        assert text_at(invoice, TOTAL) is None

    def test_notes_of_the_caller_that_show_the_taxes_get_no_second_line(self) -> None:
        notes = "Trib aprox R$ 4,10 Federal e R$ 9,00 Estadual. Fonte: IBPT. Lei 12.741/2012"
        shown = text_at(nfce(by=SHOP, notes=notes), "infAdic/infCpl") or ""
        assert shown.count("12.741") == 1


class TestWarning:
    def test_warning_comes_once_per_document_and_names_the_fields(self) -> None:
        (warning,) = warnings_of(items=[item(), item()])
        assert "items[].approximateTaxes" in warning
        assert "defaults.approximateTaxRates" in warning

    def test_warning_comes_with_receipts_too(self) -> None:
        assert len(receipt_warnings(company())) == 1

    def test_warning_comes_if_a_single_item_has_no_amount(self) -> None:
        assert len(warnings_of(items=[item(approximateTaxes=3), item()])) == 1

    @pytest.mark.parametrize(
        "changes",
        [
            {"items": [item(approximateTaxes=3)]},
            {"by": SHOP},
            {"by": company(taxRegime="mei")},
            {"recipient": CONTRIBUTOR},
            given_back(),
            {"cfop": "5915"},
        ],
        ids=["amount given", "by the company's rates", "MEI", "resale", "return", "repair"],
    )
    def test_no_warning_comes_where_nothing_is_missing(self, changes: dict[str, Any]) -> None:
        assert warnings_of(**changes) == []
