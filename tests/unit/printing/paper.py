"""Printed documents: each example in each layout, and helpers that read the result."""

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cache, cached_property, lru_cache
from typing import NamedTuple

from golden import FOLDER
from lxml import etree

from carimbo.fiscal.printout import DocumentPrint, PaperSize
from carimbo.printing.registry import PdfRenderer
from pdf_reading import DrawnCode, columns_of, drawn_codes_of, lines_of
from unit.printing.issued_notes import issued
from unit.printing.manifest_examples import MANIFESTS, manifest_file
from unit.printing.os_waybills import OS_WAYBILLS, os_waybill_file
from unit.printing.paper_values import ExpectedText, Leaf, Table, leaves_of
from unit.printing.waybill_examples import WAYBILLS, waybill_file

RENDERER = PdfRenderer()
DANFE, RECEIPT, DANFSE = Table("danfe"), Table("receipt"), Table("danfse")
DACTE, DACTE_OS, DAMDFE = Table("dacte"), Table("dacte_os"), Table("damdfe")
_NUMBER = re.compile(r"\d(?:[\d.,]*\d)?")
# Only texts longer than this are split between sheets; shorter pieces of them prove nothing.
_MAY_BE_SPLIT, _MIN_PIECE_LENGTH = 40, 8


class Layout(NamedTuple):
    """A way to print a type of document."""

    name: str
    type: str
    paper: PaperSize
    table: Table
    column: str
    """The column of the table."""
    issued_at: bytes | None = None
    """The issue time for which documents use this layout; None for that of the examples."""

    def dated(self, xml: bytes) -> bytes:
        """Returns the document with an issue time at which the layout is in force."""
        issue_time = self.issued_at and b"<dhEmi>%b</dhEmi>" % self.issued_at
        return re.sub(rb"<dhEmi>[^<]+</dhEmi>", issue_time, xml) if issue_time else xml

    def expected(self, leaf: Leaf) -> tuple[ExpectedText, ...]:
        """Returns every text of a value that must be printed."""
        return tuple(self.table.expected(leaf, self.column))


MOC = Layout("MOC 7.0", "nfe", PaperSize.A4, DANFE, "moc")
NT = Layout("NT 2026.010", "nfe", PaperSize.A4, DANFE, "nt", b"2026-12-02T10:00:00-03:00")
ROLL_80 = Layout("80 mm", "nfce", PaperSize.ROLL_80, RECEIPT, "receipt")
ROLL_58 = Layout("58 mm", "nfce", PaperSize.ROLL_58, RECEIPT, "receipt")
V2 = Layout("DANFSe v2.0", "nfse", PaperSize.A4, DANFSE, "danfse")
ROAD = Layout("DACTE", "cte", PaperSize.A4, DACTE, "dacte")
OTHER_SERVICES = Layout("DACTE OS", "cteOs", PaperSize.A4, DACTE_OS, "dacte_os")
MANIFEST = Layout("DAMDFE", "mdfe", PaperSize.A4, DAMDFE, "damdfe")
LAYOUTS = (MOC, NT, ROLL_80, ROLL_58, V2, ROAD, OTHER_SERVICES, MANIFEST)

_FILES = {
    document_type: {file.stem: file for file in (FOLDER / document_type).glob("*.xml")}
    for document_type in ("nfe", "nfce", "nfse")
}
NAMES = {document_type: sorted(files) for document_type, files in _FILES.items()} | {
    "cte": sorted(WAYBILLS),
    "cteOs": sorted(OS_WAYBILLS),
    "mdfe": sorted(MANIFESTS),
}
SCANNED = {
    "nfe": ("minimal", "letters", "letters-normal", "fifty-items"),
    "nfce": ("cash", "letters", "december-offline", "offline-qr2", "offline-qr3", "pix-qr3"),
    "nfse": ("minimal", "letters"),
    "cte": ("letters", "many-invoices", "usual"),
    "cteOs": ("letters", "many-tickets", "passengers"),
    "mdfe": ("contingency", "letters", "many-waybills", "usual"),
}
"""Examples whose codes are scanned, by type: codes of every size, on one page and on several."""
LETTERS = dict.fromkeys(SCANNED, "letters")
"""An example of each type whose issuer has letters in its CNPJ."""


@cache
def example(document_type: str, name: str) -> bytes:
    """Returns the signed XML of an example; for services, the note that the authority issues for it."""
    if document_type == "cte":
        return waybill_file(name)
    if document_type == "cteOs":
        return os_waybill_file(name)
    if document_type == "mdfe":
        return manifest_file(name)
    xml = _FILES[document_type][name].read_bytes()
    return issued(xml) if document_type == "nfse" else xml


def in_production(xml: bytes) -> bytes:
    """Returns the document for production, so that no watermark lies under its texts."""
    return xml.replace(b"<tpAmb>2<", b"<tpAmb>1<")


@dataclass(frozen=True)
class Printed:
    """A document with its PDF."""

    layout: Layout
    xml: bytes = field(repr=False)
    pdf: bytes = field(repr=False)

    @cached_property
    def values(self) -> tuple[tuple[Leaf, tuple[ExpectedText, ...]], ...]:
        """Every value of the document, with the texts that must be printed for it."""
        return tuple((leaf, self.layout.expected(leaf)) for leaf in leaves_of(self.xml))

    @cached_property
    def expected(self) -> tuple[ExpectedText, ...]:
        """Every text that must be printed."""
        return tuple(text for _, expected in self.values for text in expected)

    @cached_property
    def drawn(self) -> str:
        """The text in drawing order; each page ends with a form feed."""
        return lines_of(self.pdf)

    @cached_property
    def pages(self) -> int:
        return self.drawn.count("\f")

    @cached_property
    def codes(self) -> list[DrawnCode]:
        """The drawn codes."""
        return drawn_codes_of(self.pdf)

    @cached_property
    def numbers(self) -> Counter[str]:
        """How often each number is printed."""
        return numbers_in(self.drawn)

    def lacks(self, expected: Iterable[ExpectedText]) -> list[str]:
        """Returns the expected texts that are missing, beside their titles where they have one."""
        return [f"{text.path}: {text.title} {text.text}" for text in expected if not self._holds(text)]

    def _holds(self, expected: ExpectedText) -> bool:
        """Searches without white space, as a text may be broken anywhere: as drawn, then by columns."""
        text = without_spaces(expected.title + expected.text)
        return (
            text in self._drawn_text
            or self._is_split(text, self._drawn_text)
            or text in self._text_by_columns
            or self._is_split(text, self._text_by_columns)
        )

    @cached_property
    def _drawn_text(self) -> str:
        return without_spaces(self.drawn)

    @cached_property
    def _text_by_columns(self) -> str:
        return without_spaces(columns_of(self.pdf))

    def _is_split(self, expected: str, text: str) -> bool:
        """Tells whether a long text is continued on other sheets, with the repeated page heads in between."""
        place, rest = 0, expected
        for _ in range(self.pages if len(expected) > _MAY_BE_SPLIT else 0):
            length = _longest_beginning(rest, text, place)
            if length < min(len(rest), _MIN_PIECE_LENGTH):
                return False
            place, rest = text.find(rest[:length], place) + length, rest[length:]
        return not rest


def printed(
    layout: Layout,
    xml: bytes,
    *,
    is_canceled: bool = False,
    is_replaced: bool = False,
    logo: bytes | None = None,
    events: tuple[bytes, ...] = (),
) -> Printed:
    """Print a document in a layout."""
    dated = layout.dated(xml)
    order = DocumentPrint(layout.type, dated, layout.paper, is_canceled, is_replaced, logo, events)
    return Printed(layout, dated, RENDERER.document(order))


@lru_cache(16)
def printed_example(layout: Layout, name: str) -> Printed:
    """Returns the print of an example; caches only the latest ones."""
    return printed(layout, example(layout.type, name))


def expected_codes(xml: bytes) -> set[str]:
    """Returns the texts that the codes of a document must hold: its query address, else its key.

    A CT-e and an MDF-e have both.
    """
    root = etree.fromstring(xml)
    for name in ("CTe", "MDFe"):
        if address := root.findtext(f"{{*}}inf{name}Supl/{{*}}qrCod{name}"):
            return {address, root[0].get("Id", "").removeprefix(name)}
    if service_key := root[0].get("Id", "").partition("NFS")[2]:
        host = {"1": "www.nfse.gov.br", "2": "www.producaorestrita.nfse.gov.br"}[
            root.findtext(".//{*}tpAmb", "")
        ]
        return {f"https://{host}/ConsultaPublica/?tpc=1&chave={service_key}"}
    return {root.findtext("{*}infNFeSupl/{*}qrCode") or root[0].get("Id", "").removeprefix("NFe")}


def numbers_in(text: str) -> Counter[str]:
    """Counts each number of a text."""
    return Counter(_NUMBER.findall(text))


def without_spaces(text: str) -> str:
    return "".join(text.split())


def _longest_beginning(expected: str, text: str, place: int) -> int:
    """Returns how many leading characters of one text occur in another one after a position."""
    least, most = 0, len(expected)
    while least < most:
        middle = (least + most + 1) // 2
        least, most = (middle, most) if text.find(expected[:middle], place) >= 0 else (least, middle - 1)
    return least


def sheets_of(paper: Printed) -> list[str]:
    """Returns the text of each sheet, in one line."""
    return [" ".join(sheet.split()) for sheet in paper.drawn.removesuffix("\f").split("\f")]
