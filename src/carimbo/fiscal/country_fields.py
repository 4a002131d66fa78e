"""Country codes in bodies: letters of ISO 3166-1, or the Central Bank's digits."""

from typing import Annotated, Any

from pydantic import BeforeValidator, Field, StringConstraints
from pydantic_core import PydanticCustomError

from carimbo.fiscal import published
from carimbo.fiscal.published import Published
from carimbo.fiscal.tables.countries import BRAZIL, find_country

_UNKNOWN = "País desconhecido: informe as duas letras (US) ou o código do Banco Central (2496)."


def country_letters(value: Any) -> Any:
    """Returns the ISO letters of a country code; a value of another type stays for pydantic to refuse."""
    country = find_country(value)
    if country is not None:
        return country.iso2
    if isinstance(value, str | int) and not isinstance(value, bool):
        raise PydanticCustomError("country", _UNKNOWN)
    return value


def is_brazil(code: Any) -> bool:
    """Tells whether a country code as callers write it is Brazil's; no code means Brazil too."""
    if code is None or (isinstance(code, str) and not code.strip()):
        return True
    country = find_country(code)
    return country is not None and country.iso2 == BRAZIL


_EXAMPLES = Field(examples=["US", "2496"])
CountryCode = Annotated[
    str, BeforeValidator(country_letters), _EXAMPLES, Published(pattern=published.COUNTRY_PATTERN)
]
"""Any country, kept by its letters."""
BrazilCode = Annotated[
    str,
    StringConstraints(pattern=f"^{BRAZIL}$"),
    BeforeValidator(country_letters),
    Published(pattern=published.BRAZIL_PATTERN),
]
"""The code of Brazil, kept by its letters."""
