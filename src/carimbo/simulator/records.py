"""Plain records to JSON and back, by names in camel case."""

from collections.abc import Mapping
from dataclasses import MISSING, Field, fields
from datetime import datetime
from typing import Any, TypeVar, get_type_hints

from carimbo.fiscal.environment import Environment

Record = TypeVar("Record")

_ENVIRONMENTS = {one.code: one.value for one in Environment}
_TOO_GREAT = 2**63
_KINDS = {str: "um texto sem caracteres de controle", int: "um número inteiro", bool: "true ou false"}


class WrongRecord(ValueError):
    """The JSON is no such record; every reason is told, in Portuguese."""


def shown(record: Any) -> dict[str, Any]:
    """A record as JSON has it; of XML nothing is shown."""
    values = {one.name: getattr(record, one.name) for one in fields(record)}
    return {
        _camel(name): _plain(name, value) for name, value in values.items() if not isinstance(value, bytes)
    }


def _plain(name: str, value: Any) -> Any:
    if isinstance(value, datetime):
        return value.isoformat()
    return _ENVIRONMENTS.get(value, value) if name == "environment" else value


def names_of(kind: type) -> Mapping[str, bool]:
    """The names that a kind of record has in JSON, and whether one that is read must have them."""
    return {_camel(one.name): one.default is MISSING for one in fields(kind) if one.type is not bytes}


def read(kind: type[Record], data: Any) -> Record:
    """A record of texts, whole numbers and flags from JSON, or raise WrongRecord."""
    if not isinstance(data, dict):
        raise WrongRecord("Cada registro deve ser um objeto.")
    wanted = {_camel(one.name): one for one in fields(kind)}  # type: ignore[arg-type]
    hints = get_type_hints(kind)
    problems = [f"{name}: este campo não existe." for name in data if name not in wanted]
    problems += [
        f"{name}: deve ser {_KINDS[hints[one.name]]}."
        for name, one in wanted.items()
        if not _is_fit(data.get(name, _default(one)), hints[one.name])
    ]
    if problems:
        raise WrongRecord(" ".join(problems))
    return kind(**{wanted[name].name: value for name, value in data.items()})


def _default(field: Field[Any]) -> Any:
    return None if field.default is MISSING else field.default


def _is_fit(value: Any, kind: type) -> bool:
    """Tell whether a value is of a kind; JSON's true and false are no numbers, and SQLite's have 64 bits.

    Texts go into answers, and XML can't hold every character.
    """
    if type(value) is not kind:
        return False
    if isinstance(value, str):
        return value.isprintable()
    return not isinstance(value, int) or abs(value) < _TOO_GREAT


def _camel(name: str) -> str:
    first, *rest = name.split("_")
    return first + "".join(map(str.capitalize, rest))
