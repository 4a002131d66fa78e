"""Where a party is, in Brazil or abroad: as bodies give it, and as callers are shown it."""

from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import AfterValidator, Discriminator, Field, PlainSerializer, StringConstraints, Tag
from pydantic_core import PydanticCustomError

from carimbo.fiscal.address import Address
from carimbo.fiscal.fields import Body, CountryCode, Record, Text
from carimbo.fiscal.tables.countries import FOREIGN_COUNTRIES

BRAZIL = "BR"


def _known(letters: str) -> str:
    if letters not in FOREIGN_COUNTRIES.value:
        raise PydanticCustomError("country", "País desconhecido: informe as duas letras, por exemplo US.")
    return letters


class ForeignAddressBody(Body):
    """A place abroad."""

    street: Annotated[Text, StringConstraints(max_length=255)] = Field(
        description="Logradouro.", examples=["5th Avenue"]
    )
    number: Annotated[Text, StringConstraints(max_length=60)] = Field(
        description="Número do imóvel, ou S/N.", examples=["350"]
    )
    complement: Annotated[Text, StringConstraints(max_length=156)] | None = Field(
        default=None, description="Complemento."
    )
    district: Annotated[Text, StringConstraints(max_length=60)] = Field(
        description="Bairro ou distrito.", examples=["Manhattan"]
    )
    city: Annotated[Text, StringConstraints(max_length=60)] = Field(
        description="Cidade.", examples=["New York"]
    )
    region: Annotated[Text, StringConstraints(max_length=60)] = Field(
        description="Estado, província ou região.", examples=["NY"]
    )
    postal_code: Annotated[Text, StringConstraints(max_length=11)] = Field(
        description="Código postal.", examples=["10118"]
    )
    country_code: Annotated[CountryCode, AfterValidator(_known)] = Field(
        description="País, em duas letras (ISO 3166).", examples=["US"]
    )


class NationalAddressBody(Address):
    """A place in Brazil, which may say so."""

    country_code: Annotated[str, StringConstraints(pattern=f"^{BRAZIL}$")] | None = Field(
        default=None, description="BR; pode faltar."
    )


def is_in_brazil(address: Mapping[str, Any]) -> bool:
    """Whether plain values under the names of our JSON are an address in Brazil."""
    return address.get("countryCode") in (None, BRAZIL)


def _where(value: Any) -> str:
    told = value if isinstance(value, dict) else {"countryCode": getattr(value, "country_code", None)}
    return "in Brazil" if is_in_brazil(told) else "abroad"


AnyAddress = Annotated[
    Annotated[NationalAddressBody, Tag("in Brazil")] | Annotated[ForeignAddressBody, Tag("abroad")],
    Discriminator(_where),
]


def _hyphenated(zipcode: str) -> str:
    return f"{zipcode[:5]}-{zipcode[5:]}"


class NationalAddressRecord(Record):
    """A place in Brazil as it was stored: what was right then is shown, whatever the tables say now."""

    zipcode: Annotated[str, PlainSerializer(_hyphenated, return_type=str)] = Field(examples=["01310-100"])
    street: str = Field(examples=["Avenida Paulista"])
    number: str = Field(examples=["1000"])
    complement: str | None = None
    district: str = Field(examples=["Bela Vista"])
    state: str = Field(examples=["SP"])
    city_code: str | None = Field(default=None, examples=["3550308"])
    city: str = Field(examples=["São Paulo"])
    country_code: str | None = None


class ForeignAddressRecord(Record):
    """A place abroad as it was stored."""

    street: str = Field(examples=["5th Avenue"])
    number: str = Field(examples=["350"])
    complement: str | None = None
    district: str = Field(examples=["Manhattan"])
    city: str = Field(examples=["New York"])
    region: str = Field(examples=["NY"])
    postal_code: str = Field(examples=["10118"])
    country_code: str = Field(examples=["US"])


AnyAddressRecord = Annotated[
    Annotated[NationalAddressRecord, Tag("in Brazil")] | Annotated[ForeignAddressRecord, Tag("abroad")],
    Discriminator(_where),
]
