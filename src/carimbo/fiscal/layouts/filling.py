"""Fills groups of a layout with values of a body, and reports missing and unused values."""

import dataclasses
from collections.abc import Callable, Collection, Mapping
from decimal import Decimal
from functools import cache
from typing import Any, TypeVar

from pydantic.alias_generators import to_camel

from carimbo.fiscal.body.fields import Body
from carimbo.fiscal.layouts import canonical
from carimbo.fiscal.layouts.canonical import Unwritable
from carimbo.fiscal.problems import SCHEMA_PROBLEM, Incomplete, Problem

T = TypeVar("T")

Amounts = Callable[[Decimal], dict[str, Any]]
"""Computes the values of a group that depend on the value or base of an item."""

_SOURCE = "Leiaute do documento"

_NOTHING: frozenset[str] = frozenset()
# Amounts that are computed if these values are given.
_FOLLOWS = {
    "amount": frozenset({"rate", "quantity", "unit_rate"}),
    "credit_amount": frozenset({"credit_rate"}),
}
HOMOLOGATION_NAME = "NF-E EMITIDA EM AMBIENTE DE HOMOLOGACAO - SEM VALOR FISCAL"
"""Name of the buyer in NF-e and NFC-e (MOC 7.0, E04-20)."""
HOMOLOGATION_ITEM = "NOTA FISCAL EMITIDA EM AMBIENTE DE HOMOLOGACAO - SEM VALOR FISCAL"
"""Description of the first item of an NFC-e (MOC 7.0, I04-10)."""


@dataclasses.dataclass(frozen=True, slots=True)
class _Shape:
    names: frozenset[str]
    required: frozenset[str]
    order: tuple[str, ...]


@cache
def _cached_shape(group: Any) -> _Shape:
    fields = dataclasses.fields(group)
    names = tuple(field.name for field in fields)
    required = frozenset(field.name for field in fields if field.default is dataclasses.MISSING)
    return _Shape(frozenset(names), required, names)


def _shape(group: type) -> _Shape:
    any_group: Any = group
    return _cached_shape(any_group)


def given_values(body: Body | None) -> dict[str, Any]:
    """Returns the values that the caller gave, by the names of the fields."""
    if body is None:
        return {}
    return {name: value for name in body.model_fields_set if (value := getattr(body, name)) is not None}


def has_field(group: type, name: str) -> bool:
    """Returns whether a group has a field with this name."""
    return name in _shape(group).names


def require_fields(
    group: type,
    given: Mapping[str, Any],
    computed: Collection[str],
    path: str,
    situation: Callable[[], str],
) -> None:
    """Raises `Incomplete` if a required field is neither given nor computed, or a given one does not exist.

    `computed` has the names of the computed fields. `situation` names in messages the reason for requiring
    the fields.
    """
    shape = _shape(group)
    names = {*computed, *given}
    if shape.required <= names and given.keys() <= shape.names:
        return
    missing = [name for name in shape.order if name in shape.required and name not in names]
    missing = [name for name in missing if _FOLLOWS.get(name, _NOTHING).isdisjoint(missing)]
    named = situation()
    unused = sorted(given.keys() - shape.names)
    raise Incomplete(
        *(missing_value(f"{path}.{to_camel(name)}", named) for name in missing),
        *(
            Problem(SCHEMA_PROBLEM, f"{path}.{to_camel(name)}", f"Não se usa com {named}.", source=_SOURCE)
            for name in unused
        ),
    )


def missing_value(path: str, situation: str) -> Problem:
    """Returns the problem of a value that is required in a situation and missing."""
    hint = f"Informe {path}, que não pode ser calculado nem suposto."
    return Problem(SCHEMA_PROBLEM, path, f"Obrigatório com {situation}.", hint, _SOURCE)


def in_homologation(fixed: str, given: str | None, max_length: int, path: str) -> str:
    """Returns the fixed text of a field; raises `Incomplete` if the given text is invalid in production."""
    try:
        canonical.text(given or fixed, max_length)
    except Unwritable as reason:
        raise Incomplete(Problem(SCHEMA_PROBLEM, path, f"O campo {reason}.")) from None
    return fixed
