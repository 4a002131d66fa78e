"""Parties, items, totals and amounts for the books of a received NF-e."""

from collections import defaultdict
from collections.abc import Callable
from decimal import Decimal
from functools import partial
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from carimbo.fiscal.documents.nfe.received_amounts import amounts
from carimbo.fiscal.documents.nfe.received_details import details
from carimbo.fiscal.documents.nfe.return_draft import return_draft
from carimbo.fiscal.receiving import TaxedAmount, UnreadFile
from unit.fiscal.documents.received_nfe import NFE_EXAMPLES, example, proc_nfe, res_nfe, with_text
from unit.fiscal.goods.support import company
from unit.golden_documents import golden_document

ZERO = Decimal(0)
# The totals of the document that the sums of a tax must give, by tag.
TOTALS = {
    "icms": ("vICMS", "vICMSMono"),
    "icmsSt": ("vST",),
    "fcp": ("vFCP",),
    "fcpSt": ("vFCPST",),
    "ipi": ("vIPI",),
    "ii": ("vII",),
    "pis": ("vPIS",),
    "cofins": ("vCOFINS",),
}


def sums(file: bytes) -> dict[str, Decimal]:
    """Returns the sum of each tax."""
    summed: dict[str, Decimal] = defaultdict(Decimal)
    for taxed in amounts(file):
        summed[taxed.tax] += taxed.amount
    return summed


class TestDetails:
    @pytest.mark.parametrize("file", NFE_EXAMPLES)
    def test_details_are_those_of_the_preview(self, file: str) -> None:
        golden = golden_document(file)
        read = details(proc_nfe(golden.xml))
        assert read.items == list(golden.preview.lines)
        of_preview = golden.preview.totals
        flat = {name: value for name, value in read.totals.items() if name in of_preview}
        assert flat == {name: value for name, value in of_preview.items() if isinstance(value, Decimal)}

    def test_totals_of_the_reform_are_not_nested(self) -> None:
        golden = golden_document("nfe/normal-sale.json").preview.totals["ibsCbs"]
        totals = details(example("normal-sale")).totals
        assert totals["ibsAmount"] == golden["ibs"]["amount"]
        assert totals["cbsAmount"] == golden["cbs"]["amount"]
        assert totals["ibsCbsBase"] == golden["base"]

    def test_parties_are_named_by_their_role(self) -> None:
        read = details(example("other-places"))
        assert [party.role for party in read.parties] == ["issuer", "recipient", "pickup", "delivery"]
        assert all(party.city and party.state for party in read.parties)
        issuer = read.parties[0]
        assert (issuer.tax_id, issuer.name, issuer.state_registration, issuer.city, issuer.state) == (
            "11222333000181",
            "Loja Modelo Comércio Ltda",
            "111222330112",
            "São Paulo",
            "SP",
        )

    def test_carrier_is_a_party(self) -> None:
        parties = details(example("road-freight")).parties
        assert "carrier" in [party.role for party in parties]

    def test_foreigner_has_no_tax_id(self) -> None:
        recipient = details(example("export")).parties[1]
        assert (recipient.tax_id, recipient.state) == (None, "EX")

    def test_nature_and_additional_information_are_read(self) -> None:
        read = details(example("return"))
        assert read.nature == "DEVOLUCAO DE COMPRA"
        assert read.additional_information
        assert read.additional_information.startswith("DOCUMENTO EMITIDO POR ME OU EPP")

    def test_items_that_our_layout_refuses_have_their_products(self) -> None:
        whole = details(example("normal-sale"))
        read = details(with_text(example("normal-sale"), "enderEmit/xLgr", None))
        taxes = {"icms", "pis", "cofins", "ipi", "ibsCbs", "stateShare", "approximateTaxes"}
        products = [
            {name: value for name, value in line.items() if name not in taxes} for line in whole.items
        ]
        assert read.items == products
        assert read.totals == whole.totals

    def test_amount_that_is_no_number_is_refused(self) -> None:
        with pytest.raises(UnreadFile, match="não é um número"):
            details(with_text(example("minimal"), "ICMSTot/vProd", "muito"))

    def test_summary_has_no_details(self) -> None:
        with pytest.raises(UnreadFile, match="O XML começa com “resNFe”"):
            details(res_nfe())


@given(st.binary(max_size=8), st.integers(0, 100_000))
def test_damaged_document_is_read_or_refused(noise: bytes, at: int) -> None:
    whole = example("december-sale")
    cut = at % len(whole)
    damaged = whole[:cut] + noise + whole[cut + len(noise) :]
    readers: tuple[Callable[[bytes], Any], ...] = (details, amounts, partial(return_draft, company=company()))
    for read in readers:
        try:
            assert read(damaged) is not None
        except UnreadFile as error:
            assert str(error)


class TestAmounts:
    @pytest.mark.parametrize("file", NFE_EXAMPLES)
    def test_sums_are_the_totals_of_the_document(self, file: str) -> None:
        golden = golden_document(file)
        read = sums(proc_nfe(golden.xml))
        for tax, tags in TOTALS.items():
            of_document = [golden.root.find(f".//{{*}}ICMSTot/{{*}}{tag}") for tag in tags]
            expected = sum((Decimal(node.text or "0") for node in of_document if node is not None), ZERO)
            assert read.get(tax, ZERO) == expected, tax

    def test_sums_are_by_cfop_tax_and_cst(self) -> None:
        file = example("simples-substitution")
        assert {(taxed.cfop, taxed.tax, taxed.cst) for taxed in amounts(file)} == {
            ("5403", tax, cst)
            for tax, cst in [
                ("icms", "201"),
                ("icms", "202"),
                ("icms", "203"),
                ("icmsSt", "201"),
                ("icmsSt", "202"),
                ("icmsSt", "203"),
                ("pis", "49"),
                ("cofins", "49"),
            ]
        }

    def test_items_of_a_tax_are_products_less_discounts(self) -> None:
        file = example("shared-charges")
        totals = details(file).totals
        icms = [taxed.items for taxed in amounts(file) if taxed.tax == "icms"]
        assert sum(icms, ZERO) == totals["goodsAmount"] - totals["discount"]

    def test_ibs_and_cbs_have_base_and_amount(self) -> None:
        totals = details(example("normal-sale")).totals
        read = {taxed.tax: taxed for taxed in amounts(example("normal-sale"))}
        assert (read["ibs"].amount, read["cbs"].amount) == (totals["ibsAmount"], totals["cbsAmount"])
        assert read["ibs"].base == read["cbs"].base == totals["ibsCbsBase"]
        assert read["ibs"].cst == "000"

    def test_exempt_items_count_with_zero(self) -> None:
        (icms,) = [taxed for taxed in amounts(example("minimal")) if taxed.tax == "icms"]
        assert icms == TaxedAmount(
            cfop="5102", tax="icms", cst="102", items=Decimal("71.80"), base=ZERO, amount=ZERO
        )

    @pytest.mark.parametrize(
        ("path", "text"),
        [("prod/CFOP", "0102"), ("prod/CFOP", None), ("prod/vProd", None), ("PIS/*/vPIS", "x")],
    )
    def test_wrong_line_is_refused(self, path: str, text: str | None) -> None:
        with pytest.raises(UnreadFile):
            amounts(with_text(example("minimal"), path, text))
