"""Documents on paper: each example of the repository in each layout, and what a reader finds there."""

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cache, cached_property, lru_cache
from typing import NamedTuple

from golden import FOLDER
from lxml import etree

from carimbo.fiscal.printout import DocumentPrint, Paper
from carimbo.printing.press import Press
from pdf_reading import DrawnCode, columns_of, drawn_codes_of, lines_of
from unit.printing.issued_notes import issued
from unit.printing.paper_values import Leaf, Table, Wanted, leaves_of

PRESS = Press()
DANFE, RECEIPT, DANFSE = Table("danfe"), Table("receipt"), Table("danfse")
_NUMBER = re.compile(r"\d(?:[\d.,]*\d)?")
# A text that is shorter stays on one sheet, and less of it tells nothing.
_MAY_BE_SPLIT, _LEAST_PIECE = 40, 8


class Layout(NamedTuple):
    """A way to print a type of document."""

    name: str
    type: str
    paper: Paper
    table: Table
    column: str
    """Of the table."""
    issued_at: bytes | None = None
    """When a document has to be issued for it to be printed this way; None for when the examples are."""

    def dated(self, xml: bytes) -> bytes:
        """The document as if it had been issued while the layout was in force."""
        told = self.issued_at and b"<dhEmi>%b</dhEmi>" % self.issued_at
        return re.sub(rb"<dhEmi>[^<]+</dhEmi>", told, xml) if told else xml

    def wanted(self, leaf: Leaf) -> tuple[Wanted, ...]:
        """Returns everything of a value that belongs on paper."""
        return tuple(self.table.wanted(leaf, self.column))


MOC = Layout("MOC 7.0", "nfe", Paper.A4, DANFE, "moc")
NT = Layout("NT 2026.010", "nfe", Paper.A4, DANFE, "nt", b"2026-12-02T10:00:00-03:00")
ROLL_80 = Layout("80 mm", "nfce", Paper.ROLL_80, RECEIPT, "receipt")
ROLL_58 = Layout("58 mm", "nfce", Paper.ROLL_58, RECEIPT, "receipt")
V2 = Layout("DANFSe v2.0", "nfse", Paper.A4, DANFSE, "danfse")
LAYOUTS = (MOC, NT, ROLL_80, ROLL_58, V2)

_FILES = {
    kind: {file.stem: file for file in (FOLDER / kind).glob("*.xml")} for kind in ("nfe", "nfce", "nfse")
}
NAMES = {kind: sorted(files) for kind, files in _FILES.items()}
SCANNED = {
    "nfe": ("minimal", "letters", "letters-normal", "fifty-items"),
    "nfce": ("cash", "letters", "december-offline", "offline-qr2", "offline-qr3", "pix-qr3"),
    "nfse": ("minimal", "letters"),
}
"""Examples whose codes are read from paper, of each type: codes of every size, on one page and on several."""
LETTERS = {"nfe": "letters", "nfce": "letters", "nfse": "letters"}
"""Of each type an example whose issuer has letters in its CNPJ."""


@cache
def example(kind: str, name: str) -> bytes:
    """The signed XML of an example; of a service the note that the authority makes of it."""
    xml = _FILES[kind][name].read_bytes()
    return issued(xml) if kind == "nfse" else xml


def in_production(xml: bytes) -> bytes:
    """The document as if it had fiscal value, so that no mark lies under its texts."""
    return xml.replace(b"<tpAmb>2<", b"<tpAmb>1<")


@dataclass(frozen=True)
class Printed:
    """A document on paper."""

    layout: Layout
    xml: bytes = field(repr=False)
    pdf: bytes = field(repr=False)

    @cached_property
    def values(self) -> tuple[tuple[Leaf, tuple[Wanted, ...]], ...]:
        """Every value of the document, with what of it belongs on paper."""
        return tuple((leaf, self.layout.wanted(leaf)) for leaf in leaves_of(self.xml))

    @cached_property
    def wanted(self) -> tuple[Wanted, ...]:
        """Everything of the document that belongs on paper."""
        return tuple(one for _, wanted in self.values for one in wanted)

    @cached_property
    def drawn(self) -> str:
        """The text in the order in which it was drawn; each page ends with a form feed."""
        return lines_of(self.pdf)

    @cached_property
    def pages(self) -> int:
        """How many pages it takes."""
        return self.drawn.count("\f")

    @cached_property
    def codes(self) -> list[DrawnCode]:
        """The codes as they are drawn."""
        return drawn_codes_of(self.pdf)

    @cached_property
    def numbers(self) -> Counter[str]:
        """How often each number is on paper."""
        return numbers_in(self.drawn)

    def lacks(self, wanted: Iterable[Wanted]) -> list[str]:
        """What should be on paper, beside its title if it has one, and is not."""
        return [f"{one.path}: {one.title} {one.text}" for one in wanted if not self._holds(one)]

    def _holds(self, wanted: Wanted) -> bool:
        """Searches without white space, as a text may be broken anywhere: as drawn, then by columns."""
        told = without_spaces(wanted.title + wanted.text)
        return (
            told in self._drawn_text
            or self._is_split(told, self._drawn_text)
            or told in self._text_by_columns
            or self._is_split(told, self._text_by_columns)
        )

    @cached_property
    def _drawn_text(self) -> str:
        return without_spaces(self.drawn)

    @cached_property
    def _text_by_columns(self) -> str:
        return without_spaces(columns_of(self.pdf))

    def _is_split(self, told: str, text: str) -> bool:
        """Whether a long text goes on from sheet to sheet, with what all of them begin with in between."""
        place, rest = 0, told
        for _ in range(self.pages if len(told) > _MAY_BE_SPLIT else 0):
            length = _longest_beginning(rest, text, place)
            if length < min(len(rest), _LEAST_PIECE):
                return False
            place, rest = text.find(rest[:length], place) + length, rest[length:]
        return not rest


def printed(layout: Layout, xml: bytes, *, is_canceled: bool = False, logo: bytes | None = None) -> Printed:
    """Print a document in a layout."""
    dated = layout.dated(xml)
    order = DocumentPrint(layout.type, dated, layout.paper, is_canceled, logo=logo)
    return Printed(layout, dated, PRESS.document(order))


@lru_cache(16)
def printed_example(layout: Layout, name: str) -> Printed:
    """Returns an example on paper; the papers that were asked for last are kept.

    All of them would be so many objects that collecting garbage would take longer than printing.
    """
    return printed(layout, example(layout.type, name))


def codes_told_in(xml: bytes) -> set[str]:
    """What the codes of a document have to say: the address if it has one, else the key."""
    root = etree.fromstring(xml)
    if service_key := root[0].get("Id", "").partition("NFS")[2]:
        host = {"1": "www.nfse.gov.br", "2": "www.producaorestrita.nfse.gov.br"}[
            root.findtext(".//{*}tpAmb", "")
        ]
        return {f"https://{host}/ConsultaPublica/?tpc=1&chave={service_key}"}
    return {root.findtext("{*}infNFeSupl/{*}qrCode") or root[0].get("Id", "").removeprefix("NFe")}


def numbers_in(text: str) -> Counter[str]:
    """How often each number is in a text."""
    return Counter(_NUMBER.findall(text))


def without_spaces(text: str) -> str:
    """The text without white space."""
    return "".join(text.split())


def _longest_beginning(told: str, text: str, place: int) -> int:
    """How much of a text is found in another one after a place."""
    least, most = 0, len(told)
    while least < most:
        middle = (least + most + 1) // 2
        least, most = (middle, most) if text.find(told[:middle], place) >= 0 else (least, middle - 1)
    return least
