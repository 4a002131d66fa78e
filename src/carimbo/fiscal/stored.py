"""Checks that values pass once: what was right when it was stored is read again, whatever the rules are."""

from collections.abc import Callable
from typing import Any, Final

from pydantic import AfterValidator, ValidationInfo
from pydantic_core import PydanticCustomError

STORED: Final = {"is_stored": True}
"""The context of a validation whose values come out of the store."""


def is_stored(info: ValidationInfo) -> bool:
    """Whether a value comes out of the store."""
    return info.context is STORED


def checked_once(is_right: Callable[[Any], bool], message: str) -> AfterValidator:
    """A validator that refuses a wrong value when it is told, and not when it is read again."""

    def validate(value: Any, info: ValidationInfo) -> Any:
        if is_stored(info) or is_right(value):
            return value
        raise PydanticCustomError("checked_once", "{message}", {"message": message})

    return AfterValidator(validate)
