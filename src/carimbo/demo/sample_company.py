"""Makes up a company that the simulator accepts: the bodies of the calls that register it."""

import random
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from carimbo.fiscal.environment import Environment
from carimbo.fiscal.state_registration import is_state_registration
from carimbo.fiscal.tables.municipalities import find_municipality
from carimbo.fiscal.taxpayer import cnpj_check_digits
from carimbo.simulator.security_codes import DEFAULT_ID, DEFAULT_TOKEN

_FIRST_ESTABLISHMENT = "0001"


@dataclass(frozen=True, slots=True)
class _Home:
    """Where a company of a state is, and how registrations of that state begin."""

    city: str
    zipcode: str
    registration_prefix: str
    registration_length: int


# Capitals, with a CEP of their range (Correios). Not Porto Alegre: it issues NFS-e by an emitter of its own.
# Registrations as they are given out today (SINTEGRA, roteiros de crítica da inscrição estadual).
_HOMES: Mapping[str, _Home] = {
    "AC": _Home("Rio Branco", "69900010", "01", 13),
    "AL": _Home("Maceió", "57020010", "24", 9),
    "AM": _Home("Manaus", "69005010", "04", 9),
    "AP": _Home("Macapá", "68900010", "03", 9),
    "BA": _Home("Salvador", "40010010", "1", 9),
    "CE": _Home("Fortaleza", "60025010", "06", 9),
    "DF": _Home("Brasília", "70040010", "07", 13),
    "ES": _Home("Vitória", "29010010", "08", 9),
    "GO": _Home("Goiânia", "74003010", "10", 9),
    "MA": _Home("São Luís", "65010010", "12", 9),
    "MG": _Home("Belo Horizonte", "30110010", "06", 13),
    "MS": _Home("Campo Grande", "79002010", "28", 9),
    "MT": _Home("Cuiabá", "78005010", "0013", 11),
    "PA": _Home("Belém", "66010010", "15", 9),
    "PB": _Home("João Pessoa", "58010010", "16", 9),
    "PE": _Home("Recife", "50010010", "0", 9),
    "PI": _Home("Teresina", "64000010", "19", 9),
    "PR": _Home("Curitiba", "80010010", "90", 10),
    "RJ": _Home("Rio de Janeiro", "20010010", "7", 8),
    "RN": _Home("Natal", "59012010", "20", 9),
    "RO": _Home("Porto Velho", "76801010", "00000000", 14),
    "RR": _Home("Boa Vista", "69301010", "24", 9),
    "RS": _Home("Caxias do Sul", "95010010", "029", 10),
    "SC": _Home("Florianópolis", "88010010", "25", 9),
    "SE": _Home("Aracaju", "49010010", "27", 9),
    "SP": _Home("São Paulo", "01010010", "1", 12),
    "TO": _Home("Palmas", "77001010", "29", 9),
}
STATES = tuple(_HOMES)


@dataclass(frozen=True, slots=True)
class SampleCompany:
    """The bodies of the calls that make a company ready to issue."""

    company: Mapping[str, Any]
    """Of `POST /v1/companies`."""
    state_registration: Mapping[str, Any]
    """Of `POST /v1/companies/{companyId}/state-registrations`."""
    settings: Mapping[str, Any]
    """Of `PUT /v1/companies/{companyId}/settings`: the simulator's CSC for NFC-e, a service for NFS-e."""


def sample_company(state: str, name: str, seed: int) -> SampleCompany:
    """Makes up a company of the Simples Nacional; the same state and seed give the same numbers."""
    home = _HOMES[state]
    # Repeatable, and nothing secret.
    numbers = random.Random(f"{state} {seed}")  # noqa: S311
    unchecked = f"{numbers.randrange(10**7, 10**8)}{_FIRST_ESTABLISHMENT}"
    company = {
        "taxId": unchecked + cnpj_check_digits(unchecked),
        "legalName": name,
        "email": "fiscal@example.com",
        "address": {
            "zipcode": home.zipcode, "street": "Rua do Comércio", "number": "100",
            "district": "Centro", "city": home.city, "cityCode": _city_code(home.city, state), "state": state,
        },
        "taxRegime": "simples",
        "municipalRegistration": "12345678",
        "simplesRate": 6,
        "simplesIssRegime": 1,
        "environment": Environment.HOMOLOGATION,
    }  # fmt: skip
    code = {"cscId": str(DEFAULT_ID), "csc": DEFAULT_TOKEN}
    settings = {
        "nfce": {"active": True, "homologation": code},
        "nfse": {"federalServiceCode": "01.05", "issRate": 2},
    }
    registration = {"state": state, "number": _registration(state, home, numbers)}
    return SampleCompany(company, registration, settings)


def _city_code(city: str, state: str) -> str | None:
    found = find_municipality(city, state)
    return found.ibge if found else None


def _registration(state: str, home: _Home, numbers: random.Random) -> str:
    """Draws numbers until the check digits are those of the state: one in a hundred at worst."""
    free_digits = home.registration_length - len(home.registration_prefix)
    while True:
        number = f"{home.registration_prefix}{numbers.randrange(10**free_digits):0{free_digits}}"
        if is_state_registration(number, state):
            return number
