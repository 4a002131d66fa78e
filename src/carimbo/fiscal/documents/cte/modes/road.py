"""The road mode: collection orders."""

from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field, StringConstraints
from pydantic_core import PydanticKnownError

from carimbo.fiscal.body.date_fields import Day
from carimbo.fiscal.body.fields import (
    TAKES_NUMBERS,
    Body,
    Cnpj,
    Phone,
    StateCode,
    StateRegistrationNumber,
    Text,
)
from carimbo.fiscal.layouts.cte_v4.road import CollectionOrder, CollectionOrderIssuer, Road
from carimbo.fiscal.problems import MISSING_FIELD, Incomplete, Problem
from carimbo.fiscal.transport.request import TransportMode


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


def _known_mode(kind: Any) -> Any:
    """Refuses an unknown mode with the names of all: bodies of an unknown mode are read as those of road."""
    if isinstance(kind, str) and kind in list(TransportMode):
        return kind
    raise PydanticKnownError("enum", {"expected": " ou ".join(f"'{mode}'" for mode in TransportMode)})


class RoadBody(Body):
    """Transport by road."""

    kind: Annotated[Literal[TransportMode.ROAD], BeforeValidator(_known_mode)] = Field(
        default=TransportMode.ROAD, description="Modal: road (rodoviário), o padrão."
    )
    collection_orders: Annotated[tuple[CollectionOrderBody, ...], Field(max_length=10)] = Field(
        default=(), description="Ordens de coleta associadas (occ)."
    )


def road_group(body: RoadBody, rntrc: str | None) -> Road:
    """Returns the group of a transport by road, with the carrier's registration at ANTT."""
    if rntrc is None:
        message = "Campo obrigatório: informe o RNTRC no pedido, ou na configuração cte.rntrc da empresa."
        raise Incomplete(Problem(MISSING_FIELD, "rntrc", message))
    return Road(rntrc=rntrc, collection_orders=tuple(map(_collection_order, body.collection_orders)))


def _collection_order(body: CollectionOrderBody) -> CollectionOrder:
    issuer = body.issuer
    return CollectionOrder(
        series=body.series,
        number=body.number,
        issue_date=body.issue_date,
        issuer=CollectionOrderIssuer(
            cnpj=issuer.tax_id,
            code=issuer.code,
            state_registration=issuer.state_registration,
            state=issuer.state,
            phone=issuer.phone,
        ),
    )
