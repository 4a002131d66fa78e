"""Which fields the correction letter of a transport document may correct (MOC CT-e 4.00, N; NT 2024.001)."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from carimbo.fiscal.layouts.cte_v4.events import CorrectedField
from carimbo.fiscal.layouts.json_form import groups_in
from carimbo.fiscal.layouts.layout import layout_of
from carimbo.fiscal.problems import Problem
from carimbo.fiscal.transport.hints import hinted_problem

_KEY_FIELDS = frozenset({"cUF", "cCT", "mod", "serie", "nCT", "tpEmis", "cDV", "tpAmb", "dhEmi", "modal"})
TAX_IDS = frozenset({"CNPJ", "CPF", "IE"})
FORBIDDEN_FIELDS: Mapping[str, frozenset[str]] = {
    "infCte": frozenset({"versao", "Id"}),
    "ide": _KEY_FIELDS | {"CFOP", "cMunIni", "UFIni", "indIEToma"},
    "enderToma": frozenset({"UF"}),
    "emit": frozenset({"CNPJ", "IE", "CRT"}),
    "enderEmit": frozenset({"UF"}),
    "vPrest": frozenset({"vTPrest", "vTPrestLiq", "vRec"}),
    "Comp": frozenset({"vComp"}),
    "imp": frozenset({"vTotDFe"}),
    "infCteSub": frozenset({"chCte"}),
    "infCteComp": frozenset({"chCTe"}),
}
"""Fields that no letter of any model corrects, by group; those of ICMS, IBS and CBS are forbidden too."""
_ICMS = "ICMS"
_SOURCE = "MOC CT-e 4.00, carta de correção"


class _Group(NamedTuple):
    """The groups with a tag: the names of their fields, and whether one of them may occur several times."""

    fields: frozenset[str]
    is_repeated: bool


@dataclass(frozen=True)
class CorrectableFields:
    """The fields of a model, and those that a letter may correct."""

    title: str
    """The usual name of the documents, as `CT-e`."""
    layout: type
    """The record of the whole document."""
    tax_layout: type
    """The record of IBS and CBS in it."""
    forbidden: Mapping[str, frozenset[str]]
    """Fields that a letter can't correct, by group."""

    def problems(self, corrections: Sequence[CorrectedField]) -> Iterator[Problem]:
        """Yields the problems of all fields that a letter can't correct."""
        for position, correction in enumerate(corrections):
            path, named = f"corrections[{position}]", f"{correction.group}/{correction.field}"
            group = self._groups.get(correction.group)
            if group is None:
                message = f"O leiaute do {self.title} não tem o grupo {correction.group}."
                yield hinted_problem("525", f"{path}.group", message, _SOURCE)
            elif correction.field not in group.fields:
                yield hinted_problem(
                    "525", f"{path}.field", f"O leiaute do {self.title} não tem o campo {named}.", _SOURCE
                )
            elif self._is_forbidden(correction):
                yield hinted_problem(
                    "681", f"{path}.field", f"O campo {named} não pode ser corrigido por carta.", _SOURCE
                )
            elif correction.item_number is not None and not group.is_repeated:
                message = f"O grupo {correction.group} não se repete."
                yield Problem("522", f"{path}.itemNumber", message, "Retire itemNumber.", _SOURCE)

    def _is_forbidden(self, correction: CorrectedField) -> bool:
        """Returns whether a field decides on tax, parties or identity (Convênio SINIEF 06/89, art. 58-B)."""
        group = correction.group
        is_of_tax = group.startswith(_ICMS) or group in self._groups_of_ibs_cbs
        return is_of_tax or correction.field in self.forbidden.get(group, ())

    @cached_property
    def _groups(self) -> Mapping[str, _Group]:
        """All groups of the layout by their tags; names are those of the XSD, and groups may share one."""
        groups: dict[str, _Group] = {}
        for tag, group in _groups_below(self.layout, layout_of(self.layout).tag, is_repeated=False):
            other = groups.get(tag, group)
            groups[tag] = _Group(group.fields | other.fields, group.is_repeated or other.is_repeated)
        return groups

    @cached_property
    def _groups_of_ibs_cbs(self) -> frozenset[str]:
        tag = layout_of(self.tax_layout).tag
        return frozenset(name for name, _ in _groups_below(self.tax_layout, tag, is_repeated=False))


def _groups_below(record: type, tag: str, *, is_repeated: bool) -> Iterator[tuple[str, _Group]]:
    elements = layout_of(record).elements
    inner = groups_in(record)
    fields = (element.tag for name, element in elements.items() if element.tag and not inner[name])
    yield tag, _Group(frozenset(fields), is_repeated)
    for name, element in elements.items():
        for group in inner[name]:
            inner_tag = layout_of(group).tag if element.kind == "variant" else element.tag
            yield from _groups_below(group, inner_tag, is_repeated=element.kind == "children")
