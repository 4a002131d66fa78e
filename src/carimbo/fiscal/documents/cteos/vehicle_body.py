"""Vehicle, owner and charter in requests for a CT-e OS."""

from datetime import datetime
from typing import Annotated

from pydantic import AfterValidator, Field, StringConstraints
from pydantic_core import PydanticCustomError

from carimbo.fiscal.body.date_fields import LocalMoment
from carimbo.fiscal.body.fields import (
    TAKES_NUMBERS,
    Body,
    Coded,
    RecipientRegistration,
    StateCode,
    TaxId,
)
from carimbo.fiscal.parties.company import Name
from carimbo.fiscal.transport.request import Plate

Taf = Annotated[str, StringConstraints(pattern="^[0-9]{12}$"), TAKES_NUMBERS]
# The XSD has moments of this century only.
_CENTURY = 20
StateAgencyRegistration = Annotated[str, StringConstraints(pattern="^[0-9]{25}$")]


class OwnerType(Coded):
    """The kind of carrier that owns the vehicle (`tpProp`)."""

    AGGREGATED_TAC = "aggregatedTac", "0"
    INDEPENDENT_TAC = "independentTac", "1"
    OTHER = "other", "2"


class VehicleOwnerBody(Body):
    """The owner of a vehicle that is not the issuer's."""

    tax_id: TaxId = Field(description="CPF ou CNPJ.")
    name: Name = Field(description="Nome ou razão social (xNome).")
    taf: Taf | None = Field(default=None, description="TAF da ANTT, 12 dígitos (TAF).")
    state_agency_registration: StateAgencyRegistration | None = Field(
        default=None, description="Registro no órgão estadual, 25 dígitos, no lugar do TAF (NroRegEstadual)."
    )
    type: OwnerType = Field(description="Tipo: aggregatedTac, independentTac ou other (tpProp).")
    state_registration: RecipientRegistration | None = Field(
        default=None, description="Inscrição estadual, junto com `state` (IE)."
    )
    state: StateCode | None = Field(default=None, description="UF da inscrição (UF).")


class VehicleBody(Body):
    """The vehicle of the service."""

    plate: Plate = Field(description="Placa, com ou sem hífen (placa).", examples=["ABC1D23"])
    renavam: Annotated[str, StringConstraints(pattern="^[0-9]{9,11}$"), TAKES_NUMBERS] | None = Field(
        default=None, description="RENAVAM, de 9 a 11 dígitos (RENAVAM)."
    )
    state: StateCode | None = Field(default=None, description="UF do licenciamento (UF).")
    owner: VehicleOwnerBody | None = Field(
        default=None, description="Proprietário, se não é a empresa (prop)."
    )


class CharterType(Coded):
    """The kind of charter (`tpFretamento`)."""

    OCCASIONAL = "occasional", "1"
    CONTINUOUS = "continuous", "2"


def _of_this_century(moment: datetime) -> datetime:
    if moment.year // 100 != _CENTURY:
        raise PydanticCustomError("date_text", "Deve ser uma data entre 2000 e 2099.")
    return moment


class CharterBody(Body):
    """The charter of a vehicle for passengers."""

    type: CharterType = Field(description="Tipo: occasional (eventual) ou continuous (contínuo).")
    trip_at: Annotated[LocalMoment, AfterValidator(_of_this_century)] | None = Field(
        default=None,
        description="Data e hora da viagem, com occasional; sem fuso, no da empresa (dhViagem).",
        examples=["2026-12-03T06:00:00-03:00"],
    )
