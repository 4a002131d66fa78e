"""Reads the nomenclature of goods (NCM) that Portal Único Siscomex publishes."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date
from typing import Annotated

from pydantic import AfterValidator, BaseModel, BeforeValidator, Field, StringConstraints, ValidationError

from carimbo.fiscal.tables.goods_codes import Ncm

_DAY = re.compile(r"([0-9]{2})/([0-9]{2})/([0-9]{4})")
_MARKUP = re.compile(r"</?[a-zA-Z][^<>]*>")
_MARK = b"\xef\xbb\xbf"
_HEADING, _ITEM = 4, 8
_NO_GOODS = "00000000"


class NomenclatureUnusable(Exception):
    """The file is not the official one; the message says why, in Portuguese."""


@dataclass(frozen=True, slots=True)
class Nomenclature:
    """The codes in force on a day, and the last act that changed them."""

    act: str
    date: date
    rows: tuple[Ncm, ...]


def _day(text: object) -> date:
    """Returns the day in a text; in that of the whole file "Vigente em" precedes it."""
    match = _DAY.search(str(text))
    if match is None:
        raise ValueError(text)
    day, month, year = map(int, match.groups())
    return date(year, month, day)


def _plain(text: str) -> str:
    # Descriptions have names of species in italics.
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


def read_nomenclature(content: bytes, previous: Mapping[str, Ncm]) -> Nomenclature:
    """Returns the codes of the official file; raises NomenclatureUnusable.

    The file lacks units, and the code of items that are no products: both come from the previous rows.
    """
    try:
        publication = _Publication.model_validate_json(content.removeprefix(_MARK))
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        if first["type"] == "json_invalid":
            raise NomenclatureUnusable("não é um JSON em UTF-8") from error
        place = " ".join(str(part + 1) if isinstance(part, int) else part for part in first["loc"])
        message = f"não tem a forma da tabela oficial: “{place}” falta ou não serve"
        raise NomenclatureUnusable(message) from error
    lines = _in_force(publication.lines, publication.day)
    rows = tuple(_row(line, lines, previous) for line in lines.values() if len(line.code) == _ITEM)
    is_missing = _NO_GOODS in previous and _NO_GOODS not in lines
    of_no_goods = (previous[_NO_GOODS],) if is_missing else ()
    return Nomenclature(publication.act, publication.day, of_no_goods + rows)


def _in_force(lines: Iterable[_Line], day: date) -> Mapping[str, _Line]:
    """Returns the lines in force by code, in order; if a code comes twice, the one that is in force first."""
    latest_first = sorted(lines, key=lambda line: line.since, reverse=True)
    by_code = {line.code: line for line in latest_first if line.until >= day}
    return dict(sorted(by_code.items()))


def _row(item: _Line, lines: Mapping[str, _Line], previous: Mapping[str, Ncm]) -> Ncm:
    above = (lines.get(item.code[:length]) for length in range(_HEADING, _ITEM))
    description = " ".join(line.text for line in (*above, item) if line)
    before = previous.get(item.code)
    until = item.until if item.until < date.max else None
    return Ncm(item.code, before.unit if before else None, description, item.since, until)
