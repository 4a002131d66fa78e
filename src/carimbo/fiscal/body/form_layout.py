"""Forms for request bodies: which fields people fill in, in which order, and under which Portuguese labels.

A layout names fields by their paths in the JSON of the body. Types, limits and choices come from the body
itself, so a form can't contradict it. A body may have more fields than its form.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from types import NoneType
from typing import Any

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from carimbo.fiscal.body.reading import parts_of

_LONGEST_LINE = 200
"""Longer texts get several lines."""
_DEFINITION = "#/$defs/"


class FieldKind(StrEnum):
    """The kind of an input."""

    TEXT = "text"
    LONG_TEXT = "longText"
    EMAIL = "email"
    NUMBER = "number"
    INTEGER = "integer"
    FLAG = "flag"
    CHOICE = "choice"
    DAY = "day"
    MOMENT = "moment"
    SECRET = "secret"  # noqa: S105 - the kind of an input
    FILE = "file"
    CITY = "city"
    """The IBGE code of a municipality; people may type its name."""


@dataclass(frozen=True, kw_only=True)
class FormField:
    """An input of a form. `FormField(path="borrower.taxId", label="CPF ou CNPJ")`."""

    path: str
    """The path of the field in the body; within a list, in an entry of the list."""
    label: str
    hint: str = ""
    options: tuple[tuple[str, str], ...] = ()
    """Values with their Portuguese words, for a field with choices; in the order of the form."""
    blank: str = "Automático"
    """The word for no choice."""
    kind: FieldKind | None = None
    """The kind, if the body does not say it: texts that are days or moments, secrets and files."""
    is_required: bool = False
    """Whether it must be filled in although the body does not require it: changes require no field."""
    accept: str = ""
    """The file types that the input of a file offers."""


@dataclass(frozen=True, kw_only=True)
class FormList:
    """A list of the body, with the inputs of each of its entries."""

    path: str
    title: str
    singular: str
    """An entry in words, as `item`."""
    fields: tuple[FormField, ...]


@dataclass(frozen=True, kw_only=True)
class FormSection:
    """Inputs below a heading."""

    title: str
    parts: tuple[FormField | FormList, ...]
    note: str = ""
    is_open: bool = True
    """Whether it is shown at once; a rarely needed section is opened by a click, or by a problem in it."""


@dataclass(frozen=True, kw_only=True)
class FormLayout:
    """The form of a body."""

    body: type[BaseModel]
    sections: tuple[FormSection, ...]

    @property
    def parts(self) -> Iterator[FormField | FormList]:
        """All inputs and lists, in their order."""
        for section in self.sections:
            yield from section.parts

    @property
    def fields(self) -> Iterator[FormField]:
        """The inputs outside of lists."""
        return (part for part in self.parts if isinstance(part, FormField))

    @property
    def lists(self) -> Iterator[FormList]:
        """The lists."""
        return (part for part in self.parts if isinstance(part, FormList))


@dataclass(frozen=True)
class FieldFacts:
    """What the body says of a field."""

    kind: FieldKind
    is_required: bool
    min_length: int | None
    max_length: int | None
    choices: tuple[str, ...]


def field_facts(body: type[BaseModel], path: str) -> FieldFacts:
    """Returns what a body says of a field. A path leads through lists as `items.ncm`. Raises LookupError."""
    schema = _schema_of(body)
    definitions = schema.get("$defs", {})
    branches, is_required = [schema], True
    for name in path.split("."):
        holders = [branch for branch in _branches(branches, definitions) if name in branch["properties"]]
        if not holders:
            raise LookupError(f"{body.__name__} has no {path}")
        is_required = is_required and all(name in holder.get("required", ()) for holder in holders)
        branches = [holder["properties"][name] for holder in holders]
    return _facts([*_alternatives(branches, definitions)], is_required=is_required)


def blank_value(body: type[BaseModel], path: str) -> Any:
    """Returns what a blank input means in the body of a change: null where it is allowed, else the default.

    Raises LookupError for an unknown path.
    """
    field = _field_at(body, path)
    return (
        None if _is_nullable(field) or field.is_required() else field.get_default(call_default_factory=True)
    )


def may_be_null(body: type[BaseModel], path: str) -> bool:
    """Returns whether a field or a group of a body may be null. Raises LookupError."""
    return _is_nullable(_field_at(body, path))


def _field_at(body: type[BaseModel], path: str) -> FieldInfo:
    models: list[type[BaseModel]] = [body]
    for name in path.split("."):
        fields = [
            field
            for model in models
            for own_name, field in model.model_fields.items()
            if name == (field.alias or own_name)
        ]
        if not fields:
            raise LookupError(f"{body.__name__} has no {path}")
        parts = parts_of(fields[0].annotation)
        models = [part for part in parts if isinstance(part, type) and issubclass(part, BaseModel)]
    return fields[0]


def _is_nullable(field: FieldInfo) -> bool:
    return NoneType in parts_of(field.annotation)


@cache
def _schema_of(body: type[BaseModel]) -> Mapping[str, Any]:
    return body.model_json_schema()


def _branches(schemas: list[Any], definitions: Mapping[str, Any]) -> Iterator[Any]:
    """Yields the object schemas among alternatives; a list counts as its entries."""
    for schema in _alternatives(schemas, definitions):
        if schema.get("type") == "array":
            yield from _branches([schema.get("items", {})], definitions)
        elif "properties" in schema:
            yield schema


def _alternatives(schemas: list[Any], definitions: Mapping[str, Any]) -> Iterator[Any]:
    """Yields the schemas behind references and unions, without null."""
    for schema in schemas:
        if "$ref" in schema:
            yield from _alternatives([definitions[schema["$ref"].removeprefix(_DEFINITION)]], definitions)
        elif "properties" not in schema and ("anyOf" in schema or "oneOf" in schema):
            yield from _alternatives(schema.get("anyOf") or schema["oneOf"], definitions)
        elif schema.get("type") != "null":
            yield schema


def _facts(alternatives: list[Any], *, is_required: bool) -> FieldFacts:
    schema: Mapping[str, Any] = next((each for each in alternatives if each.get("type") != "null"), {})
    choices = tuple(str(value) for value in schema.get("enum", ()) if value is not None)
    return FieldFacts(
        _kind(schema, choices), is_required, schema.get("minLength"), schema.get("maxLength"), choices
    )


def _kind(schema: Mapping[str, Any], choices: tuple[str, ...]) -> FieldKind:
    if choices:
        return FieldKind.CHOICE
    match schema.get("type"), schema.get("format"):
        case "boolean", _:
            return FieldKind.FLAG
        case "integer", _:
            return FieldKind.INTEGER
        case "number", _:
            return FieldKind.NUMBER
        case _, "email":
            return FieldKind.EMAIL
    return FieldKind.LONG_TEXT if schema.get("maxLength", 0) > _LONGEST_LINE else FieldKind.TEXT
