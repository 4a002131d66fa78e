"""Checks of every person that a declaration or a document in it names: tax ids, addresses, e-mail.

Each check is about the person at a path; a missing person passes.
"""

import re
from collections.abc import Callable, Sequence
from typing import Protocol

from carimbo.fiscal.tables.geography import FOREIGN_COUNTRIES, municipality_of_ibge
from carimbo.simulator.identifiers import is_cnpj, is_cpf

_EMAIL = re.compile(r"[^@\s]+@[^@\s.]+(\.[^@\s.]+)+")
_UNKNOWN_REASON = "0"
# The first five digits of the postal codes of each state (Correios).
_ZIPCODES: dict[str, Sequence[tuple[int, int]]] = {
    "SP": [(1000, 19999)],
    "RJ": [(20000, 28999)],
    "ES": [(29000, 29999)],
    "MG": [(30000, 39999)],
    "BA": [(40000, 48999)],
    "SE": [(49000, 49999)],
    "PE": [(50000, 56999)],
    "AL": [(57000, 57999)],
    "PB": [(58000, 58999)],
    "RN": [(59000, 59999)],
    "CE": [(60000, 63999)],
    "PI": [(64000, 64999)],
    "MA": [(65000, 65999)],
    "PA": [(66000, 68899)],
    "AP": [(68900, 68999)],
    "AM": [(69000, 69299), (69400, 69899)],
    "RR": [(69300, 69399)],
    "AC": [(69900, 69999)],
    "DF": [(70000, 72799), (73000, 73699)],
    "GO": [(72800, 72999), (73700, 76799)],
    "RO": [(76800, 76999)],
    "TO": [(77000, 77999)],
    "MT": [(78000, 78899)],
    "MS": [(79000, 79999)],
    "PR": [(80000, 87999)],
    "SC": [(88000, 89999)],
    "RS": [(90000, 99999)],
}


class FieldSource(Protocol):
    """A declaration or document whose fields are read by path."""

    def text(self, path: str) -> str:
        """Returns the text at a path; empty if missing."""

    def has(self, path: str) -> bool:
        """Returns whether a group or a text exists."""


PersonCheck = Callable[[FieldSource], bool]


def is_email(text: str) -> bool:
    """Returns whether a text can be an e-mail address."""
    return bool(_EMAIL.fullmatch(text))


def is_foreign_country(code: str) -> bool:
    """Returns whether a code is a country other than Brazil."""
    return code in FOREIGN_COUNTRIES.value


def is_city(code: str) -> bool:
    """Returns whether a code is a municipality of IBGE."""
    return municipality_of_ibge(code) is not None


def is_elsewhere(zipcode: str, city: str) -> bool:
    """Returns whether a postal code belongs to another state; ranges of cities are not published.

    Returns False for an unknown city.
    """
    municipality = municipality_of_ibge(city)
    if not zipcode or municipality is None:
        return False
    return not any(first <= int(zipcode[:5]) <= last for first, last in _ZIPCODES[municipality.state])


def wrong_cnpj_of(path: str) -> PersonCheck:
    """Returns the check that the digits of a CNPJ are wrong."""
    return lambda source: bool(cnpj := source.text(f"{path}/CNPJ")) and not is_cnpj(cnpj)


def wrong_cpf_of(path: str) -> PersonCheck:
    """Returns the check that the digits of a CPF are wrong."""
    return lambda source: bool(cpf := source.text(f"{path}/CPF")) and not is_cpf(cpf)


def abroad_without_id(path: str) -> PersonCheck:
    """Returns the check that a person abroad has no foreign id, nor a reason for its absence."""
    named = (f"{path}/NIF", f"{path}/cNaoNIF")
    return lambda source: source.has(f"{path}/end/endExt") and not any(map(source.has, named))


def without_reason(path: str) -> PersonCheck:
    """Returns the check that the reason for a missing foreign id is "unknown", as in old notes only."""
    return lambda source: source.text(f"{path}/cNaoNIF") == _UNKNOWN_REASON


def foreign_id_at_home(path: str) -> PersonCheck:
    """Returns the check that a person with a foreign id has no address abroad."""
    return lambda source: source.has(f"{path}/NIF") and not source.has(f"{path}/end/endExt")


def city_unknown_of(path: str) -> PersonCheck:
    """Returns the check that the city is not in the table of IBGE."""
    return lambda source: bool(city := source.text(f"{path}/end/endNac/cMun")) and not is_city(city)


def zipcode_of_another_city(path: str) -> PersonCheck:
    """Returns the check that the postal code belongs to another state than the city."""
    address = f"{path}/end/endNac"
    return lambda source: is_elsewhere(source.text(f"{address}/CEP"), source.text(f"{address}/cMun"))


def country_unknown_of(path: str) -> PersonCheck:
    """Returns the check that the country of an address abroad is unknown, or Brazil."""
    country = f"{path}/end/endExt/cPais"
    return lambda source: bool(code := source.text(country)) and not is_foreign_country(code)


def wrong_email_of(path: str) -> PersonCheck:
    """Returns the check that the e-mail address is malformed."""
    return lambda source: bool(email := source.text(f"{path}/email")) and not is_email(email)
