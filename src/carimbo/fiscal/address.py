"""A Brazilian address as bodies carry it, with its IBGE municipality."""

from typing import Annotated, Self

from pydantic import Field, StringConstraints, ValidationInfo, field_validator, model_validator
from pydantic_core import PydanticCustomError

from carimbo.fiscal.fields import Body, StateCode, Text, Zipcode
from carimbo.fiscal.tables.municipalities import find_municipality, municipality_of_ibge

Line = Annotated[Text, StringConstraints(max_length=60)]


class Address(Body):
    """A place in Brazil; `city_code` is filled in from city and state when absent.

    The order of the fields matters: a city is checked against the state and the code that stand before it.
    """

    zipcode: Zipcode = Field(description="CEP, com ou sem hífen.")
    street: Line = Field(description="Logradouro.", examples=["Avenida Paulista"])
    number: Line = Field(description="Número do imóvel, ou S/N.", examples=["1000"])
    complement: Line | None = Field(default=None, description="Complemento.", examples=["Sala 12"])
    district: Line = Field(description="Bairro.", examples=["Bela Vista"])
    state: StateCode = Field(description="Sigla da UF.")
    city_code: Annotated[str, StringConstraints(pattern=r"^[0-9]{7}$")] | None = Field(
        default=None,
        description="Código IBGE; deduzido de `city` e `state` quando ausente.",
        examples=["3550308"],
    )
    city: Line = Field(description="Nome do município.", examples=["São Paulo"])

    @field_validator("city_code")
    @classmethod
    def of_the_state(cls, code: str | None, info: ValidationInfo) -> str | None:
        """Refuse a code that is unknown or of another state."""
        known = municipality_of_ibge(code) if code is not None else None
        state = info.data.get("state")
        if code is not None and state is not None and (known is None or known.state != state):
            raise PydanticCustomError("city_code", f"Código IBGE não é de um município de {state}.")
        return code

    @field_validator("city")
    @classmethod
    def of_the_state_and_code(cls, city: str, info: ValidationInfo) -> str:
        """Refuse a city that its state does not have, or that contradicts the code."""
        state, code = info.data.get("state"), info.data.get("city_code")
        if state is None or "city_code" not in info.data:
            return city
        found = find_municipality(city, state)
        if found is None and code is None:
            raise PydanticCustomError(
                "city_unknown",
                f"Município não encontrado em {state}: confira o nome ou informe cityCode (código IBGE).",
            )
        if found is not None and code not in (None, found.ibge):
            raise PydanticCustomError("city_mismatch", "O município não é o do código IBGE informado.")
        return city

    @model_validator(mode="after")
    def locate(self) -> Self:
        """Settle the municipality, so that nothing later has to guess it."""
        found = find_municipality(self.city, self.state)
        if self.city_code is None and found is not None:
            object.__setattr__(self, "city_code", found.ibge)
        return self
