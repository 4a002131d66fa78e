"""The mode of transport in requests for a CT-e."""

from typing import Annotated

from pydantic import Field, StringConstraints

from carimbo.fiscal.body.date_fields import Day
from carimbo.fiscal.body.fields import (
    TAKES_NUMBERS,
    Body,
    Cnpj,
    Coded,
    Phone,
    StateCode,
    StateRegistrationNumber,
    Text,
)


class TransportMode(Coded):
    """The mode of transport (`modal`)."""

    ROAD = "road", "01"


class CollectionOrderIssuerBody(Body):
    """The company that issued a collection order."""

    tax_id: Cnpj = Field(description="CNPJ de quem emitiu a ordem.")
    code: Annotated[Text, StringConstraints(max_length=10), TAKES_NUMBERS] | None = Field(
        default=None, description="Código interno da transportadora (cInt)."
    )
    state_registration: StateRegistrationNumber = Field(description="Inscrição estadual (IE).")
    state: StateCode = Field(description="UF (UF).")
    phone: Phone | None = Field(default=None, description="Telefone com DDD (fone).")


class CollectionOrderBody(Body):
    """The order by which the cargo was collected."""

    series: Annotated[Text, StringConstraints(max_length=3), TAKES_NUMBERS] | None = Field(
        default=None, description="Série (serie)."
    )
    number: Annotated[str, StringConstraints(pattern="^[1-9][0-9]{0,5}$"), TAKES_NUMBERS] = Field(
        description="Número, de 1 a 6 dígitos (nOcc).", examples=["1021"]
    )
    issue_date: Day = Field(description="Data de emissão (dEmi).")
    issuer: CollectionOrderIssuerBody = Field(description="Emitente da ordem (emiOcc).")


class ModeBody(Body):
    """The mode of transport and its data."""

    kind: TransportMode = Field(default=TransportMode.ROAD, description="Modal: road (rodoviário).")
    collection_orders: Annotated[tuple[CollectionOrderBody, ...], Field(max_length=10)] = Field(
        default=(), description="Ordens de coleta associadas (occ)."
    )
