"""Postal codes in groups of the layout that a body takes as they are."""

from typing import Any

from pydantic import BeforeValidator

from carimbo.fiscal.fields import zipcode_digits


def _with_plain_zipcodes(value: Any) -> Any:
    """Takes the hyphen out of every `zipcode`, because groups of the layout take digits alone."""
    if isinstance(value, list):
        return [_with_plain_zipcodes(part) for part in value]
    if not isinstance(value, dict):
        return value
    return {name: _plain(name, part) for name, part in value.items()}


def _plain(name: str, value: Any) -> Any:
    if name == "zipcode" and isinstance(value, str):
        return zipcode_digits(value)
    return _with_plain_zipcodes(value)


PLAIN_ZIPCODES = BeforeValidator(_with_plain_zipcodes)
