"""Every example of the repository, made again: the same bytes, valid, well signed, with the right totals."""

import re
from decimal import Decimal

import pytest
from golden import FOLDER, Example, issued
from lxml import etree

from carimbo.fiscal.access_key import is_allowed_numeric_code
from carimbo.fiscal.company_file import read_json
from carimbo.fiscal.layouts.nfe_v4.invoice import NAMESPACE, Invoice
from carimbo.fiscal.schemas import Schema, Schemas
from carimbo.fiscal.signature import BadSignature, verify
from unit.fiscal.example_xml import ALL, DOCUMENTS, INVOICES, amounts, stored, tree
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
# Groups that no example shows, each by its place in the document; what would be inside is not listed.
REFORM = "infNFe/det/imposto/IBSCBS"
NOT_SHOWN = {
    # Without a rate or a rule for goods, even in 2027.
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
of_every_example = pytest.mark.parametrize("example", ALL, ids=lambda example: example.file)
of_every_document = pytest.mark.parametrize("example", DOCUMENTS, ids=lambda example: example.file)
of_every_invoice = pytest.mark.parametrize("example", INVOICES, ids=lambda example: example.file)


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
