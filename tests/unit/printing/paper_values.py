"""The values of a document that must be printed, and their form: read from the CSV tables here."""

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

from carimbo.fiscal.tables.geography import MUNICIPALITIES
from carimbo.fiscal.tables.payment_methods import PAYMENT_METHODS
from carimbo.fiscal.tables.statuses import NFSE_STATUSES
from carimbo.printing.danfse import values as danfse_words
from unit.printing.manifest_words import MANIFEST_WORDS

SIGNATURE = "Signature"
ABSENT = "-"
NUMBERS = ("money", "quantity", "unit_value", "rate", "weight", "cargo_quantity", "cargo_weight", "count")

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

WAYBILL_WORDS = {
    "modes": {
        "01": "RODOVIÁRIO",
        "02": "AÉREO",
        "03": "AQUAVIÁRIO",
        "04": "FERROVIÁRIO",
        "05": "DUTOVIÁRIO",
        "06": "MULTIMODAL",
    },
    "tariff_classes": {"M": "MÍNIMA", "E": "ESPECÍFICA"},
    "dangerous_units": {"2": "kg brutos", "4": "TI"},
    "directions": {"N": "NORTE", "L": "LESTE"},
    "navigations": {"0": "INTERIOR", "1": "CABOTAGEM"},
    "traffics": {"0": "PRÓPRIO", "1": "MÚTUO"},
    "railway_roles": {"1": "FERROVIA DE ORIGEM", "2": "FERROVIA DE DESTINO"},
    "ducts": {"1": "GASODUTO"},
    "contracts": {"2": "CAPACIDADE DE SAÍDA"},
    "negotiable": {"0": "NÃO NEGOCIÁVEL", "1": "NEGOCIÁVEL"},
    "waybill_contingency": {"4": "EPEC", "5": "FS-DA", "6": "tipo 6", "7": "SVC-RS", "8": "SVC-SP"},
    "waybill_purposes": {"0": "NORMAL", "1": "COMPLEMENTO DE VALORES", "3": "SUBSTITUIÇÃO"},
    "waybill_services": {
        "0": "NORMAL",
        "1": "SUBCONTRATAÇÃO",
        "2": "REDESPACHO",
        "3": "REDESPACHO INTERMEDIÁRIO",
        "4": "SERVIÇO VINCULADO A MULTIMODAL",
        "6": "TRANSPORTE DE PESSOAS",
        "7": "TRANSPORTE DE VALORES",
        "8": "EXCESSO DE BAGAGEM",
    },
    "insurance_responsible": {"4": "EMITENTE", "5": "TOMADOR"},
    "owner_types": {"0": "TAC AGREGADO", "1": "TAC INDEPENDENTE", "2": "OUTROS"},
    "charters": {"1": "EVENTUAL", "2": "CONTÍNUO"},
    "gtve_components": {"1": "Custódia", "3": "Tempo de espera", "6": "Outros"},
    "takers": {"0": "REMETENTE", "1": "EXPEDIDOR", "2": "RECEBEDOR", "3": "DESTINATÁRIO", "4": "OUTROS"},
    "globalized": {"1": "SIM"},
    "picked_up": {"0": "Recebedor retira a carga no destino."},
    "on_dates": {"1": "EM", "2": "ATÉ", "3": "A PARTIR DE"},
    "at_times": {"1": "ÀS", "2": "ATÉ AS", "3": "A PARTIR DAS"},
    "without_date": {"0": "SEM DATA DEFINIDA"},
    "without_time": {"0": "SEM HORA DEFINIDA"},
    "icms_situations": {
        "00": "00 - TRIBUTAÇÃO NORMAL DO ICMS",
        "20": "20 - TRIBUTAÇÃO COM BC REDUZIDA DO ICMS",
        "40": "40 - ICMS ISENÇÃO",
        "41": "41 - ICMS NÃO TRIBUTADA",
        "51": "51 - ICMS DIFERIDO",
        "60": "60 - ICMS COBRADO POR SUBSTITUIÇÃO TRIBUTÁRIA",
        "90": "90 - ICMS OUTROS",
    },
    "other_state_situation": {"90": "90 - ICMS DEVIDO À UF DE ORIGEM DA PRESTAÇÃO"},
    "simples_situation": {"1": "SIMPLES NACIONAL"},
    "document_types": {"00": "DECLARAÇÃO", "59": "CF-e SAT", "65": "NFC-e", "99": "OUTROS"},
    "paper_types": {"08": "DTA (Despacho de Trânsito Aduaneiro)"},
    "transport_units": {"1": "Rodoviário tração"},
    "cargo_units": {"1": "Contêiner", "3": "Pallet"},
}


WORDS: dict[str, dict[str, str]] = {
    **WAYBILL_WORDS,
    **MANIFEST_WORDS,
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
    """A value of a document, with its path of tags."""

    path: str
    text: str
    holder: etree._Element
    """The group that contains it."""

    def beside(self, tag: str) -> str | None:
        """Returns the text of another element of the same group, or of a group beside it."""
        return self.holder.findtext("/".join(f"{{*}}{step}" for step in tag.split("/")))


class ExpectedText(NamedTuple):
    """A value in its printed form."""

    path: str
    text: str
    title: str
    is_number: bool


@dataclass(frozen=True)
class Row:
    """A line of a table: a pattern of paths, and the printed form of their values in each layout."""

    path: str
    title: str
    cells: dict[str, str]
    reason: str


class Unlisted(AssertionError):
    """A path that does not match exactly one line of the table."""


class Table:
    """The values of a document type."""

    def __init__(self, name: str) -> None:
        self.rows = tuple(_rows(Path(__file__).parent / f"{name}_values.csv"))

    @cache  # noqa: B019 - there are only a few tables
    def row(self, path: str) -> Row:
        """Returns the line whose pattern matches a path."""
        matching = [row for row in self.rows if fnmatchcase(path, row.path)]
        if len(matching) != 1:
            raise Unlisted(f"{path} matches {[row.path for row in matching]}")
        return matching[0]

    def expected(self, leaf: Leaf, layout: str) -> Iterator[ExpectedText]:
        """Yields the texts that must be printed for a value."""
        forms, conditions = self._cell(leaf.path, layout)
        if forms and all(_holds(condition, leaf) for condition in conditions):
            title = self.row(leaf.path).title
            for name in forms:
                yield ExpectedText(leaf.path, FORMS[name](leaf), title, name in NUMBERS)

    @cache  # noqa: B019 - see above
    def _cell(self, path: str, layout: str) -> tuple[list[str], list[str]]:
        """Returns the forms of a value, none if it is absent, and the conditions under which it has them."""
        forms, _, conditions = self.row(path).cells[layout].partition(" if ")
        names = [] if forms == ABSENT else forms.split(" & ")
        return names, conditions.split(" and ") if conditions else []


def leaves_of(xml: bytes) -> Iterator[Leaf]:
    """Yields every value of a document except its signature, with attributes, in document order."""
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
    """Returns a text of the declaration inside an NFS-e."""
    return _issued(leaf, f"DPS/infDPS/{path}")


def _issued(leaf: Leaf, path: str) -> str | None:
    """Returns a text of an NFS-e."""
    steps = "/".join(f"{{*}}{tag}" for tag in f"infNFSe/{path}".split("/"))
    return leaf.holder.getroottree().findtext(steps)


def _number(text: str, least: int, most: int) -> str:
    """Formats a number in Brazilian notation, with trailing zeros only up to the least decimals."""
    whole, _, decimals = f"{Decimal(text):.{most}f}".partition(".")
    decimals = decimals.rstrip("0").ljust(least, "0")
    return f"{int(whole):,}".replace(",", ".") + (f",{decimals}" if decimals else "")


def _tax_id(digits: str) -> str:
    form = "##.###.###/####-##" if len(digits) == 14 else "###.###.###-##"
    return _punctuated(digits, form)


def _cargo_quantity(leaf: Leaf) -> str:
    """Returns a quantity: tons in kilograms, pieces without decimals."""
    unit, quantity = leaf.beside("cUnid"), Decimal(leaf.text)
    return _number(str(quantity * 1000 if unit == "02" else quantity), 0 if unit == "03" else 3, 4)


def _issuer_of_key(key: str) -> str:
    return _tax_id(key[9:20] if "920" <= key[22:25] <= "969" else key[6:20])


def _phone(digits: str) -> str:
    forms = {10: "(##) ####-####", 11: "(##) #####-####"}
    return _punctuated(digits, forms[len(digits)]) if len(digits) in forms else digits


def _is_abroad(leaf: Leaf) -> bool:
    """Tells whether a party has no Brazilian tax id or a foreign address."""
    has_tax_id = leaf.beside("CNPJ") or leaf.beside("CPF")
    return not has_tax_id or leaf.beside("end/endExt/xCidade") is not None


def _punctuated(digits: str, form: str) -> str:
    rest = iter(digits)
    return "".join(next(rest) if place == "#" else place for place in form)


def _worded(words: dict[str, str], leaf: Leaf) -> str:
    """Returns the words of a code; codes of later layouts are printed as they are."""
    return words.get(leaf.text, leaf.text)


def _moment(text: str, form: str) -> str:
    return datetime.fromisoformat(text).strftime(form)


CONDITIONS: dict[str, Callable[..., bool]] = {
    "filled": lambda leaf: bool(leaf.text),
    "equal": lambda leaf, code: leaf.text == code,
    "unequal": lambda leaf, code: leaf.text != code,
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
    "key": lambda leaf: _punctuated(
        leaf.text.removeprefix("NFe").removeprefix("CTe").removeprefix("MDFe"), " ".join(["####"] * 11)
    ),
    "second_barcode": lambda leaf: _punctuated(leaf.text, " ".join(["####"] * 9)),
    "series": lambda leaf: leaf.text.zfill(3),
    "invoice_number": lambda leaf: _punctuated(leaf.text.zfill(9), "###.###.###"),
    "issuer_of_key": lambda leaf: _issuer_of_key(leaf.text),
    "number_of_key": lambda leaf: f"{leaf.text[22:25]}/{_punctuated(leaf.text[25:34], '###.###.###')}",
    "cargo_quantity": _cargo_quantity,
    "cargo_weight": lambda leaf: _number(leaf.text, 3, 4),
    "count": lambda leaf: _number(leaf.text, 0, 0),
    "after_city": lambda leaf: f"{leaf.beside('xMun')} - {leaf.text}",
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
