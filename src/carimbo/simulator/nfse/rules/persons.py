"""What is asked of every person that a declaration, or a document in it, names: tax ids, addresses, mail.

Each check is of the person at a path; one who is not there breaks nothing.
"""

import re
from collections.abc import Callable, Sequence
from typing import Protocol

from carimbo.fiscal.tables.countries import FOREIGN_COUNTRIES
from carimbo.fiscal.tables.municipalities import municipality_of_ibge
from carimbo.simulator.tax_ids import is_cnpj, is_cpf


class Told(Protocol):
    """What names persons."""

    def text(self, path: str) -> str:
        """The text at a path; empty if it is not there."""

    def has(self, path: str) -> bool:
        """Tell whether a group or a text is there."""


Check = Callable[[Told], bool]

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


def is_email(text: str) -> bool:
    """Tell whether a text can be an address of mail."""
    return bool(_EMAIL.fullmatch(text))


def is_foreign_country(code: str) -> bool:
    """Tell whether two letters are a country, and not Brazil."""
    return code in FOREIGN_COUNTRIES.value


def is_city(code: str) -> bool:
    """Tell whether a code is one of IBGE's."""
    return municipality_of_ibge(code) is not None


def is_elsewhere(zipcode: str, city: str) -> bool:
    """Tell whether a postal code is of another state than the city's: those of cities are not published.

    Of a city that is none nothing is said.
    """
    found = municipality_of_ibge(city)
    if not zipcode or found is None:
        return False
    return not any(first <= int(zipcode[:5]) <= last for first, last in _ZIPCODES[found.state])


def wrong_cnpj_of(path: str) -> Check:
    """Check digits that do not fit."""
    return lambda told: bool(found := told.text(f"{path}/CNPJ")) and not is_cnpj(found)


def wrong_cpf_of(path: str) -> Check:
    """Check digits that do not fit."""
    return lambda told: bool(found := told.text(f"{path}/CPF")) and not is_cpf(found)


def abroad_without_id(path: str) -> Check:
    """An address abroad, of somebody with a tax id of Brazil."""
    named = (f"{path}/NIF", f"{path}/cNaoNIF")
    return lambda told: told.has(f"{path}/end/endExt") and not any(map(told.has, named))


def without_reason(path: str) -> Check:
    """Why there is no foreign id is told by every new note."""
    return lambda told: told.text(f"{path}/cNaoNIF") == _UNKNOWN_REASON


def foreign_id_at_home(path: str) -> Check:
    """A foreign id, without an address abroad."""
    return lambda told: told.has(f"{path}/NIF") and not told.has(f"{path}/end/endExt")


def city_unknown_of(path: str) -> Check:
    """A code that IBGE's table does not have."""
    return lambda told: bool(found := told.text(f"{path}/end/endNac/cMun")) and not is_city(found)


def zipcode_of_another_city(path: str) -> Check:
    """A postal code of elsewhere."""
    address = f"{path}/end/endNac"
    return lambda told: is_elsewhere(told.text(f"{address}/CEP"), told.text(f"{address}/cMun"))


def country_unknown_of(path: str) -> Check:
    """No country, or Brazil."""
    return lambda told: bool(found := told.text(f"{path}/end/endExt/cPais")) and not is_foreign_country(found)


def wrong_email_of(path: str) -> Check:
    """No address of mail."""
    return lambda told: bool(found := told.text(f"{path}/email")) and not is_email(found)
