"""Lenient reading of JSON objects, where a value has only one possible meaning.

`null` and blank texts count as absent fields. Whole numbers are accepted as codes, and get back the leading
zeros that a number loses. Stored values are read again without the checks for new ones.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from types import NoneType
from typing import Any, Final, NamedTuple, get_args

from pydantic import AfterValidator, BaseModel, BeforeValidator, StringConstraints, ValidationInfo
from pydantic.fields import FieldInfo
from pydantic_core import PydanticCustomError

_MAX_CODE_LENGTH = 60
STORED: Final = {"is_stored": True}
"""The validation context for values from the database."""


class Reading(NamedTuple):
    """How the fields of a JSON object are read, by their names in the JSON."""

    names: frozenset[str]
    """All fields of the object; blank ones count as absent."""
    nullable: frozenset[str] = frozenset()
    """Fields in which a blank counts as null."""
    patterns: Mapping[str, str] = {}
    """The patterns of codes that may be sent as numbers."""


def is_blank(value: Any) -> bool:
    """Returns whether the value of a field counts as absent: null, or only spaces."""
    return value is None or (isinstance(value, str) and not value.strip())


def without_blanks(given: Any, reading: Reading, *, only_known: bool = False) -> Any:
    """Returns a JSON object without blank fields, and with numbers of codes as texts."""
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
    """Returns a validator that drops blank fields of all forms that a JSON object may have.

    Some callers send the fields of all forms, and leave those of the other forms blank.
    """
    reading = Reading(frozenset[str]().union(*(reading_of(form, clears=False).names for form in forms)))
    return BeforeValidator(lambda given: without_blanks(given, reading))


def code_of_number(number: Any, pattern: str) -> Any:
    """Returns the digits of a whole number, with the leading zeros that the pattern of the code needs.

    Returns other values, and numbers that do not match with any leading zeros, unchanged.
    """
    if type(number) is not int:
        return number
    digits = str(number)
    # If a code has several forms, only one zero is added: more would make a code of another form.
    max_length = len(digits) + 2 if "|" in pattern else _MAX_CODE_LENGTH
    texts = (digits.zfill(length) for length in range(len(digits), max_length))
    return next((text for text in texts if re.fullmatch(pattern, text)), number)


def parts_of(annotation: Any) -> Iterator[Any]:
    """Yields an annotation and all its parts, at any depth."""
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

    `clears` means that blanks set nullable fields to null. Required nullable fields stay null even without
    it: records of the catalog, which share the fields of bodies, have such fields.
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


def is_stored(info: ValidationInfo) -> bool:
    """Returns whether a value comes from the database."""
    return info.context is STORED


def checked_when_sent(is_right: Callable[[Any], bool], message: str) -> AfterValidator:
    """Returns a validator that refuses wrong values of requests, but not those from the database."""

    def validate(value: Any, info: ValidationInfo) -> Any:
        if is_stored(info) or is_right(value):
            return value
        raise PydanticCustomError("checked_once", "{message}", {"message": message})

    return AfterValidator(validate)


@dataclass(frozen=True, slots=True)
class Missing:
    """Marks a field that a body needs in its circumstances, and lacks.

    A validator of the whole body puts it in place of the field. The field itself then refuses it, so pydantic
    reports it by its path together with all other errors of the body.
    """

    message: str = "Campo obrigatório."


def _refuse_missing(value: Any) -> Any:
    if isinstance(value, Missing):
        raise PydanticCustomError("missing_in_form", "{message}", {"message": value.message})
    return value


MAY_BE_MISSING = BeforeValidator(_refuse_missing)
"""Annotates a field that may be marked as `Missing`."""
