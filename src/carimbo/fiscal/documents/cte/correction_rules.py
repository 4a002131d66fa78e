"""Rules of the correction letter of a CT-e: which fields it may correct (MOC CT-e 4.00, N; NT 2024.001)."""

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import NamedTuple

from carimbo.fiscal.layouts.cte_v4.events import CorrectedField
from carimbo.fiscal.layouts.cte_v4.taxes import FreightIbsCbs
from carimbo.fiscal.layouts.cte_v4.waybill import Waybill
from carimbo.fiscal.layouts.json_form import groups_in
from carimbo.fiscal.layouts.layout import layout_of
from carimbo.fiscal.problems import Problem
from carimbo.fiscal.transport.hints import hint_of

_KEY_FIELDS = frozenset({"cUF", "cCT", "mod", "serie", "nCT", "tpEmis", "cDV", "tpAmb", "dhEmi", "modal"})
_TAX_IDS = frozenset({"CNPJ", "CPF", "IE"})
# By group; all fields of the groups of ICMS, IBS and CBS are forbidden too.
_FORBIDDEN: Mapping[str, frozenset[str]] = {
    "infCte": frozenset({"versao", "Id"}),
    "ide": _KEY_FIELDS | {"CFOP", "cMunIni", "UFIni", "indIEToma"},
    "toma3": frozenset({"toma"}),
    "toma4": _TAX_IDS | {"toma"},
    "enderToma": frozenset({"UF"}),
    "emit": frozenset({"CNPJ", "IE", "CRT"}),
    "enderEmit": frozenset({"UF"}),
    "rem": _TAX_IDS,
    "dest": _TAX_IDS,
    "enderReme": frozenset({"UF"}),
    "enderDest": frozenset({"UF"}),
    "vPrest": frozenset({"vTPrest", "vTPrestLiq", "vRec"}),
    "Comp": frozenset({"vComp"}),
    "imp": frozenset({"vTotDFe"}),
    "infNFe": frozenset({"chave"}),
    "infCteSub": frozenset({"chCte"}),
    "infCteComp": frozenset({"chCTe"}),
}
_ICMS = "ICMS"
_SOURCE = "MOC CT-e 4.00, carta de correção"


class _Group(NamedTuple):
    """A group of the layout: the names of its fields, and whether it may occur several times."""

    fields: frozenset[str]
    is_repeated: bool


def correction_problems(corrections: Sequence[CorrectedField]) -> Iterator[Problem]:
    """Yields the problems of all fields that a letter can't correct."""
    for position, correction in enumerate(corrections):
        path, named = f"corrections[{position}]", f"{correction.group}/{correction.field}"
        group = _groups().get(correction.group)
        if group is None:
            yield _problem("525", f"{path}.group", f"O leiaute do CT-e não tem o grupo {correction.group}.")
        elif correction.field not in group.fields:
            yield _problem("525", f"{path}.field", f"O leiaute do CT-e não tem o campo {named}.")
        elif _is_forbidden(correction):
            yield _problem("681", f"{path}.field", f"O campo {named} não pode ser corrigido por carta.")
        elif correction.item_number is not None and not group.is_repeated:
            message = f"O grupo {correction.group} não se repete: não informe itemNumber."
            yield _problem("522", f"{path}.itemNumber", message)


def _is_forbidden(correction: CorrectedField) -> bool:
    """Returns whether a field decides on tax, parties or identity (Convênio SINIEF 06/89, art. 58-B)."""
    group = correction.group
    is_of_tax = group.startswith(_ICMS) or group in _groups_of_ibs_cbs()
    return is_of_tax or correction.field in _FORBIDDEN.get(group, ())


def _problem(code: str, path: str, message: str) -> Problem:
    return Problem(code, path, message, hint_of(code), _SOURCE)


@cache
def _groups() -> Mapping[str, _Group]:
    """Returns all groups of the layout by their tags; names are those of the XSD."""
    return dict(_groups_below(Waybill, layout_of(Waybill).tag, is_repeated=False))


@cache
def _groups_of_ibs_cbs() -> frozenset[str]:
    tag = layout_of(FreightIbsCbs).tag
    return frozenset(name for name, _ in _groups_below(FreightIbsCbs, tag, is_repeated=False))


def _groups_below(record: type, tag: str, *, is_repeated: bool) -> Iterator[tuple[str, _Group]]:
    elements = layout_of(record).elements
    inner = groups_in(record)
    fields = (element.tag for name, element in elements.items() if element.tag and not inner[name])
    yield tag, _Group(frozenset(fields), is_repeated)
    for name, element in elements.items():
        for group in inner[name]:
            inner_tag = layout_of(group).tag if element.kind == "variant" else element.tag
            yield from _groups_below(group, inner_tag, is_repeated=element.kind == "children")
