"""Fields that a body needs only in some circumstances, reported with all other errors of the body.

A validator of the whole body puts a `Missing` where such a field is absent. The field itself then refuses it,
so pydantic reports it by its path, together with whatever else is wrong.
"""

from dataclasses import dataclass
from typing import Any

from pydantic import BeforeValidator
from pydantic_core import PydanticCustomError


@dataclass(frozen=True, slots=True)
class Missing:
    """Marks a required field that a body lacks."""

    message: str = "Campo obrigatório."


def _refuse_missing(value: Any) -> Any:
    if isinstance(value, Missing):
        raise PydanticCustomError("missing_in_form", "{message}", {"message": value.message})
    return value


MAY_BE_MISSING = BeforeValidator(_refuse_missing)
"""Annotates a field that may be marked as missing."""
