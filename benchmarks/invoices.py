"""The invoices of the benchmark: sales of a shop, no two of them alike.

No item says anything of its taxes. Under the Simples Nacional they are codes alone; under the normal regime
ICMS, PIS, COFINS and the taxes of the reform are computed.

carimbo remembers how short values are written (512 of each element), so values that differ from one sale to
the next in real life have to differ here too, and there must be far more of them than are remembered.
"""

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, timezone
from decimal import Decimal
from functools import cache
from itertools import count, cycle
from pathlib import Path
from typing import Any

from carimbo.fiscal.documents.nfe.request import NfeRequest
from carimbo.fiscal.documents.nfe.settings import NfeSettings
from carimbo.fiscal.emission import Emission
from carimbo.fiscal.environment import Environment
from carimbo.fiscal.identity.access_key import choose_numeric_code
from carimbo.fiscal.identity.certificate import A1Certificate
from carimbo.fiscal.identity.gtin import check_digit
from carimbo.fiscal.identity.signature import Signer
from carimbo.fiscal.identity.tax_ids import cnpj_check_digits, cpf_check_digits
from carimbo.fiscal.issuance import Issuance, Software
from carimbo.fiscal.parties.company import PisCofinsRegime, TaxRegime
from carimbo.fiscal.parties.company_file import CompanyFile, certificate_of, read_json_file
from carimbo.fiscal.schemas import Schemas

EXAMPLES = Path(__file__).parents[1] / "examples"
ITEMS_PREPARED = 10_000
MIN_REQUESTS = 200
MAX_REQUESTS = 2_000

_BRASILIA = timezone(timedelta(hours=-3))
FIRST_SALE = datetime(2026, 11, 2, 8, tzinfo=UTC).astimezone(_BRASILIA)
_GOODS = ("Caneca", "Prato", "Copo", "Jarra", "Tigela", "Bandeja", "Garrafa", "Panela", "Xícara", "Travessa")
_STUFF = ("de cerâmica", "de vidro", "de aço inox", "esmaltada", "de porcelana", "de bambu", "térmica")
_COLOURS = ("azul", "branca", "preta", "verde", "âmbar", "cinza", "vermelha", "natural")
_NCM = ("69120000", "70134900", "73239300", "69111010", "44199000", "96170010")
_NAMES = ("Ana", "Bruno", "Carla", "Diego", "Elisa", "Fábio", "Gilda", "Hugo", "Íris", "João", "Lia", "Mário")
_FAMILIES = ("Almeida", "Barros", "Conceição", "Dias", "Esteves", "Farias", "Guimarães", "Lopes", "Moraes")
_STREETS = ("Rua das Acácias", "Avenida Brasil", "Rua São João", "Travessa do Comércio", "Alameda Santos")
_CITIES = (
    ("São Paulo", "01001000", "Sé"),
    ("Campinas", "13010001", "Centro"),
    ("Santos", "11010001", "Gonzaga"),
    ("Sorocaba", "18010001", "Vila Hortência"),
)


# Valid ones of São Paulo: few random numbers have the right check digits.
_REGISTRATIONS = (
    "110042490114",
    "111111110110",
    "111111110225",
    "111111110330",
    "111111110444",
    "111111110559",
)


@dataclass(frozen=True, slots=True)
class Sale:
    """One document to be issued: a validated request and what it is issued under."""

    request: NfeRequest
    issuance: Issuance


def company(regime: TaxRegime) -> CompanyFile:
    """The company of the examples, issuing for real: in homologation all recipients have the same name."""
    changes = {
        "taxRegime": regime,
        "pisCofinsRegime": PisCofinsRegime.NON_CUMULATIVE,
        "defaults": {"icmsRate": 18},
        "environment": Environment.PRODUCTION,
    }
    return CompanyFile.model_validate(read_json_file(EXAMPLES / "company.json") | changes)


@cache
def certificate() -> A1Certificate:
    """The certificate of the examples, opened once: that takes tenths of a second."""
    return certificate_of(company(TaxRegime.SIMPLES), EXAMPLES)


@cache
def prepared_requests(items: int) -> Sequence[NfeRequest]:
    """As many different requests as make 10,000 items, within limits; the same ones in every run."""
    many = min(max(ITEMS_PREPARED // items, MIN_REQUESTS), MAX_REQUESTS)
    chance = random.Random(items)
    return [NfeRequest.model_validate(_body(items, chance)) for _ in range(many)]


def sales_of(prepared: Sequence[NfeRequest], regime: TaxRegime) -> Iterator[Sale]:
    """Sales without end: requests come back in turn, each time with the next number and a later moment."""
    seller, chance = company(regime), random.Random(0)
    signer, schemas = Signer.of(certificate()), Schemas()
    software, settings = Software("carimbo"), NfeSettings()
    for number, request in zip(count(1), cycle(prepared), strict=False):
        code = choose_numeric_code(number, lambda: chance.randrange(100_000_000))
        moment = FIRST_SALE + timedelta(seconds=number)
        emission = Emission(seller.environment, settings.series, number, code, moment)
        yield Sale(request, Issuance(seller, emission, software, settings, signer, schemas, moment))


def _body(items: int, chance: random.Random) -> dict[str, Any]:
    return {"recipient": recipient(chance), "items": [_item(chance) for _ in range(items)]}


def recipient(chance: random.Random) -> dict[str, Any]:
    """A customer in the state of São Paulo, by chance."""
    city, zipcode, district = chance.choice(_CITIES)
    name = f"{chance.choice(_NAMES)} {chance.choice(_FAMILIES)} {chance.choice(_FAMILIES)}"
    address = {
        "street": chance.choice(_STREETS),
        "number": str(chance.randrange(1, 4_000)),
        "district": district,
        "city": city,
        "state": "SP",
        "zipcode": zipcode,
    }
    email = f"compras{chance.randrange(100_000)}@example.com"
    return {**_taxpayer(chance), "name": name, "email": email, "address": address}


def _taxpayer(chance: random.Random) -> dict[str, str]:
    if chance.random() < 0.5:
        first = f"{chance.randrange(1, 999_999_999):09d}"
        return {"taxId": first + cpf_check_digits(first)}
    first = f"{chance.randrange(1, 99_999_999):08d}0001"
    return {
        "taxId": first + cnpj_check_digits(first),
        "stateRegistration": chance.choice(_REGISTRATIONS),
    }


def _item(chance: random.Random) -> dict[str, Any]:
    quantity = Decimal(chance.randrange(1, 4_000)) / (100 if chance.random() < 0.3 else 1)
    unit_value = Decimal(chance.randrange(100, 99_999)) / 100
    words = chance.choice(_GOODS), chance.choice(_STUFF), chance.choice(_COLOURS)
    return {
        "sku": f"SKU-{chance.randrange(1_000_000):06d}",
        "gtin": _gtin(chance),
        "description": f"{' '.join(words)} {chance.randrange(100, 2_000)} ml",
        "ncm": chance.choice(_NCM),
        "quantity": quantity,
        "unitValue": unit_value,
    }


def _gtin(chance: random.Random) -> str:
    body = f"{chance.randrange(789 * 10**9, 790 * 10**9)}"
    return body + check_digit(body)
