"""The nomenclature of goods (NCM) as Portal Único Siscomex publishes it, made into rows of our table."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date
from typing import Annotated

from pydantic import AfterValidator, BaseModel, BeforeValidator, Field, StringConstraints, ValidationError
from pydantic_core import ErrorDetails

from carimbo.fiscal.tables.ncm import Ncm

_DAY = re.compile(r"([0-9]{2})/([0-9]{2})/([0-9]{4})")
_MARKUP = re.compile(r"</?[a-zA-Z][^<>]*>")
_MARK = b"\xef\xbb\xbf"
_HEADING, _ITEM = 4, 8
_NO_GOODS = "00000000"


class NomenclatureUnusable(Exception):
    """A file that is not the official one; the message says why, in Portuguese."""


@dataclass(frozen=True, slots=True)
class Nomenclature:
    """The codes in force on a day, and the act that changed them last."""

    act: str
    date: date
    rows: tuple[Ncm, ...]


def _day(text: object) -> date:
    """The day that a text tells; that of the whole file says "Vigente em" before it."""
    found = _DAY.search(str(text))
    if found is None:
        raise ValueError(text)
    day, month, year = map(int, found.groups())
    return date(year, month, day)


def _plain(text: str) -> str:
    """Descriptions have names of species in italics."""
    return " ".join(_MARKUP.sub("", text).split())


_Day = Annotated[date, BeforeValidator(_day)]
_Text = Annotated[str, AfterValidator(_plain), StringConstraints(pattern=r"^[^\x00-\x1f\x7f]+$")]


class _Line(BaseModel):
    """A chapter, heading, subheading or item."""

    code: Annotated[
        str, AfterValidator(lambda code: code.replace(".", "")), StringConstraints(pattern="^[0-9]{2,8}$")
    ] = Field(alias="Codigo")
    text: _Text = Field(alias="Descricao")
    since: _Day = Field(alias="Data_Inicio")
    until: _Day = Field(alias="Data_Fim")


class _Publication(BaseModel):
    day: _Day = Field(alias="Data_Ultima_Atualizacao_NCM")
    act: _Text = Field(alias="Ato")
    lines: list[_Line] = Field(alias="Nomenclaturas")


def read_nomenclature(content: bytes, known: Mapping[str, Ncm]) -> Nomenclature:
    """Read the official file, or raise NomenclatureUnusable.

    It knows no units, and not the code of what is no good: these are taken over from the rows that are known.
    """
    try:
        publication = _Publication.model_validate_json(content.removeprefix(_MARK))
    except ValidationError as error:
        raise NomenclatureUnusable(_told(error.errors(include_url=False)[0])) from error
    lines = _in_force(publication.lines, publication.day)
    rows = tuple(_row(line, lines, known) for line in lines.values() if len(line.code) == _ITEM)
    of_no_goods = (known[_NO_GOODS],) if _NO_GOODS in known and _NO_GOODS not in lines else ()
    return Nomenclature(publication.act, publication.day, of_no_goods + rows)


def _in_force(lines: Iterable[_Line], day: date) -> Mapping[str, _Line]:
    """By code and in its order; of a code that comes twice, as its text changes, what is first in force."""
    latest_first = sorted(lines, key=lambda line: line.since, reverse=True)
    by_code = {line.code: line for line in latest_first if line.until >= day}
    return dict(sorted(by_code.items()))


def _row(item: _Line, lines: Mapping[str, _Line], known: Mapping[str, Ncm]) -> Ncm:
    above = (lines.get(item.code[:length]) for length in range(_HEADING, _ITEM))
    description = " ".join(line.text for line in (*above, item) if line)
    before = known.get(item.code)
    until = item.until if item.until < date.max else None
    return Ncm(item.code, before.unit if before else None, description, item.since, until)


def _told(error: ErrorDetails) -> str:
    if error["type"] == "json_invalid":
        return "não é um JSON em UTF-8"
    places = [str(part + 1) if isinstance(part, int) else part for part in error["loc"]]
    return f"não tem a forma da tabela oficial: “{' '.join(places)}” falta ou não serve"
