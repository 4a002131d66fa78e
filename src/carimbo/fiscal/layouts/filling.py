"""Fills a group of a layout from a flat body, and finds what the body lacks or has too much of."""

import dataclasses
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any, TypeVar

from pydantic.alias_generators import to_camel

from carimbo.fiscal.fields import Body
from carimbo.fiscal.findings import Incomplete
from carimbo.fiscal.layouts.records import made
from carimbo.fiscal.problems import SCHEMA_PROBLEM, Problem

T = TypeVar("T")

_SOURCE = "Leiaute do documento"


@dataclasses.dataclass(frozen=True, slots=True)
class _Shape:
    names: frozenset[str]
    required: frozenset[str]
    order: tuple[str, ...]


@cache
def _shape_of(group: Any) -> _Shape:
    fields = dataclasses.fields(group)
    names = tuple(field.name for field in fields)
    required = frozenset(field.name for field in fields if field.default is dataclasses.MISSING)
    return _Shape(frozenset(names), required, names)


def _shape(group: type) -> _Shape:
    kind: Any = group
    return _shape_of(kind)


def given_values(body: Body | None) -> dict[str, Any]:
    """Returns what the caller gave, by the names of the fields."""
    if body is None:
        return {}
    return {name: value for name in body.model_fields_set if (value := getattr(body, name)) is not None}


def has_place_for(group: type, name: str) -> bool:
    """Returns whether a group has a field of this name."""
    return name in _shape(group).names


def fill(
    group: type[T],
    given: Mapping[str, Any],
    path: str,
    situation: Callable[[], str],
    computed: Mapping[str, Any],
) -> T:
    """Makes a group of computed values, where the caller's own win.

    Raises `Incomplete` if a required value is missing, or one is given that the group has no place for;
    `situation` names in messages what asks for the values.
    """
    shape = _shape(group)
    values = {**computed, **given}
    if shape.required <= values.keys() and given.keys() <= shape.names:
        return made(group, values)
    missing = [name for name in shape.order if name in shape.required and name not in values]
    missing = [name for name in missing if _FOLLOWS.get(name, _NOTHING).isdisjoint(missing)]
    raise Incomplete(*_problems(path, situation(), missing, sorted(given.keys() - shape.names)))


_NOTHING: frozenset[str] = frozenset()
# Amounts that are computed once these are given.
_FOLLOWS = {
    "amount": frozenset({"rate", "quantity", "unit_rate"}),
    "credit_amount": frozenset({"credit_rate"}),
}


def required(path: str, situation: str) -> Problem:
    """Returns the problem of a value that is missing beside what the caller gave."""
    hint = f"Informe {path}, que não pode ser calculado nem suposto."
    return Problem(SCHEMA_PROBLEM, path, f"Obrigatório com {situation}.", hint, _SOURCE)


def _problems(path: str, situation: str, missing: list[str], unused: list[str]) -> list[Problem]:
    return [required(f"{path}.{to_camel(name)}", situation) for name in missing] + [
        Problem(SCHEMA_PROBLEM, f"{path}.{to_camel(name)}", f"Não se usa com {situation}.", source=_SOURCE)
        for name in unused
    ]
