"""Addresses of parties, in Brazil or abroad: in requests, in the database and in answers."""

import unicodedata
from collections.abc import Collection, Mapping
from typing import Annotated, Any

from pydantic import (
    Discriminator,
    Field,
    PlainSerializer,
    StringConstraints,
    Tag,
    TypeAdapter,
    ValidationError,
)
from pydantic.alias_generators import to_camel

from carimbo.fiscal.body.fields import Body, HouseNumber, Record, Text
from carimbo.fiscal.body.reading import drop_blanks_of, is_blank
from carimbo.fiscal.parties.address import CountryCode, PartialAddress, is_brazil, shown_zipcode
from carimbo.fiscal.tables.geography import BRAZIL, find_country

# The lines of an address in messages.
_CALLED = {
    "street": "o logradouro",
    "number": "o número",
    "district": "o bairro",
    "city": "o município",
    "state": "a UF",
    "zipcode": "o CEP",
    "region": "o estado, a província ou a região",
    "postalCode": "o código postal",
}


class ForeignAddressBody(Body):
    """An address abroad; only the country is required."""

    street: Annotated[Text, StringConstraints(max_length=255)] | None = Field(
        default=None, description="Logradouro.", examples=["5th Avenue"]
    )
    number: HouseNumber | None = Field(
        default=None, description="Número do imóvel, ou S/N.", examples=["350"]
    )
    complement: Annotated[Text, StringConstraints(max_length=156)] | None = Field(
        default=None, description="Complemento."
    )
    district: Annotated[Text, StringConstraints(max_length=60)] | None = Field(
        default=None, description="Bairro ou distrito.", examples=["Manhattan"]
    )
    city: Annotated[Text, StringConstraints(max_length=60)] | None = Field(
        default=None, description="Cidade.", examples=["New York"]
    )
    region: Annotated[Text, StringConstraints(max_length=60)] | None = Field(
        default=None, description="Estado, província ou região.", examples=["NY"]
    )
    postal_code: Annotated[Text, StringConstraints(max_length=11)] | None = Field(
        default=None, description="Código postal.", examples=["10118"]
    )
    country_code: CountryCode = Field(
        description="País: duas letras (ISO 3166) ou o código do Banco Central; guardado em letras."
    )


class NationalAddressBody(PartialAddress):
    """A Brazilian address that may be incomplete."""


def is_in_brazil(address: Mapping[str, Any]) -> bool:
    """Returns whether an address, as values by names of our JSON, is in Brazil."""
    return is_brazil(address.get("countryCode"))


def known_address_fields(address: Mapping[str, Any] | None) -> dict[str, Any] | None:
    """Returns a stored address without unknown fields, which another version wrote."""
    if address is None:
        return None
    form = NationalAddressBody if is_in_brazil(address) else ForeignAddressBody
    names = {field.alias for field in form.model_fields.values()}
    return {name: value for name, value in address.items() if name in names}


def address_tag(address: Any) -> str:
    """Returns the union tag of an address: in Brazil or abroad."""
    if isinstance(address, dict):
        return "in Brazil" if is_in_brazil(address) else "abroad"
    return "in Brazil" if isinstance(address, PartialAddress | NationalAddressRecord) else "abroad"


AnyAddress = Annotated[
    Annotated[NationalAddressBody, Tag("in Brazil")] | Annotated[ForeignAddressBody, Tag("abroad")],
    Discriminator(address_tag),
    drop_blanks_of(NationalAddressBody, ForeignAddressBody),
]
_ANY_ADDRESS: TypeAdapter[NationalAddressBody | ForeignAddressBody] = TypeAdapter(AnyAddress)


def missing_fields(address: Body, needed: Collection[str]) -> tuple[str, ...]:
    """Returns the needed fields that an address lacks, by names of our JSON."""
    return tuple([to_camel(name) for name in needed if getattr(address, name) is None])


def filled_address(
    given: Mapping[str, Any] | None, stored: Mapping[str, Any] | None
) -> dict[str, Any] | None:
    """Returns an address with the lines that it lacks, taken from a stored address of the same place.

    Two places are never mixed: if a line differs, the given address is returned unchanged. So is an address
    that lacks only a complement, because many addresses have none.
    """
    lines = {name: value for name, value in (given or {}).items() if not is_blank(value)}
    if not stored:
        return lines or None
    if not lines:
        return dict(stored)
    is_whole = stored.keys() - lines.keys() <= {"complement", "countryCode"}
    return lines if is_whole or not _is_same_place(lines, stored) else {**stored, **lines}


def _is_same_place(address: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    """Returns whether two addresses have the same country and agree in every line that both have."""
    countries = [find_country(place.get("countryCode", BRAZIL)) for place in (address, other)]
    compared = (address.keys() & other.keys()) - {"countryCode"}
    return countries[0] == countries[1] and all(
        _folded(address[name]) == _folded(other[name]) for name in compared
    )


def completed_address(
    own: Mapping[str, Any] | None, other: Mapping[str, Any] | None
) -> dict[str, Any] | None:
    """Returns `filled_address` with the municipality that follows from the lines of both.

    If the lines contradict each other, as Campinas and RJ, the given address is returned unchanged.
    """
    filled = filled_address(own, other)
    if filled is None or filled in (own, other):
        return filled
    try:
        return _ANY_ADDRESS.validate_python(filled).model_dump(by_alias=True, exclude_none=True)
    except ValidationError:
        return dict(own or {})


def _folded(line: Any) -> str:
    """Returns only letters and digits: São Paulo equals SAO PAULO, and 01001-000 equals 01001000."""
    return "".join(filter(str.isalnum, unicodedata.normalize("NFKD", str(line).casefold())))


def missing_lines(fields: Collection[str]) -> str:
    """Returns missing lines of an address for a sentence: "o logradouro, o número"."""
    return ", ".join(_CALLED[name] for name in fields)


def left_out_warning(path: str, fields: Collection[str]) -> str:
    """Returns the warning that an incomplete address is left out of the document."""
    return f"{path}: O endereço está incompleto e fica fora do documento; falta: {missing_lines(fields)}."


class NationalAddressRecord(Record):
    """A stored Brazilian address, shown unchanged even if the tables have changed since."""

    zipcode: Annotated[str, PlainSerializer(shown_zipcode, return_type=str)] | None = Field(
        default=None, examples=["01310-100"]
    )
    street: str | None = Field(default=None, examples=["Avenida Paulista"])
    number: str | None = Field(default=None, examples=["1000"])
    complement: str | None = None
    district: str | None = Field(default=None, examples=["Bela Vista"])
    state: str | None = Field(default=None, examples=["SP"])
    city_code: str | None = Field(default=None, examples=["3550308"])
    city: str | None = Field(default=None, examples=["São Paulo"])
    country_code: str | None = None


class ForeignAddressRecord(Record):
    """A stored address abroad."""

    street: str | None = Field(default=None, examples=["5th Avenue"])
    number: str | None = Field(default=None, examples=["350"])
    complement: str | None = None
    district: str | None = Field(default=None, examples=["Manhattan"])
    city: str | None = Field(default=None, examples=["New York"])
    region: str | None = Field(default=None, examples=["NY"])
    postal_code: str | None = Field(default=None, examples=["10118"])
    country_code: str = Field(examples=["US"])


AnyAddressRecord = Annotated[
    Annotated[NationalAddressRecord, Tag("in Brazil")] | Annotated[ForeignAddressRecord, Tag("abroad")],
    Discriminator(address_tag),
]
