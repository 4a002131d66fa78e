"""A Brazilian address as bodies carry it, with its IBGE municipality."""

from itertools import cycle
from typing import Annotated, Self

from pydantic import Field, StringConstraints, ValidationInfo, field_validator, model_validator
from pydantic_core import PydanticCustomError

from carimbo.fiscal.country_fields import BrazilCode
from carimbo.fiscal.fields import Body, HouseNumber, StateCode, Text, Zipcode
from carimbo.fiscal.tables.municipalities import MUNICIPALITIES, find_municipality, municipality_of_ibge
from carimbo.fiscal.tables.states import STATES

Line = Annotated[Text, StringConstraints(max_length=60)]


class PartialAddress(Body):
    """A place in Brazil as far as it is known.

    The municipality is settled here: `city_code` comes from city and state, or these two from the code.
    The order of the fields matters: a city is checked against the state and the code that stand before it.
    """

    zipcode: Zipcode | None = Field(default=None, description="CEP, com ou sem hífen.")
    street: Line | None = Field(default=None, description="Logradouro.", examples=["Avenida Paulista"])
    number: HouseNumber | None = Field(
        default=None, description="Número do imóvel, ou S/N.", examples=["1000"]
    )
    complement: Line | None = Field(default=None, description="Complemento.", examples=["Sala 12"])
    district: Line | None = Field(default=None, description="Bairro.", examples=["Bela Vista"])
    state: StateCode | None = Field(
        default=None, description="Sigla da UF; deduzida de `cityCode` quando ausente."
    )
    city_code: Annotated[str, StringConstraints(pattern=r"^[0-9]{7}$")] | None = Field(
        default=None,
        description="Código IBGE; deduzido de `city` e `state` quando ausente.",
        examples=["3550308"],
    )
    city: Line | None = Field(
        default=None,
        description="Nome do município; deduzido de `cityCode` quando ausente.",
        examples=["São Paulo"],
    )

    country_code: BrazilCode | None = Field(default=None, description="BR ou 1058; pode faltar.")

    @field_validator("city_code")
    @classmethod
    def of_the_state(cls, code: str | None, info: ValidationInfo) -> str | None:
        """Refuses a code that is unknown or of another state."""
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
        """Refuses a city that its state does not have, or that contradicts the code."""
        if city is None or "state" not in info.data or "city_code" not in info.data:
            return city
        code = info.data["city_code"]
        state = info.data["state"] or _state_of(code)
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
        """Settles the municipality, so that nothing later has to guess it."""
        municipality = municipality_of_ibge(self.city_code) if self.city_code else None
        if municipality is None and self.city and self.state:
            municipality = find_municipality(self.city, self.state)
        if municipality is not None:
            object.__setattr__(self, "city_code", municipality.ibge)
            object.__setattr__(self, "city", self.city or municipality.name)
            object.__setattr__(self, "state", self.state or municipality.state)
        return self


def _state_of(city_code: str | None) -> str | None:
    municipality = municipality_of_ibge(city_code) if city_code else None
    return municipality.state if municipality else None


class Address(PartialAddress):
    """A place in Brazil with every line that a document of its own company needs."""

    zipcode: Zipcode = Field(description="CEP, com ou sem hífen.")
    street: Line = Field(description="Logradouro.", examples=["Avenida Paulista"])
    number: HouseNumber = Field(description="Número do imóvel, ou S/N.", examples=["1000"])
    district: Line = Field(description="Bairro.", examples=["Bela Vista"])
    state: StateCode = Field(description="Sigla da UF.")
    city: Line = Field(description="Nome do município.", examples=["São Paulo"])


def is_of_another_state(code: str, state: str) -> bool:
    """Returns whether an IBGE code, of a state or a city, is of another state than these letters."""
    expected = STATES.rows.get(state)
    return expected is not None and not code.startswith(expected.ibge)


def is_no_city(code: str) -> bool:
    """Returns whether a code can't be a city's; one newer than our table still has the right digit."""
    return code not in MUNICIPALITIES.rows and code[6:] != _city_check_digit(code[:6])


def _city_check_digit(first6: str) -> str:
    """Returns IBGE's modulo 10: weights 1 and 2 in turn, and the digits of the products summed."""
    products = (int(digit) * weight for digit, weight in zip(first6, cycle((1, 2)), strict=False))
    return str(-sum(sum(divmod(product, 10)) for product in products) % 10)
