"""Every example of the repository, made again: the same bytes, valid, well signed, with the right totals."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from functools import cache
from typing import Any

import pytest
from golden import FOLDER, Example, examples, issued
from lxml import etree

from carimbo.fiscal.access_key import is_allowed_numeric_code
from carimbo.fiscal.company_file import read_json
from carimbo.fiscal.layouts.nfe_v4.invoice import NAMESPACE, Invoice
from carimbo.fiscal.schemas import Schema, Schemas
from carimbo.fiscal.signature import BadSignature, verify
from unit.fiscal.layout_places import local_name, places_in, places_not_in
from xmlsec1 import xmlsec1_accepts

SCHEMAS = Schemas()
# By the root of the message, or by `tpEvento`.
SCHEMA_OF = {
    "NFe": Schema.NFE,
    "inutNFe": Schema.NFE_INUTILIZATION,
    "110110": Schema.NFE_CORRECTION,
    "110111": Schema.NFE_CANCELLATION,
    "210200": Schema.NFE_MANIFESTATION,
    "210210": Schema.NFE_MANIFESTATION,
    "210220": Schema.NFE_MANIFESTATION,
    "210240": Schema.NFE_MANIFESTATION,
    "DPS": Schema.NFSE_DPS,
    "pedRegEvento": Schema.NFSE_EVENT,
}
# nfelib has no XSD of the cancellation by substitution.
WITHOUT_SCHEMA = "nfce/events/cancellation-by-substitution.json"

SITUATIONS = {
    "CST": "00 02 10 15 20 30 40 41 50 51 53 60 61 70 90",
    "CSOSN": "101 102 103 201 202 203 300 400 500 900",
}
# What has to be shown with computed taxes: situations by the issuer's regimes.
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
TOLD_AMOUNTS = {"base", "amount"}
MOST_ITEMS = 990

# Groups that no example shows, each by its place in the document; what would be inside is not listed.
REFORM = "infNFe/det/imposto/IBSCBS"
NOT_SHOWN = {
    # Not charged, or without a rate or a rule for goods, before 2027.
    "infNFe/det/imposto/IS",
    "infNFe/total/ISTot",
    f"{REFORM}/gCredPresOper",
    f"{REFORM}/gIBSCBS/gIBSUF/gDevTrib",
    f"{REFORM}/gIBSCBS/gIBSMun/gDevTrib",
    f"{REFORM}/gIBSCBS/gCBS/gDevTrib",
    f"{REFORM}/gIBSCBS/gCBS/gALCZFMCBS",
    f"{REFORM}/gIBSCBSMono/gIBSMonoAdValorem",
    f"{REFORM}/gIBSCBSMono/gCBSMonoAdValorem",
    f"{REFORM}/gIBSCBSMono/gIBSMonoAdRem/gpBioDiferenca",
    f"{REFORM}/gIBSCBSMono/gCBSMonoAdRem/gpBioDiferenca",
    # A benefit with codes of each state's own.
    "infNFe/det/prod/gCred",
    # For the authorities and for other kinds of issuers, which no request can be.
    "infNFe/det/obsItem/obsFisco",
    "infNFe/infAdic/obsFisco",
    "infNFe/det/prod/infProdNFF",
    "infNFe/det/prod/infProdEmb",
    "infNFe/infSolicNFF",
    "infNFe/infPAA",
}

# These stand in several groups of the totals, and are told together with the group.
IN_SEVERAL_GROUPS = ("vDif", "vDevTrib", "vCredPres", "vCredPresCondSus")

# Not totalled by the document, and worked out by hand all the same.
SUM_OF_ITEMS = "vCredICMSSN"
# Without payment, and paid later.
NOT_PAID = {"90", "91"}

README = (FOLDER / "README.md").read_text(encoding="utf-8")
README_ROW = re.compile(r"^\| `(nf.+?)` \| (.+?) \|(.*)$", re.MULTILINE)
FIGURE = re.compile(r"\d+\.\d{2}\b")

KINDS = ("nfe", "nfce", "nfse")
ALL = examples()
DOCUMENTS = [example for example in ALL if example.is_document]
INVOICES = [example for example in DOCUMENTS if example.request.parent.name in ("nfe", "nfce")]
of_every_example = pytest.mark.parametrize("example", ALL, ids=lambda example: example.file)
of_every_document = pytest.mark.parametrize("example", DOCUMENTS, ids=lambda example: example.file)
of_every_invoice = pytest.mark.parametrize("example", INVOICES, ids=lambda example: example.file)


@cache
def stored(example_file: str) -> bytes:
    """The XML in the repository."""
    return (FOLDER / example_file).with_suffix(".xml").read_bytes()


def tree(example: Example) -> etree._Element:
    return etree.fromstring(stored(example.file))


def signed_tag(example: Example) -> str:
    return local_name(tree(example)[0])


def schema_of(root: etree._Element) -> Schema:
    return SCHEMA_OF[root.findtext(f".//{{{NAMESPACE}}}tpEvento") or local_name(root)]


def totals_in(root: etree._Element) -> dict[str, Decimal]:
    """Every amount of the totals that is not zero."""
    leaves = [leaf for leaf in root.iterfind(f".//{{{NAMESPACE}}}total//*") if not len(leaf)]
    told = {total_name(leaf): Decimal(leaf.text or "0") for leaf in leaves}
    told[SUM_OF_ITEMS] = sum(amounts(root, SUM_OF_ITEMS), Decimal())
    return {name: amount for name, amount in told.items() if amount}


def total_name(leaf: etree._Element) -> str:
    tag, group = local_name(leaf), leaf.getparent()
    return f"{local_name(group)}/{tag}" if group is not None and tag in IN_SEVERAL_GROUPS else tag


def amounts(root: etree._Element, tag: str) -> list[Decimal]:
    return [Decimal(element.text or "0") for element in root.iter(f"{{{NAMESPACE}}}{tag}")]


class TestExample:
    @of_every_example
    def test_is_made_again_byte_for_byte(self, example: Example) -> None:
        assert issued(example) == stored(example.file)

    @pytest.mark.parametrize(
        "example",
        [example for example in ALL if example.file != WITHOUT_SCHEMA],
        ids=lambda example: example.file,
    )
    def test_is_valid_by_the_official_xsd(self, example: Example) -> None:
        root = tree(example)
        assert SCHEMAS.problems(schema_of(root), root) == ()

    @of_every_example
    def test_is_canonical_as_it_stands(self, example: Example) -> None:
        assert etree.tostring(tree(example), method="c14n") == stored(example.file)

    @of_every_example
    def test_has_a_signature_that_xmlsec1_and_we_accept(self, example: Example) -> None:
        root = tree(example)
        assert verify(root).reference_id == root[0].get("Id")
        assert xmlsec1_accepts(stored(example.file), signed_tag(example))

    @of_every_example
    def test_is_refused_by_both_with_one_byte_changed(self, example: Example) -> None:
        changed = stored(example.file).replace(b"<tpAmb>2<", b"<tpAmb>1<", 1)
        with pytest.raises(BadSignature):
            verify(etree.fromstring(changed))
        assert not xmlsec1_accepts(changed, signed_tag(example))

    @of_every_invoice
    def test_adds_up_to_what_was_worked_out_by_hand(self, example: Example) -> None:
        assert totals_in(tree(example)) == example.totals

    @of_every_invoice
    def test_is_paid_in_full_or_not_at_all(self, example: Example) -> None:
        root = tree(example)
        paid = sum(amounts(root, "vPag")) - sum(amounts(root, "vTroco"))
        methods = {element.text for element in root.iter(f"{{{NAMESPACE}}}tPag")}
        assert paid == (0 if methods <= NOT_PAID else sum(amounts(root, "vNF")))


class TestSignedXml:
    def test_goes_out_as_the_point_of_sale_signed_it(self) -> None:
        request = read_json(FOLDER / "nfce/signed-xml.json")
        sent = request["signedXml"].encode()
        assert stored("nfce/signed-xml.json") == sent == stored("nfce/offline-qr2.json")


class TestIndex:
    def test_names_every_file(self) -> None:
        named = {example.request for example in ALL}
        assert named == {file for kind in KINDS for file in (FOLDER / kind).rglob("*.json")}
        assert {example.xml for example in ALL} == set(FOLDER.rglob("*.xml"))

    def test_gives_every_document_a_key_of_its_own(self) -> None:
        keys = [tree(example)[0].get("Id") for example in DOCUMENTS if "signed-xml" not in example.file]
        assert len(set(keys)) == len(keys)

    def test_has_numeric_codes_that_the_authorities_take(self) -> None:
        codes = [(one.numeric_code, one.number) for one in ALL if one.numeric_code and one.number]
        assert [code for code, number in codes if not is_allowed_numeric_code(code, number)] == []


class TestReadme:
    def test_has_a_line_for_every_example_and_no_other(self) -> None:
        rows = [(name, about) for name, about, _ in README_ROW.findall(README)]
        assert sorted(rows) == sorted((example.file.removesuffix(".json"), example.about) for example in ALL)

    @of_every_document
    def test_works_out_every_total(self, example: Example) -> None:
        worked = {name: FIGURE.findall(line) for name, _, line in README_ROW.findall(README)}
        figures = worked[example.file.removesuffix(".json")]
        assert {tag for tag, amount in example.totals.items() if f"{amount:.2f}" not in figures} == set()


class TestCoverage:
    """Together the examples show everything that a document can have."""

    def test_every_situation_of_icms_is_shown(self) -> None:
        for tag, codes in SITUATIONS.items():
            path = f".//{{{NAMESPACE}}}ICMS//{{{NAMESPACE}}}{tag}"
            shown = {element.text for example in INVOICES for element in tree(example).iterfind(path)}
            assert shown == set(codes.split())

    def test_every_group_is_shown_but_those_listed(self) -> None:
        shown = {place for example in INVOICES for place in places_in(tree(example)[0])}
        assert set(places_not_in(shown, Invoice, "infNFe")) == NOT_SHOWN


@dataclass(frozen=True, slots=True)
class Line:
    """An item of an example: who sells it, what the request says of it, and what became of it."""

    regimes: str
    tax_id: str
    body: dict[str, Any]
    element: etree._Element

    def found(self, path: str) -> str | None:
        return self.element.findtext("/".join(f"{{{NAMESPACE}}}{tag}" for tag in path.split("/")))

    @property
    def is_between_contributors(self) -> bool:
        """Whether it goes to another state, which gets no share of the tax."""
        cfop = self.found("prod/CFOP") or ""
        return cfop.startswith("6") and self.found("imposto/ICMSUFDest/vICMSUFDest") is None

    def situation(self, tax: str, tags: str = "CST") -> str:
        """The code of a tax whose amounts the request does not tell, else nothing."""
        told = self.body.get(tax.lower(), {}).keys() & TOLD_AMOUNTS
        codes = [self.found(f"imposto/{tax}/*/{tag}") for tag in tags.split()]
        return "" if told else next(filter(None, codes), "")


@cache
def lines() -> tuple[Line, ...]:
    return tuple(line for example in INVOICES for line in lines_of(example))


def lines_of(example: Example) -> Iterator[Line]:
    company = read_json(FOLDER / example.company)
    regimes = " ".join(filter(None, (company["taxRegime"], company.get("pisCofinsRegime"))))
    request = read_json(example.request)
    if "signedXml" not in request:
        elements = tree(example).iter(f"{{{NAMESPACE}}}det")
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

    def test_goods_taxed_earlier_are_known_by_their_cfop(self) -> None:
        by_cfop = [line for line in lines() if line.body.get("cfop") == "5405" and "icms" not in line.body]
        assert {line.situation("ICMS", "CST CSOSN") for line in by_cfop} == {"60", "500"}

    def test_every_rate_between_states_is_shown(self) -> None:
        by_law = [line for line in lines() if line.is_between_contributors and "icms" not in line.body]
        rates = {line.found("imposto/ICMS/ICMS00/pICMS") for line in by_law}
        assert {"4.0000", "7.0000", "12.0000"} <= rates

    def test_the_share_of_the_buyers_state_is_shown_with_and_without_fund_computed_and_told(self) -> None:
        shared = [line for line in lines() if line.found("imposto/ICMSUFDest/vICMSUFDest")]
        fund = "imposto/ICMSUFDest/vFCPUFDest"
        assert {("stateShare" in line.body, line.found(fund) is not None) for line in shared} == {
            (False, False), (False, True), (True, False), (True, True),
        }  # fmt: skip

    def test_every_reduction_of_ibs_and_cbs_is_shown(self) -> None:
        by_class = [line for line in lines() if not line.body.get("ibsCbs", {}).keys() & {"base", "state"}]
        taxed = [line for line in by_class if line.found("imposto/IBSCBS/gIBSCBS/vBC")]
        found = [line.found("imposto/IBSCBS/gIBSCBS/gIBSUF/gRed/pRedAliq") for line in taxed]
        assert {rate and Decimal(rate) for rate in found} == REDUCTIONS

    def test_ipi_is_shown_within_and_without_the_base_of_icms(self) -> None:
        by_rate = [line for line in lines() if line.body.get("ipi", {}).keys() == {"cst", "rate"}]
        bases = ("imposto/ICMS/*/vBC", "imposto/IPI/IPITrib/vBC")
        assert {line.found(bases[0]) == line.found(bases[1]) for line in by_rate} == {True, False}

    def test_letters_in_the_cnpj_are_shown_with_the_taxes_of_the_normal_regime(self) -> None:
        by_letters = {line.regimes for line in lines() if not line.tax_id.isdigit()}
        assert by_letters == {"simples", "normal nonCumulative"}

    def test_the_most_items_are_shown(self) -> None:
        assert max(len(amounts(tree(example), "vItem")) for example in INVOICES) == MOST_ITEMS
