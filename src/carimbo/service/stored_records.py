"""Records of stored rows that may be unreadable: written by another version, or edited by hand."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Annotated, Any, Generic, TypeVar
from uuid import UUID

import structlog
from pydantic import BaseModel, TypeAdapter, ValidationError

T = TypeVar("T")
M = TypeVar("M", bound=BaseModel)
UNREADABLE = "Parte deste registro não pôde ser lida e foi omitida: avise quem opera o serviço."
# The exceptions that are raised when a stored value has an unexpected form.
READING_ERRORS = (ValueError, LookupError, TypeError, AttributeError, ArithmeticError)
# Pydantic's error type for a field that the model does not have.
_UNKNOWN_FIELD = "extra_forbidden"
_log = structlog.get_logger("carimbo.records")


@dataclass(frozen=True, slots=True)
class ReadFields(Generic[M]):
    """A stored JSON object as far as it can be read."""

    model: M
    values: dict[str, Any]
    """The JSON from which the model was built."""
    invalid: tuple[str, ...]
    """The paths of fields whose values can't be read."""
    unknown: tuple[str, ...]
    """The paths of fields that the model does not have."""


def record_or_partial(
    table: str, row_id: UUID | str, build: Callable[[], T], build_from_known: Callable[[], T]
) -> T:
    """Builds the record of a row, or a record of its readable parts if the row can't be read.

    Otherwise one bad row would turn a whole list into an internal error. The log names the row and the
    fields, but no values, which may be personal data.
    """
    try:
        return build()
    except READING_ERRORS as error:
        log_unreadable(table, row_id, error)
        return build_from_known()


def readable_record(table: str, row_id: UUID | str, record: type[M], values: Mapping[str, Any]) -> M:
    """Returns the record of a row's values. A value that can't be read becomes null or empty if allowed.

    Otherwise the stored value is returned as it is: such a field is annotated with `AS_STORED`.
    """
    return record_or_partial(
        table, row_id, lambda: record.model_validate(values), lambda: partial_record(record, values)
    )


def partial_record(record: type[M], values: Mapping[str, Any]) -> M:
    """Returns a record whose values are read one by one, as far as possible."""
    adapters = _adapters_of(record)
    return record.model_construct(
        **{name: _value_or_stored(adapter, values.get(name)) for name, adapter in adapters.items()}
    )


def readable_fields(
    table: str, row_id: UUID | str, model: type[M], stored: Mapping[str, Any], context: Any = None
) -> ReadFields[M]:
    """Reads a stored JSON object and leaves out the fields that can't be read."""
    values = dict(stored)
    invalid: dict[str, None] = {}
    unknown: dict[str, None] = {}
    while True:
        try:
            read = model.model_validate(values, context=context)
            return ReadFields(read, values, tuple(invalid), tuple(unknown))
        except ValidationError as error:
            if not values:
                raise
            log_unreadable(table, row_id, error)
            wrong = [(_path_in(values, detail["loc"]), detail["type"]) for detail in error.errors()]
            if not all(path for path, _ in wrong):
                # The object as a whole is invalid, or a required field is missing: nothing of it is kept.
                wrong = [((name,), "invalid") for name in values]
            for path, problem in wrong:
                values = _without(values, path)
                (unknown if problem == _UNKNOWN_FIELD else invalid)[".".join(path)] = None


def log_unreadable(table: str, row_id: UUID | str, error: Exception) -> None:
    """Writes a log line about a row that can't be read."""
    errors = error.errors() if isinstance(error, ValidationError) else []
    fields = sorted({str(detail["loc"][0]) for detail in errors if detail["loc"]})
    _log.error("row_unreadable", table=table, id=str(row_id), error=type(error).__name__, fields=fields)


@cache
def _adapters_of(record: type[BaseModel]) -> Mapping[str, TypeAdapter[Any]]:
    """Returns the validators of a record's fields, by their names in Python."""
    types: dict[str, Any] = {
        name: Annotated[(field.annotation, *field.metadata)] if field.metadata else field.annotation
        for name, field in record.model_fields.items()
    }
    return {name: TypeAdapter(type_) for name, type_ in types.items()}


def _value_or_stored(adapter: TypeAdapter[Any], stored: Any) -> Any:
    attempts: tuple[Any, ...] = (stored, None, [])
    for value in attempts:
        try:
            return adapter.validate_python(value)
        except ValidationError:
            continue
    return stored


def _path_in(values: dict[str, Any], location: Sequence[Any]) -> tuple[str, ...]:
    """Returns the path of the innermost field of a JSON object in the location of an error.

    A location may have steps that are not fields of the object: the name of a model, or a missing field. A
    list counts as one field.
    """
    path: list[str] = []
    inner: Any = values
    for step in location:
        if isinstance(inner, dict) and step in inner:
            path.append(step)
            inner = inner[step]
    return tuple(path)


def _without(values: dict[str, Any], path: Sequence[str]) -> dict[str, Any]:
    name, *rest = path
    if rest and name in values:
        return {**values, name: _without(values[name], rest)}
    return {other: value for other, value in values.items() if other != name}
