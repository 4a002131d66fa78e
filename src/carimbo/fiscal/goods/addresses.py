"""Addresses in documents of goods: as a body gives them, and as the layout writes them."""

import re
from typing import Annotated, Any

from pydantic import BeforeValidator, Discriminator, Field, Tag

from carimbo.fiscal.address import Line, PartialAddress
from carimbo.fiscal.body_reading import drop_blanks_of
from carimbo.fiscal.country_fields import country_letters
from carimbo.fiscal.fields import Body, HouseNumber
from carimbo.fiscal.findings import Findings
from carimbo.fiscal.layouts.nfe_v4 import parties as layout
from carimbo.fiscal.party_address import (
    NationalAddressBody,
    left_out_warning,
    missing_fields,
    missing_in_words,
    where,
)
from carimbo.fiscal.problems import Problem
from carimbo.fiscal.tables.countries import find_country

BRAZIL_CODE = "1058"
"""The Central Bank's code of Brazil (`cPais`)."""
ELLIPSIS = "…"
"""The one character that becomes longer when it is written."""
_LONGEST_LINE = 60
_BACEN_LENGTH = 4
_BACEN_CODE = re.compile(r"[0-9]{1,4}")
# The layout has CEP as optional, and codes of its own for a municipality abroad (MOC 7.0, E05 to E16).
_NEEDED_ABROAD = ("street", "number", "district")
_NEEDED_IN_BRAZIL = (*_NEEDED_ABROAD, "city", "state")


def _country_of_goods(value: Any) -> Any:
    """Returns the letters of a country; digits stay if our table lacks them: the Portal's may have them."""
    if find_country(value) is None and _BACEN_CODE.fullmatch(str(value)):
        return str(value).zfill(_BACEN_LENGTH)
    return country_letters(value)


class ForeignAddress(Body):
    """A place abroad, as far as it is known: it has no municipality and no state."""

    street: Line | None = Field(default=None, description="Logradouro.", examples=["5th Avenue"])
    number: HouseNumber | None = Field(
        default=None, description="Número do imóvel, ou S/N.", examples=["350"]
    )
    complement: Line | None = Field(default=None, description="Complemento.")
    district: Line | None = Field(default=None, description="Bairro ou distrito.", examples=["Manhattan"])
    city: Line | None = Field(
        default=None,
        description="Vai no complemento do endereço (xCpl), se couber: a nota leva EXTERIOR como município.",
    )
    country_code: Annotated[str, BeforeValidator(_country_of_goods)] = Field(
        description="País: duas letras (ISO 3166) ou o código do Banco Central (cPais).",
        examples=["US", "2496"],
    )
    country: Line | None = Field(
        default=None,
        description="Nome do país; na falta, o da tabela do Banco Central (xPais).",
        examples=["ESTADOS UNIDOS"],
    )


RecipientAddress = Annotated[
    Annotated[NationalAddressBody, Tag("in Brazil")] | Annotated[ForeignAddress, Tag("abroad")],
    Discriminator(where),
    drop_blanks_of(NationalAddressBody, ForeignAddress),
]


def recipient_address(
    address: RecipientAddress | None, phone: str | None, findings: Findings, rule: str | None
) -> layout.Address | None:
    """Returns the address of a buyer as the layout shows it, with the telephone; None if lines are missing.

    `rule` is the code of the rule that demands the address. Without one, an incomplete address is left out
    with a warning.
    """
    if address is None:
        return None
    is_abroad = isinstance(address, ForeignAddress)
    missing = missing_fields(address, _NEEDED_ABROAD if is_abroad else _NEEDED_IN_BRAZIL)
    if not missing:
        return _abroad(address, phone) if isinstance(address, ForeignAddress) else national(address, phone)
    if rule is None:
        findings.assumed(left_out_warning("recipient.address", missing))
    else:
        findings.missed_all(_address_problem(rule, name) for name in missing)
    return None


def _address_problem(rule: str, field: str) -> Problem:
    path = f"recipient.address.{field}"
    message = f"O documento precisa do endereço do destinatário, em que falta {missing_in_words([field])}."
    return Problem(rule, path, message, f"Informe {path}.", "Leiaute da NF-e 4.00, E05")


def as_written(line: str) -> str:
    """Returns a line with the length that it has in the document: an ellipsis becomes three dots there."""
    return " ".join(line.split()).replace(ELLIPSIS, "...")


def national(address: PartialAddress, phone: str | None) -> layout.Address:
    """Returns an address in Brazil as the layout shows it, with the telephone."""
    return layout.Address(
        street=address.street or "",
        number=address.number or "",
        complement=address.complement,
        district=address.district or "",
        city_code=address.city_code or "",
        city=address.city or "",
        state=address.state or "",
        zipcode=address.zipcode,
        country_code=BRAZIL_CODE,
        country="BRASIL",
        phone=phone,
    )


def _abroad(address: ForeignAddress, phone: str | None) -> layout.Address:
    """Returns an address abroad, with the codes that the layout has for it (MOC 7.0, E10 to E12).

    The layout has no element for a city abroad. It goes into the complement, so that XML and DANFE have it.
    """
    own, city = address.complement or "", address.city or ""
    complement = own if city.casefold() in own.casefold() else ", ".join(filter(None, (own, city)))
    country = find_country(address.country_code)
    return layout.Address(
        street=address.street or "",
        number=address.number or "",
        complement=(complement if len(as_written(complement)) <= _LONGEST_LINE else own) or None,
        district=address.district or "",
        city_code="9999999",
        city="EXTERIOR",
        state="EX",
        country_code=country.code if country else address.country_code,
        country=address.country or (country.name if country else None),
        phone=phone,
    )
