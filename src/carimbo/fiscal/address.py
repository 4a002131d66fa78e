"""A Brazilian address as bodies carry it, with its IBGE municipality."""

from typing import Annotated, Self

from pydantic import Field, StringConstraints, model_validator
from pydantic_core import InitErrorDetails, PydanticCustomError, ValidationError

from carimbo.fiscal.fields import Body, StateCode, Text, Zipcode
from carimbo.fiscal.tables.municipalities import find_municipality, municipality_of_ibge


class Address(Body):
    """A place in Brazil; `city_code` is filled in from city and state when absent."""

    zipcode: Zipcode
    street: Annotated[Text, StringConstraints(max_length=60)] = Field(examples=["Avenida Paulista"])
    number: Annotated[Text, StringConstraints(max_length=60)] = Field(examples=["1000"])
    complement: Annotated[Text, StringConstraints(max_length=60)] | None = None
    district: Annotated[Text, StringConstraints(max_length=60)] = Field(examples=["Bela Vista"])
    city: Annotated[Text, StringConstraints(max_length=60)] = Field(examples=["São Paulo"])
    state: StateCode
    city_code: Annotated[str, StringConstraints(pattern=r"^[0-9]{7}$")] | None = Field(
        default=None,
        description="Código IBGE; deduzido de `city` e `state` quando ausente.",
        examples=["3550308"],
    )

    @model_validator(mode="after")
    def locate(self) -> Self:
        """Settle the municipality, so that nothing later has to guess it."""
        if self.city_code is None:
            object.__setattr__(self, "city_code", self._found_code())
        else:
            self._check_given_code(self.city_code)
        return self

    def _found_code(self) -> str:
        found = find_municipality(self.city, self.state)
        if found is None:
            raise _field_error(
                "city",
                self.city,
                "city_unknown",
                f"Município não encontrado em {self.state}: confira o nome "
                "ou informe cityCode (código IBGE).",
            )
        return found.ibge

    def _check_given_code(self, city_code: str) -> None:
        known = municipality_of_ibge(city_code)
        if known is None or known.state != self.state:
            raise _field_error(
                "cityCode",
                city_code,
                "city_code_unknown",
                f"Código IBGE não é de um município de {self.state}.",
            )


def _field_error(field: str, given: str, kind: str, message: str) -> ValidationError:
    """Blame one field of the object; a plain ValueError would blame the whole address."""
    problem = PydanticCustomError(kind, message)
    return ValidationError.from_exception_data(
        "Address", [InitErrorDetails(type=problem, loc=(field,), input=given)]
    )
