"""What of a document's XML belongs on its paper, and how it is written there: the tables beside this file."""

import csv
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from fnmatch import fnmatchcase
from functools import cache, partial
from pathlib import Path
from typing import NamedTuple

from lxml import etree

from carimbo.fiscal.tables.municipalities import MUNICIPALITIES
from carimbo.fiscal.tables.payment_methods import PAYMENT_METHODS
from carimbo.fiscal.tables.statuses import NFSE_STATUSES
from carimbo.printing.danfse import words as danfse_words

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


WORDS: dict[str, dict[str, str]] = {
    "issuers": danfse_words.ISSUERS,
    "statuses": {code: status.text for code, status in NFSE_STATUSES.items()},
    "purposes": danfse_words.PURPOSES,
    "simples": danfse_words.SIMPLES,
    "simples_assessments": danfse_words.SIMPLES_ASSESSMENTS,
    "special_regimes": danfse_words.SPECIAL_REGIMES,
    "taxations": danfse_words.TAXATIONS,
    "immunities": danfse_words.IMMUNITIES,
    "suspensions": danfse_words.SUSPENSIONS,
    "benefits": danfse_words.BENEFITS,
    "withholders": danfse_words.WITHHOLDERS,
    "federal_withholdings": danfse_words.FEDERAL_WITHHOLDINGS,
    "no_foreign_id": danfse_words.NO_FOREIGN_ID,
}


class Leaf(NamedTuple):
    """A value of a document, with the tags that lead to it."""

    path: str
    text: str
    holder: etree._Element
    """The group that it stands in."""

    def beside(self, tag: str) -> str | None:
        """What another element of the same group says, or one within a group beside it."""
        return self.holder.findtext("/".join(f"{{*}}{step}" for step in tag.split("/")))


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

    @cache  # noqa: B019 - there are three tables, and they stay
    def row(self, path: str) -> Row:
        """The one line that knows a path."""
        found = [row for row in self.rows if fnmatchcase(path, row.path)]
        if len(found) != 1:
            raise Unlisted(f"{path} is known by {[row.path for row in found]}")
        return found[0]

    def wanted(self, leaf: Leaf, layout: str) -> Iterator[Wanted]:
        """What has to be on paper of a value."""
        forms, conditions = self._cell(leaf.path, layout)
        if forms and all(_holds(one, leaf) for one in conditions):
            title = self.row(leaf.path).title
            for name in forms:
                yield Wanted(leaf.path, FORMS[name](leaf), title, name in NUMBERS)

    @cache  # noqa: B019 - see above
    def _cell(self, path: str, layout: str) -> tuple[list[str], list[str]]:
        """Returns the forms of a value, none if it is absent, and the conditions under which it has them."""
        forms, _, conditions = self.row(path).cells[layout].partition(" if ")
        names = [] if forms == ABSENT else forms.split(" & ")
        return names, conditions.split(" and ") if conditions else []


def leaves_of(xml: bytes) -> Iterator[Leaf]:
    """Yields every value of a document but its signature, attributes too, in the order of the document."""
    waiting = [(part, _local_name(part.tag)) for part in reversed(etree.fromstring(xml))]
    while waiting:
        element, path = waiting.pop()
        if path.endswith(SIGNATURE):
            continue
        yield from (Leaf(f"{path}/@{name!s}", str(text), element) for name, text in element.items())
        if len(element):
            waiting += [(inner, f"{path}/{_local_name(inner.tag)}") for inner in reversed(element)]
        elif (holder := element.getparent()) is not None:
            yield Leaf(path, element.text or "", holder)


@cache
def _local_name(tag: str) -> str:
    return tag.rpartition("}")[2]


def _rows(file: Path) -> Iterator[Row]:
    with file.open(encoding="utf-8", newline="") as lines:
        for line in csv.DictReader(lines):
            path, title, reason = (line.pop(name) for name in ("path", "title", "reason"))
            yield Row(path, title, line, reason)


def _holds(condition: str, leaf: Leaf) -> bool:
    name, *arguments = condition.split()
    return CONDITIONS[name](leaf, *arguments)


def _declared(leaf: Leaf, path: str) -> str | None:
    """What the declaration inside of a service note says."""
    return _issued(leaf, f"DPS/infDPS/{path}")


def _issued(leaf: Leaf, path: str) -> str | None:
    """What a service note says."""
    steps = "/".join(f"{{*}}{tag}" for tag in f"infNFSe/{path}".split("/"))
    return leaf.holder.getroottree().findtext(steps)


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


def _is_abroad(leaf: Leaf) -> bool:
    """Whether somebody has no tax id of Brazil, or lives elsewhere."""
    is_known = leaf.beside("CNPJ") or leaf.beside("CPF")
    return not is_known or leaf.beside("end/endExt/xCidade") is not None


def _punctuated(digits: str, form: str) -> str:
    rest = iter(digits)
    return "".join(next(rest) if place == "#" else place for place in form)


def _worded(words: dict[str, str], leaf: Leaf) -> str:
    """A code of a later layout stands on paper as it is."""
    return words.get(leaf.text, leaf.text)


def _moment(text: str, form: str) -> str:
    return datetime.fromisoformat(text).strftime(form)


CONDITIONS: dict[str, Callable[..., bool]] = {
    "nonzero": lambda leaf: Decimal(leaf.text) != 0,
    "unlike": lambda leaf, tag: leaf.text != leaf.beside(tag),
    "without": lambda leaf, tag: leaf.beside(tag) is None,
    "abroad": lambda leaf: leaf.beside("UF") == "EX",
    "other": lambda leaf, tag, code: leaf.beside(tag) != code,
    "undeclared": lambda leaf, tag: _declared(leaf, f"prest/{tag}") is None,
    "listed": lambda leaf: not (_declared(leaf, "serv/cServ/cTribNac") or "").startswith("99"),
    "taxed": lambda leaf: _declared(leaf, "valores/trib/tribMun/tribISSQN") != "4",
}
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
    "party_phone": lambda leaf: leaf.text if _is_abroad(leaf) else _phone(leaf.text),
    "key": lambda leaf: _punctuated(leaf.text.removeprefix("NFe"), " ".join(["####"] * 11)),
    "series": lambda leaf: leaf.text.zfill(3),
    "invoice_number": lambda leaf: _punctuated(leaf.text.zfill(9), "###.###.###"),
    "situation": lambda leaf: f"{leaf.beside('orig')}{leaf.text}",
    "freight": lambda leaf: FREIGHT[leaf.text],
    "regime": lambda leaf: REGIMES[leaf.text],
    "payment_method": lambda leaf: PAYMENT_METHODS[leaf.text].name,
    "service_key": lambda leaf: leaf.text.removeprefix("NFS"),
    "city": lambda leaf: f"{MUNICIPALITIES[leaf.text].name} / {MUNICIPALITIES[leaf.text].state}",
    "state": lambda leaf: f"/ {MUNICIPALITIES[leaf.text].state} / BR",
    "country": lambda leaf: f" / {leaf.text}",
    "incidence": lambda leaf: f"{leaf.beside('xLocIncid')} / {MUNICIPALITIES[leaf.text].state} / ",
    "reform_incidence": lambda leaf: (
        f"{leaf.text} / {MUNICIPALITIES[leaf.beside('cLocalidadeIncid') or ''].state}"
    ),
    "issue_place": lambda leaf: f"{_issued(leaf, 'xLocEmi')} / {leaf.text}",
    "place_abroad": lambda leaf: f"{leaf.beside('xCidade')} / {leaf.beside('xEstProvReg')} / {leaf.text}",
    "code_and_zipcode": lambda leaf: f"{leaf.beside('cMun')} / {_punctuated(leaf.text, '##.###-###')}",
    "service_code": lambda leaf: _punctuated(leaf.text, "##.##.##"),
    "city_service_code": lambda leaf: (
        f"{_punctuated(leaf.beside('cTribNac') or '', '##.##.##')} / {leaf.text}"
    ),
    "nbs": lambda leaf: _punctuated(leaf.text, "#.####.##.##"),
    "situation_and_class": lambda leaf: f"{leaf.beside('CST')} / {leaf.text}",
    **{name: partial(_worded, words) for name, words in WORDS.items()},
}
