"""Postal and country codes in groups of the layout that a body takes as they are."""

from collections.abc import Callable
from typing import Any

from pydantic import BeforeValidator

from carimbo.fiscal.fields import zipcode_digits
from carimbo.fiscal.tables.countries import find_country


def _plain_zipcode(value: Any) -> Any:
    return zipcode_digits(value) if isinstance(value, str) else value


def _plain_country(value: Any) -> Any:
    """Returns the letters of a country; an unknown code stays for the layout to refuse."""
    country = find_country(value)
    return country.iso2 if country else value


_PLAIN: dict[str, Callable[[Any], Any]] = {"zipcode": _plain_zipcode, "countryCode": _plain_country}


def _with_plain_codes(value: Any) -> Any:
    """Writes every code as the layout does: CEP without its hyphen, countries by two letters."""
    if isinstance(value, list):
        return [_with_plain_codes(part) for part in value]
    if not isinstance(value, dict):
        return value
    return {name: _PLAIN.get(name, _with_plain_codes)(part) for name, part in value.items()}


PLAIN_CODES = BeforeValidator(_with_plain_codes)
