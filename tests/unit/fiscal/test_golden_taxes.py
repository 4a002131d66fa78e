"""Coverage of computed taxes by the examples of the repository."""

from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from functools import cache
from typing import Any

import pytest
from golden import FOLDER
from lxml import etree

from carimbo.fiscal.layouts.nfe_v4.invoice import NAMESPACE
from carimbo.fiscal.parties.company_file import read_json_file
from unit.golden_documents import INVOICES, GoldenDocument, amounts, golden_document

# Situations that must be shown with computed taxes, by the issuer's regimes.
TAXED_BY_CST = "00 20 40 41 50 51 60 90"
COMPUTED_ICMS = {
    "simples": "101 102 103 300 400 500 900",
    "simplesExcess": TAXED_BY_CST,
    "normal nonCumulative": TAXED_BY_CST,
    "normal cumulative": TAXED_BY_CST,
    "mei": "102",
}
COMPUTED_CONTRIBUTIONS = "01 02 04 05 06 07 08 09 49 99"
# Documents of goods have no classification with another reduction, and none of CST 400; that of zero is a
# public buyer's.
REDUCTIONS = {None, Decimal(0), Decimal(40), Decimal(60), Decimal(100)}
AMOUNT_FIELDS = {"base", "amount"}
MAX_ITEMS = 990


@dataclass(frozen=True, slots=True)
class Line:
    """An item of an example: the regime of its seller, its body and its element in the document."""

    regimes: str
    tax_id: str
    body: dict[str, Any]
    element: etree._Element

    def text(self, path: str) -> str | None:
        return self.element.findtext("/".join(f"{{{NAMESPACE}}}{tag}" for tag in path.split("/")))

    @property
    def is_between_contributors(self) -> bool:
        """Whether the item goes to a contributor in another state, which gets no share of the tax."""
        cfop = self.text("prod/CFOP") or ""
        return cfop.startswith("6") and self.text("imposto/ICMSUFDest/vICMSUFDest") is None

    def situation(self, tax: str, tags: str = "CST") -> str:
        """Returns the code of a tax whose amounts are computed, otherwise an empty text."""
        given = self.body.get(tax.lower(), {}).keys() & AMOUNT_FIELDS
        codes = [self.text(f"imposto/{tax}/*/{tag}") for tag in tags.split()]
        return "" if given else next(filter(None, codes), "")


@cache
def lines() -> tuple[Line, ...]:
    return tuple(line for file in INVOICES for line in lines_of(golden_document(file)))


def lines_of(document: GoldenDocument) -> Iterator[Line]:
    company = read_json_file(FOLDER / document.example.company)
    regimes = " ".join(filter(None, (company["taxRegime"], company.get("pisCofinsRegime"))))
    request = document.body
    if "signedXml" not in request:
        elements = document.root.iter(f"{{{NAMESPACE}}}det")
        for body, element in zip(request["items"], elements, strict=True):
            yield Line(regimes, company["taxId"], body, element)


class TestComputedTaxes:
    """Together the examples show every usual tax as the library computes it."""

    @pytest.mark.parametrize("regimes", COMPUTED_ICMS)
    def test_icms_of_every_regime_is_shown(self, regimes: str) -> None:
        shown = {line.situation("ICMS", "CST CSOSN") for line in lines() if line.regimes == regimes}
        assert set(COMPUTED_ICMS[regimes].split()) <= shown

    @pytest.mark.parametrize("regimes", ["normal nonCumulative", "normal cumulative"])
    @pytest.mark.parametrize("tax", ["PIS", "COFINS"])
    def test_pis_and_cofins_of_both_regimes_are_shown(self, tax: str, regimes: str) -> None:
        shown = {line.situation(tax) for line in lines() if line.regimes == regimes}
        assert set(COMPUTED_CONTRIBUTIONS.split()) <= shown

    def test_goods_taxed_earlier_are_recognized_by_their_cfop(self) -> None:
        by_cfop = [line for line in lines() if line.body.get("cfop") == "5405" and "icms" not in line.body]
        assert {line.situation("ICMS", "CST CSOSN") for line in by_cfop} == {"60", "500"}

    def test_every_rate_between_states_is_shown(self) -> None:
        by_law = [line for line in lines() if line.is_between_contributors and "icms" not in line.body]
        rates = {line.text("imposto/ICMS/ICMS00/pICMS") for line in by_law}
        assert {"4.0000", "7.0000", "12.0000"} <= rates

    def test_share_of_the_buyers_state_is_shown_with_and_without_fund_computed_and_given(self) -> None:
        shared = [line for line in lines() if line.text("imposto/ICMSUFDest/vICMSUFDest")]
        fund = "imposto/ICMSUFDest/vFCPUFDest"
        assert {("stateShare" in line.body, line.text(fund) is not None) for line in shared} == {
            (False, False), (False, True), (True, False), (True, True),
        }  # fmt: skip

    def test_every_reduction_of_ibs_and_cbs_is_shown(self) -> None:
        by_class = [line for line in lines() if not line.body.get("ibsCbs", {}).keys() & {"base", "state"}]
        taxed = [line for line in by_class if line.text("imposto/IBSCBS/gIBSCBS/vBC")]
        rates = [line.text("imposto/IBSCBS/gIBSCBS/gIBSUF/gRed/pRedAliq") for line in taxed]
        assert {rate and Decimal(rate) for rate in rates} == REDUCTIONS

    def test_ipi_is_shown_within_and_without_the_base_of_icms(self) -> None:
        by_rate = [line for line in lines() if line.body.get("ipi", {}).keys() == {"cst", "rate"}]
        bases = ("imposto/ICMS/*/vBC", "imposto/IPI/IPITrib/vBC")
        assert {line.text(bases[0]) == line.text(bases[1]) for line in by_rate} == {True, False}

    def test_letters_in_the_cnpj_are_shown_with_the_taxes_of_the_normal_regime(self) -> None:
        by_letters = {line.regimes for line in lines() if not line.tax_id.isdigit()}
        assert by_letters == {"simples", "normal nonCumulative"}

    def test_document_with_the_most_items_is_shown(self) -> None:
        assert max(len(amounts(golden_document(file).root, "vItem")) for file in INVOICES) == MAX_ITEMS
