"""Brazilian addresses in bodies, with their IBGE municipality, and country codes."""

import re
from itertools import cycle
from typing import Annotated, Any, Self

from pydantic import (
    BeforeValidator,
    Field,
    StringConstraints,
    ValidationInfo,
    field_validator,
    model_validator,
)
from pydantic_core import PydanticCustomError

from carimbo.fiscal.body import published
from carimbo.fiscal.body.fields import Body, HouseNumber, StateCode, Text, Zipcode
from carimbo.fiscal.body.published import Published
from carimbo.fiscal.tables.geography import (
    BRAZIL,
    MUNICIPALITIES,
    STATES,
    find_country,
    find_municipality,
    municipality_of_ibge,
)

_UNKNOWN = "País desconhecido: informe as duas letras (US) ou o código do Banco Central (2496)."

_EXAMPLES = Field(examples=["US", "2496"])


def country_letters(value: Any) -> Any:
    """Returns the ISO letters of a country code; values of other types are left for pydantic to refuse."""
    country = find_country(value)
    if country is not None:
        return country.iso2
    if isinstance(value, str | int) and not isinstance(value, bool):
        raise PydanticCustomError("country", _UNKNOWN)
    return value


def is_brazil(code: Any) -> bool:
    """Returns whether a caller's country code is Brazil's; no code means Brazil too."""
    if code is None or (isinstance(code, str) and not code.strip()):
        return True
    country = find_country(code)
    return country is not None and country.iso2 == BRAZIL


CountryCode = Annotated[
    str, BeforeValidator(country_letters), _EXAMPLES, Published(pattern=published.COUNTRY_PATTERN)
]
"""Any country, stored as its letters."""
BrazilCode = Annotated[
    str,
    StringConstraints(pattern=f"^{BRAZIL}$"),
    BeforeValidator(country_letters),
    Published(pattern=published.BRAZIL_PATTERN),
]
"""The code of Brazil, stored as its letters."""


AddressLine = Annotated[Text, StringConstraints(max_length=60)]


class PartialAddress(Body):
    """A Brazilian address that may be incomplete.

    The municipality is completed here: `city_code` from city and state, or these two from the code. The order
    of the fields matters: a city is checked against the state and the code, which precede it.
    """

    zipcode: Zipcode | None = Field(default=None, description="CEP, com ou sem hífen.")
    street: AddressLine | None = Field(default=None, description="Logradouro.", examples=["Avenida Paulista"])
    number: HouseNumber | None = Field(
        default=None, description="Número do imóvel, ou S/N.", examples=["1000"]
    )
    complement: AddressLine | None = Field(default=None, description="Complemento.", examples=["Sala 12"])
    district: AddressLine | None = Field(default=None, description="Bairro.", examples=["Bela Vista"])
    state: StateCode | None = Field(
        default=None, description="Sigla da UF; deduzida de `cityCode` quando ausente."
    )
    city_code: Annotated[str, StringConstraints(pattern=r"^[0-9]{7}$")] | None = Field(
        default=None,
        description="Código IBGE; deduzido de `city` e `state` quando ausente.",
        examples=["3550308"],
    )
    city: AddressLine | None = Field(
        default=None,
        description="Nome do município; deduzido de `cityCode` quando ausente.",
        examples=["São Paulo"],
    )

    country_code: BrazilCode | None = Field(default=None, description="BR ou 1058; pode faltar.")

    @field_validator("city_code")
    @classmethod
    def of_the_state(cls, code: str | None, info: ValidationInfo) -> str | None:
        """Refuses a code that is unknown or belongs to another state."""
        if code is None or "state" not in info.data:
            return code
        state, municipality = info.data["state"], municipality_of_ibge(code)
        if municipality is None or state not in (None, municipality.state):
            place = f"um município de {state}" if state else "nenhum município"
            raise PydanticCustomError("city_code", f"Código IBGE não é de {place}.")
        return code

    @field_validator("city")
    @classmethod
    def of_the_state_and_code(cls, city: str | None, info: ValidationInfo) -> str | None:
        """Refuses a city that does not exist in its state, or that contradicts the code."""
        if city is None or "state" not in info.data or "city_code" not in info.data:
            return city
        code = info.data["city_code"]
        of_code = municipality_of_ibge(code) if code else None
        state = info.data["state"] or (of_code.state if of_code else None)
        if state is None:
            return city
        municipality = find_municipality(city, state)
        if municipality is None and code is None:
            raise PydanticCustomError(
                "city_unknown",
                f"Município não encontrado em {state}: confira o nome ou informe cityCode (código IBGE).",
            )
        if municipality is not None and code not in (None, municipality.ibge):
            raise PydanticCustomError("city_mismatch", "O município não é o do código IBGE informado.")
        return city

    @model_validator(mode="after")
    def locate(self) -> Self:
        """Completes city, state and code of the municipality from each other."""
        municipality = municipality_of_ibge(self.city_code) if self.city_code else None
        if municipality is None and self.city and self.state:
            municipality = find_municipality(self.city, self.state)
        if municipality is not None:
            object.__setattr__(self, "city_code", municipality.ibge)
            object.__setattr__(self, "city", self.city or municipality.name)
            object.__setattr__(self, "state", self.state or municipality.state)
        return self


class Address(PartialAddress):
    """A Brazilian address with all lines that the address of an issuer needs."""

    zipcode: Zipcode = Field(description="CEP, com ou sem hífen.")
    street: AddressLine = Field(description="Logradouro.", examples=["Avenida Paulista"])
    number: HouseNumber = Field(description="Número do imóvel, ou S/N.", examples=["1000"])
    district: AddressLine = Field(description="Bairro.", examples=["Bela Vista"])
    state: StateCode = Field(description="Sigla da UF.")
    city: AddressLine = Field(description="Nome do município.", examples=["São Paulo"])


def is_of_another_state(code: str, state: str) -> bool:
    """Returns whether an IBGE code of a state or city belongs to another state than this one."""
    expected = STATES.rows.get(state)
    return expected is not None and not code.startswith(expected.ibge)


def is_no_city(code: str) -> bool:
    """Returns whether a code can't be a city's. A code that our table lacks needs the right check digit."""
    if code in MUNICIPALITIES.rows:
        return False
    # IBGE's modulo 10: weights 1 and 2, and the digits of the products summed.
    products = (int(digit) * weight for digit, weight in zip(code[:6], cycle((1, 2)), strict=False))
    check_digit = -sum(sum(divmod(product, 10)) for product in products) % 10
    return code[6:] != str(check_digit)


def shown_zipcode(zipcode: str) -> str:
    """Returns a CEP with its hyphen; a foreign postal code as it is."""
    return re.sub("^([0-9]{5})([0-9]{3})$", r"\1-\2", zipcode)
