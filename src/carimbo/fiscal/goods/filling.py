"""Filling a group of the layout from a flat body, and saying what the body lacks or has too much of."""

import dataclasses
from collections.abc import Callable
from functools import cache
from typing import Any, TypeVar

from pydantic.alias_generators import to_camel

from carimbo.fiscal.fields import Body
from carimbo.fiscal.layouts.group import SCHEMA_PROBLEM, made
from carimbo.fiscal.problems import Problem

T = TypeVar("T")

_SOURCE = "Leiaute da NF-e 4.00"


class Incomplete(Exception):
    """A group that can't be made of what the caller gave."""

    def __init__(self, *problems: Problem) -> None:
        super().__init__(*problems)
        self.problems = problems


def tried(make: Callable[[], T], problems: list[Problem]) -> T | None:
    """Make a part of a document; what keeps it from being made joins the problems of the other parts."""
    try:
        return make()
    except Incomplete as incomplete:
        problems.extend(incomplete.problems)
        return None


@dataclasses.dataclass(frozen=True, slots=True)
class _Shape:
    names: frozenset[str]
    required: tuple[str, ...]


@cache
def _shape_of(group: Any) -> _Shape:
    fields = dataclasses.fields(group)
    required = tuple(field.name for field in fields if field.default is dataclasses.MISSING)
    return _Shape(frozenset(field.name for field in fields), required)


def _shape(group: type) -> _Shape:
    kind: Any = group
    return _shape_of(kind)


def copied(group: type[T], body: Body, **settled: Any) -> T:
    """Make a group of what the body has given of it, and of what is settled here."""
    names = body.model_fields_set & _shape(group).names
    return made(group, {name: getattr(body, name) for name in names} | settled)


def fill(group: type[T], body: Body, path: str, situation: Callable[[], str], **settled: Any) -> T:
    """The same for a body of many uses: what the group wants must be there, and nothing that it has not.

    `situation` is what asks for the values, for the messages.
    """
    shape = _shape(group)
    given = {name: value for name in body.model_fields_set if (value := getattr(body, name)) is not None}
    values = given | settled
    missing = [name for name in shape.required if name not in values]
    if missing or not given.keys() <= shape.names:
        raise Incomplete(*_problems(path, situation(), missing, sorted(given.keys() - shape.names)))
    return made(group, values)


def required(path: str, situation: str) -> Problem:
    """A value that what the caller gave asks for."""
    return Problem(SCHEMA_PROBLEM, path, f"Obrigatório com {situation}.", source=_SOURCE)


def _problems(path: str, situation: str, missing: list[str], unused: list[str]) -> list[Problem]:
    return [required(f"{path}.{to_camel(name)}", situation) for name in missing] + [
        Problem(SCHEMA_PROBLEM, f"{path}.{to_camel(name)}", f"Não se usa com {situation}.", source=_SOURCE)
        for name in unused
    ]
