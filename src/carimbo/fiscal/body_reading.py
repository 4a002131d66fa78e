"""Reading values that can only mean one thing, in every JSON object that a caller sends.

`null` and blank texts count as absent fields. Whole numbers are taken for codes, with the leading zeros that
a number loses.
"""

import re
from collections.abc import Iterator, Mapping
from functools import cache
from types import NoneType
from typing import Any, NamedTuple, get_args

from pydantic import BaseModel, BeforeValidator, StringConstraints
from pydantic.fields import FieldInfo


class Reading(NamedTuple):
    """How the fields of a JSON object are read, by their names in the JSON."""

    names: frozenset[str]
    """All fields of the object; their blanks count as absent."""
    nullable: frozenset[str] = frozenset()
    """Fields whose blanks count as null."""
    patterns: Mapping[str, str] = {}
    """The patterns of codes, which may be numbers."""


_LONGEST_CODE = 60


def is_blank(value: Any) -> bool:
    """Tells whether a value of a field counts as absent: null, or a text of spaces."""
    return value is None or (isinstance(value, str) and not value.strip())


def without_blanks(given: Any, reading: Reading, *, only_known: bool = False) -> Any:
    """Returns a JSON object without blank fields, and with the numbers of codes as texts."""
    if not isinstance(given, dict):
        return given
    kept: dict[str, Any] = {}
    for name, value in given.items():
        if only_known and name not in reading.names:
            continue
        if is_blank(value) and name in reading.nullable:
            kept[name] = None
        elif not is_blank(value) or name not in reading.names:
            pattern = reading.patterns.get(name)
            kept[name] = code_of_number(value, pattern) if pattern else value
    return kept


def drop_blanks_of(*forms: type[BaseModel]) -> BeforeValidator:
    """Returns a validator that drops the blank fields of all forms that a JSON object may have.

    Callers that send one set of fields for every form leave those of the other forms blank.
    """
    reading = Reading(frozenset[str]().union(*(reading_of(form, clears=False).names for form in forms)))
    return BeforeValidator(lambda given: without_blanks(given, reading))


def code_of_number(number: Any, pattern: str) -> Any:
    """Returns the digits of a whole number, with as many zeros before them as the pattern of the code needs.

    Returns anything else, and a number that no zeros make match, as it is.
    """
    if type(number) is not int:
        return number
    digits = str(number)
    # A code of several forms takes one zero: more would turn the number into a code of another form.
    longest = len(digits) + 2 if "|" in pattern else _LONGEST_CODE
    texts = (digits.zfill(length) for length in range(len(digits), longest))
    return next((text for text in texts if re.fullmatch(pattern, text)), number)


def parts_of(annotation: Any) -> Iterator[Any]:
    """Returns an annotation and everything that it is made of, at any depth."""
    yield annotation
    for part in get_args(annotation):
        yield from parts_of(part)


def _pattern_of(field: FieldInfo) -> str | None:
    parts = (*parts_of(field.annotation), *field.metadata)
    patterns = [part.pattern for part in parts if isinstance(part, StringConstraints)]
    return next((pattern for pattern in patterns if isinstance(pattern, str)), None)


@cache
def reading_of(model: type[BaseModel], *, clears: bool) -> Reading:
    """Returns how the fields of a model are read.

    `clears` tells whether blanks clear what may be null. Even without it a required field that may be null
    stays null: records of the catalog, which share the fields of bodies, have such fields.
    """
    fields = {field.alias or name: field for name, field in model.model_fields.items()}
    patterns = {name: _pattern_of(field) for name, field in fields.items()}
    return Reading(
        names=frozenset(fields),
        nullable=frozenset(
            name
            for name, field in fields.items()
            if NoneType in parts_of(field.annotation) and (clears or field.is_required())
        ),
        patterns={name: pattern for name, pattern in patterns.items() if pattern},
    )
