"""The examples of the repository together: index, README, and all that invoices and manifests can have."""

import re
from collections.abc import Iterator
from decimal import Decimal

from golden import FOLDER, examples

from carimbo.fiscal.identity.access_key import is_allowed_numeric_code
from carimbo.fiscal.layouts.json_form import groups_in
from carimbo.fiscal.layouts.layout import layout_of
from carimbo.fiscal.layouts.mdfe_v3.manifest import Manifest
from carimbo.fiscal.layouts.nfe_v4.invoice import NAMESPACE, Invoice
from unit.fiscal.layout_places import places_in, places_not_in
from unit.golden_documents import DOCUMENTS, FILES, INVOICES, MANIFESTS, golden_document, index

SITUATIONS = {
    "CST": "00 02 10 15 20 30 40 41 50 51 53 60 61 70 90",
    "CSOSN": "101 102 103 201 202 203 300 400 500 900",
}
# Groups that no example has, each by its place in the document; groups inside them are not listed.
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
# Values that no MDF-e of ours has: every issuer has a CNPJ, and its e-mail is not written.
NOT_SHOWN_IN_MANIFESTS = {"infMDFe/emit/CPF", "infMDFe/emit/enderEmit/email"}

README = (FOLDER / "README.md").read_text(encoding="utf-8")
README_ROW = re.compile(r"^\| `((?:nf|cte|mdfe).+?)` \| (.+?) \|(.*)$", re.MULTILINE)
FIGURE = re.compile(r"\d+\.\d{2,4}\b")
COUNTED = {"qCTe": "CT-e", "qNFe": "NF-e", "qMDFe": "MDF-e"}


def is_worked_out(line: str, tag: str, amount: Decimal) -> bool:
    """Returns whether a line of the README has an amount, or a number of documents with their name."""
    if tag in COUNTED:
        return f" {amount} {COUNTED[tag]}" in line
    # A weight may have more than two decimals.
    return max(f"{amount:.2f}", str(amount), key=len) in FIGURE.findall(line)


def values_of(group: type, place: str) -> Iterator[str]:
    """Yields the place of every element with a value that a group of the layout has."""
    for name, element in layout_of(group).inner.items():
        inner_groups = groups_in(group)[name]
        if not inner_groups:
            yield f"{place}/{element.tag}"
        for inner in inner_groups:
            own = layout_of(inner).tag if element.kind == "variant" else ""
            yield from values_of(inner, "/".join(filter(None, (place, element.tag, own))))


class TestSignedXml:
    def test_signed_xml_is_sent_as_the_point_of_sale_signed_it(self) -> None:
        signed = golden_document("nfce/signed-xml.json")
        sent = signed.body["signedXml"].encode()
        assert signed.xml == sent == golden_document("nfce/offline-qr2.json").xml


class TestIndex:
    def test_index_names_every_file(self) -> None:
        assert sorted(index()) == FILES
        assert {example.xml for example in index().values()} == set(FOLDER.rglob("*.xml"))

    def test_index_names_no_file_twice(self) -> None:
        assert len(examples()) == len(index())

    def test_every_document_of_the_index_has_a_key_of_its_own(self) -> None:
        keys = [golden_document(file).root[0].get("Id") for file in DOCUMENTS if "signed-xml" not in file]
        assert len(set(keys)) == len(keys)

    def test_numeric_codes_of_the_index_are_allowed(self) -> None:
        codes = {
            file: (example.numeric_code, example.number)
            for file, example in index().items()
            if example.numeric_code and example.number
        }
        assert {file: code for file, code in codes.items() if not is_allowed_numeric_code(*code)} == {}


class TestReadme:
    def test_readme_has_a_line_for_every_example_and_no_other(self) -> None:
        rows = [(name, about) for name, about, _ in README_ROW.findall(README)]
        assert sorted(rows) == sorted(
            (file.removesuffix(".json"), example.about) for file, example in index().items()
        )

    def test_readme_computes_every_total(self) -> None:
        lines = {f"{name}.json": line for name, _, line in README_ROW.findall(README)}
        lacking = {
            (file, tag)
            for file in DOCUMENTS
            for tag, amount in index()[file].totals.items()
            if not is_worked_out(lines[file], tag, amount)
        }
        assert lacking == set()


class TestCoverage:
    """Together the examples show everything that a document can have."""

    def test_every_situation_of_icms_is_shown(self) -> None:
        for tag, codes in SITUATIONS.items():
            path = f".//{{{NAMESPACE}}}ICMS//{{{NAMESPACE}}}{tag}"
            roots = (golden_document(file).root for file in INVOICES)
            shown = {element.text for root in roots for element in root.iterfind(path)}
            assert shown == set(codes.split())

    def test_examples_show_every_group_except_the_listed_ones(self) -> None:
        shown = {place for file in INVOICES for place in places_in(golden_document(file).root[0])}
        assert set(places_not_in(shown, Invoice, "infNFe")) == NOT_SHOWN

    def test_manifests_show_every_value_except_the_listed_ones(self) -> None:
        shown = {place for file in MANIFESTS for place in places_in(golden_document(file).root[0])}
        assert {*values_of(Manifest, "infMDFe")} - shown == NOT_SHOWN_IN_MANIFESTS
