"""Makes up a company that the simulator accepts: the bodies of the calls that register it."""

import random
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from carimbo.fiscal.environment import Environment
from carimbo.fiscal.identity.state_registration import is_state_registration
from carimbo.fiscal.identity.tax_ids import cnpj_check_digits
from carimbo.fiscal.tables.geography import find_municipality
from carimbo.simulator.registers import DEFAULT_ID, DEFAULT_TOKEN

_FIRST_ESTABLISHMENT = "0001"


@dataclass(frozen=True, slots=True)
class _Location:
    """The city of a state's company, and the form of the state's registrations."""

    city: str
    zipcode: str
    registration_prefix: str
    registration_length: int


# Capitals, with a CEP of their range (Correios). Not Porto Alegre, which has its own issuer of NFS-e.
# Registrations as they are given out today (SINTEGRA, roteiros de crítica da inscrição estadual).
_LOCATIONS: Mapping[str, _Location] = {
    "AC": _Location("Rio Branco", "69900010", "01", 13),
    "AL": _Location("Maceió", "57020010", "24", 9),
    "AM": _Location("Manaus", "69005010", "04", 9),
    "AP": _Location("Macapá", "68900010", "03", 9),
    "BA": _Location("Salvador", "40010010", "1", 9),
    "CE": _Location("Fortaleza", "60025010", "06", 9),
    "DF": _Location("Brasília", "70040010", "07", 13),
    "ES": _Location("Vitória", "29010010", "08", 9),
    "GO": _Location("Goiânia", "74003010", "10", 9),
    "MA": _Location("São Luís", "65010010", "12", 9),
    "MG": _Location("Belo Horizonte", "30110010", "06", 13),
    "MS": _Location("Campo Grande", "79002010", "28", 9),
    "MT": _Location("Cuiabá", "78005010", "0013", 11),
    "PA": _Location("Belém", "66010010", "15", 9),
    "PB": _Location("João Pessoa", "58010010", "16", 9),
    "PE": _Location("Recife", "50010010", "0", 9),
    "PI": _Location("Teresina", "64000010", "19", 9),
    "PR": _Location("Curitiba", "80010010", "90", 10),
    "RJ": _Location("Rio de Janeiro", "20010010", "7", 8),
    "RN": _Location("Natal", "59012010", "20", 9),
    "RO": _Location("Porto Velho", "76801010", "00000000", 14),
    "RR": _Location("Boa Vista", "69301010", "24", 9),
    "RS": _Location("Caxias do Sul", "95010010", "029", 10),
    "SC": _Location("Florianópolis", "88010010", "25", 9),
    "SE": _Location("Aracaju", "49010010", "27", 9),
    "SP": _Location("São Paulo", "01010010", "1", 12),
    "TO": _Location("Palmas", "77001010", "29", 9),
}
STATES = tuple(_LOCATIONS)


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
    location = _LOCATIONS[state]
    municipality = find_municipality(location.city, state)
    # Repeatable, and nothing secret.
    numbers = random.Random(f"{state} {seed}")  # noqa: S311
    unchecked = f"{numbers.randrange(10**7, 10**8)}{_FIRST_ESTABLISHMENT}"
    company = {
        "taxId": unchecked + cnpj_check_digits(unchecked),
        "legalName": name,
        "email": "fiscal@example.com",
        "address": {
            "zipcode": location.zipcode, "street": "Rua do Comércio", "number": "100",
            "district": "Centro", "city": location.city,
            "cityCode": municipality.ibge if municipality else None, "state": state,
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
    registration = {"state": state, "number": _registration(state, location, numbers)}
    return SampleCompany(company, registration, settings)


def _registration(state: str, location: _Location, numbers: random.Random) -> str:
    """Draws numbers until one has valid check digits of the state: about a hundred times at worst."""
    free_digits = location.registration_length - len(location.registration_prefix)
    while True:
        number = f"{location.registration_prefix}{numbers.randrange(10**free_digits):0{free_digits}}"
        if is_state_registration(number, state):
            return number
