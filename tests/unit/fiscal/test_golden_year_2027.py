"""Examples of goods around 1 January 2027: the rules of each item, and prices that include their taxes."""

from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal

from golden import FOLDER
from lxml import etree

from carimbo.fiscal.layouts.nfe_v4.invoice import NAMESPACE
from carimbo.fiscal.parties.company_file import read_json_file
from unit.golden_documents import INVOICES, GoldenDocument, golden_document

# IBS of the state, IBS of the city, CBS; that of 2027 is fictitious (examples/tables/ibs_cbs_rates.csv).
RATES_OF_2026 = ("0.1000", "0.0000", "0.9000")
RATES_OF_2027 = ("0.0500", "0.0500", "11.1100")
# Where the tax that would otherwise be due is in a group of its own (gTribRegular).
RATES_OF_A_FREE_ZONE = ("0.0000", "0.0000", "0.0000")
REFORM = "imposto/IBSCBS/gIBSCBS"
SHARES = ("gIBSUF/vIBSUF", "gIBSMun/vIBSMun", "gCBS/vCBS")
# Taxes that a price includes besides the base of IBS and CBS.
WITHIN_THE_PRICE = (
    "imposto/ICMS/*/vICMS", "imposto/ICMSUFDest/vICMSUFDest", "imposto/ICMSUFDest/vFCPUFDest",
    *(f"{REFORM}/{share}" for share in SHARES),
)  # fmt: skip
CONTRIBUTIONS = ("imposto/PIS/*/vPIS", "imposto/COFINS/*/vCOFINS")
DECEMBER, JANUARY = "2026-12-31", "2027-01"
DECEMBER_IN_KEY = "2612"
REGIMES = {"normal nonCumulative", "normal cumulative", "simples", "simplesExcess", "mei"}


@dataclass(frozen=True, slots=True)
class Line:
    """An item of an example, and the moment of issue of the document."""

    file: str
    issued_at: str
    element: etree._Element

    def text(self, path: str) -> str | None:
        return self.element.findtext("/".join(f"{{{NAMESPACE}}}{tag}" for tag in path.split("/")))

    def amount(self, path: str) -> Decimal:
        return Decimal(self.text(path) or "0")

    @property
    def value(self) -> Decimal:
        """The price of the item for the buyer, without taxes on top."""
        charged = sum(self.amount(f"prod/{tag}") for tag in ("vProd", "vFrete", "vSeg", "vOutro"))
        return charged - self.amount("prod/vDesc") - self.amount("imposto/ICMS/*/vICMSDeson")

    @property
    def follows_2027(self) -> bool:
        """Whether neither the document nor the note that the item returns is of 2026."""
        key = self.text("DFeReferenciado/chaveAcesso") or ""
        return self.issued_at.startswith(JANUARY) and key[2:6] != DECEMBER_IN_KEY

    @property
    def is_import(self) -> bool:
        return (self.text("prod/CFOP") or "").startswith("3")


def issued_at(document: GoldenDocument) -> str:
    return document.root.findtext(f".//{{{NAMESPACE}}}dhEmi", "")


def documents_of(day: str) -> list[GoldenDocument]:
    return [document for document in map(golden_document, INVOICES) if issued_at(document).startswith(day)]


def lines() -> Iterator[Line]:
    for document in (*documents_of(DECEMBER), *documents_of(JANUARY)):
        for element in document.root.iter(f"{{{NAMESPACE}}}det"):
            yield Line(document.file, issued_at(document), element)


LINES = tuple(lines())
RATED = tuple(line for line in LINES if line.text(f"{REFORM}/vBC"))


def regimes_of(documents: list[GoldenDocument]) -> set[str]:
    companies = [read_json_file(FOLDER / document.example.company) for document in documents]
    return {
        " ".join(filter(None, (company["taxRegime"], company.get("pisCofinsRegime"))))
        for company in companies
    }


class TestExamplesAroundTheYear:
    def test_examples_are_from_both_sides_of_midnight(self) -> None:
        assert len(documents_of(DECEMBER)) >= 8
        assert len(documents_of(JANUARY)) >= 20

    def test_examples_of_2027_are_of_every_regime_and_of_both_types(self) -> None:
        assert regimes_of(documents_of(JANUARY)) == REGIMES
        assert {document.document_type for document in documents_of(JANUARY)} == {"nfe", "nfce"}

    def test_examples_have_the_rates_of_their_year_or_of_the_note_that_they_return(self) -> None:
        for line in RATED:
            rates = tuple(
                line.text(f"{REFORM}/{tag}") for tag in ("gIBSUF/pIBSUF", "gIBSMun/pIBSMun", "gCBS/pCBS")
            )
            of_its_year = RATES_OF_2027 if line.follows_2027 else RATES_OF_2026
            assert rates in (of_its_year, RATES_OF_A_FREE_ZONE), line.file

    def test_examples_of_2027_charge_pis_and_cofins_only_in_returns_of_2026(self) -> None:
        charged = {
            line.file
            for line in LINES
            if line.issued_at.startswith(JANUARY) and any(map(line.amount, CONTRIBUTIONS))
        }
        assert charged == {"nfe/january-return-december.json", "nfe/january-return-both.json"}

    def test_prices_of_2027_are_base_and_taxes_to_the_cent(self) -> None:
        for line in RATED:
            if line.follows_2027 and not line.is_import:
                parts = line.amount(f"{REFORM}/vBC") + sum(map(line.amount, WITHIN_THE_PRICE))
                assert line.value == parts, line.file
