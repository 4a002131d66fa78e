"""What of a document's XML belongs on its paper, and how it is written there: the tables beside this file."""

import csv
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from fnmatch import fnmatchcase
from functools import cache
from pathlib import Path
from typing import NamedTuple

from lxml import etree

from carimbo.fiscal.tables.payment_methods import PAYMENT_METHODS

SIGNATURE = "Signature"
ABSENT = "-"
NUMBERS = ("money", "quantity", "unit_value", "rate", "weight")

FREIGHT = {
    "0": "0 - Remetente (CIF)",
    "1": "1 - Destinatário (FOB)",
    "2": "2 - Terceiros",
    "3": "3 - Próprio, remetente",
    "4": "4 - Próprio, destinatário",
    "9": "9 - Sem transporte",
}
REGIMES = {
    "1": "1 - Simples Nacional",
    "2": "2 - Simples Nacional, excesso de sublimite de receita bruta",
    "3": "3 - Regime Normal",
    "4": "4 - Simples Nacional, Microempreendedor Individual (MEI)",
}


class Leaf(NamedTuple):
    """A value of a document, with the tags that lead to it."""

    path: str
    text: str
    holder: etree._Element
    """The group that it stands in."""

    def beside(self, tag: str) -> str | None:
        """What another element of the same group says."""
        return self.holder.findtext(f"{{*}}{tag}")


class Wanted(NamedTuple):
    """A value as it has to stand on paper."""

    path: str
    text: str
    title: str
    is_number: bool


@dataclass(frozen=True)
class Row:
    """A line of a table: a pattern of paths, and what becomes of their values in each layout."""

    path: str
    title: str
    cells: dict[str, str]
    reason: str


class Unlisted(AssertionError):
    """A path that no line of the table knows, or several do."""


class Table:
    """The values of one type of document."""

    def __init__(self, name: str) -> None:
        self.rows = tuple(_rows(Path(__file__).parent / f"{name}_values.csv"))

    @cache  # noqa: B019 - there are two tables, and they stay
    def row(self, path: str) -> Row:
        """The one line that knows a path."""
        found = [row for row in self.rows if fnmatchcase(path, row.path)]
        if len(found) != 1:
            raise Unlisted(f"{path} is known by {[row.path for row in found]}")
        return found[0]

    def wanted(self, leaf: Leaf, layout: str) -> Iterator[Wanted]:
        """What has to be on paper of a value."""
        row = self.row(leaf.path)
        form, _, condition = row.cells[layout].partition(" if ")
        if form == ABSENT or (condition and not _holds(condition, leaf)):
            return
        for name in form.split(" & "):
            yield Wanted(leaf.path, FORMS[name](leaf), row.title, name in NUMBERS)


def leaves_of(xml: bytes) -> Iterator[Leaf]:
    """Every value of a document but its signature, attributes too."""
    for part in etree.fromstring(xml):
        yield from _leaves(part, etree.QName(part).localname)


def _leaves(element: etree._Element, path: str) -> Iterator[Leaf]:
    if etree.QName(element).localname == SIGNATURE:
        return
    yield from (Leaf(f"{path}/@{name!s}", str(text), element) for name, text in element.items())
    holder = element.getparent()
    if len(element) == 0 and holder is not None:
        yield Leaf(path, element.text or "", holder)
    for inner in element:
        yield from _leaves(inner, f"{path}/{etree.QName(inner).localname}")


def _rows(file: Path) -> Iterator[Row]:
    with file.open(encoding="utf-8", newline="") as lines:
        for line in csv.DictReader(lines):
            path, title, reason = (line.pop(name) for name in ("path", "title", "reason"))
            yield Row(path, title, line, reason)


def _holds(condition: str, leaf: Leaf) -> bool:
    name, _, tag = condition.partition(" ")
    match name:
        case "nonzero":
            return Decimal(leaf.text) != 0
        case "unlike":
            return leaf.text != leaf.beside(tag)
        case "without":
            return leaf.holder.find(f"{{*}}{tag}") is None
        case "abroad":
            return leaf.beside("UF") == "EX"
    raise AssertionError(f"unknown condition {condition}")


def _number(text: str, least: int, most: int) -> str:
    """Points between thousands, a comma, and no zero beyond the least decimals."""
    whole, _, decimals = f"{Decimal(text):.{most}f}".partition(".")
    decimals = decimals.rstrip("0").ljust(least, "0")
    return f"{int(whole):,}".replace(",", ".") + (f",{decimals}" if decimals else "")


def _tax_id(digits: str) -> str:
    form = "##.###.###/####-##" if len(digits) == 14 else "###.###.###-##"
    return _punctuated(digits, form)


def _phone(digits: str) -> str:
    forms = {10: "(##) ####-####", 11: "(##) #####-####"}
    return _punctuated(digits, forms[len(digits)]) if len(digits) in forms else digits


def _punctuated(digits: str, form: str) -> str:
    rest = iter(digits)
    return "".join(next(rest) if place == "#" else place for place in form)


def _moment(text: str, form: str) -> str:
    return datetime.fromisoformat(text).strftime(form)


FORMS: dict[str, Callable[[Leaf], str]] = {
    "text": lambda leaf: leaf.text,
    "money": lambda leaf: _number(leaf.text, 2, 2),
    "quantity": lambda leaf: _number(leaf.text, 0, 4),
    "unit_value": lambda leaf: _number(leaf.text, 2, 10),
    "rate": lambda leaf: _number(leaf.text, 2, 4),
    "weight": lambda leaf: _number(leaf.text, 3, 3),
    "day": lambda leaf: date.fromisoformat(leaf.text[:10]).strftime("%d/%m/%Y"),
    "hour": lambda leaf: _moment(leaf.text, "%H:%M:%S"),
    "moment": lambda leaf: _moment(leaf.text, "%d/%m/%Y %H:%M:%S"),
    "tax_id": lambda leaf: _tax_id(leaf.text),
    "zipcode": lambda leaf: _punctuated(leaf.text, "#####-###"),
    "phone": lambda leaf: _phone(leaf.text),
    "key": lambda leaf: _punctuated(leaf.text.removeprefix("NFe"), " ".join(["####"] * 11)),
    "series": lambda leaf: leaf.text.zfill(3),
    "invoice_number": lambda leaf: _punctuated(leaf.text.zfill(9), "###.###.###"),
    "situation": lambda leaf: f"{leaf.beside('orig')}{leaf.text}",
    "freight": lambda leaf: FREIGHT[leaf.text],
    "regime": lambda leaf: REGIMES[leaf.text],
    "payment_method": lambda leaf: PAYMENT_METHODS[leaf.text].name,
}
