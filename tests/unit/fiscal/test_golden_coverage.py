"""The examples of the repository together: index, README, and all that a document of goods can have."""

import re

from golden import FOLDER, examples

from carimbo.fiscal.identity.access_key import is_allowed_numeric_code
from carimbo.fiscal.layouts.nfe_v4.invoice import NAMESPACE, Invoice
from unit.fiscal.layout_places import places_in, places_not_in
from unit.golden_documents import DOCUMENTS, FILES, INVOICES, golden_document, index

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

README = (FOLDER / "README.md").read_text(encoding="utf-8")
README_ROW = re.compile(r"^\| `((?:nf|cte).+?)` \| (.+?) \|(.*)$", re.MULTILINE)
FIGURE = re.compile(r"\d+\.\d{2}\b")


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
        worked = {f"{name}.json": FIGURE.findall(line) for name, _, line in README_ROW.findall(README)}
        lacking = {
            (file, tag)
            for file in DOCUMENTS
            for tag, amount in index()[file].totals.items()
            if f"{amount:.2f}" not in worked[file]
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
