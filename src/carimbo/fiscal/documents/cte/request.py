"""The body of a request for a CT-e."""

from typing import Annotated

from pydantic import Field, StringConstraints

from carimbo.fiscal.body.date_fields import Day
from carimbo.fiscal.body.fields import Body, CityCode, Coded, Flag, Text
from carimbo.fiscal.documents.cte.cargo_body import (
    CargoBody,
    CargoDocumentsBody,
    CarriedVehicleBody,
    PreviousDocumentsBody,
)
from carimbo.fiscal.documents.cte.modes.body import ModeBody
from carimbo.fiscal.documents.cte.modes.road import RoadBody
from carimbo.fiscal.transport.parties import PartyBody, RecipientPartyBody
from carimbo.fiscal.transport.request import DocumentKey, SubstitutionBody, TransportRequest

_Time = Annotated[str, StringConstraints(pattern=r"^([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9])?$")]


class ServiceType(Coded):
    """The kind of service (`tpServ`)."""

    NORMAL = "normal", "0"
    SUBCONTRACTING = "subcontracting", "1"
    REDISPATCH = "redispatch", "2"
    INTERMEDIATE_REDISPATCH = "intermediateRedispatch", "3"
    MULTIMODAL_LINKED = "multimodalLinked", "4"


class TakerRole(Coded):
    """Which party takes the service (`toma`)."""

    SHIPPER = "shipper", "0"
    DISPATCHER = "dispatcher", "1"
    RECEIVER = "receiver", "2"
    RECIPIENT = "recipient", "3"
    OTHER = "other", "4"


class DateMode(Coded):
    """How the delivery date is agreed (`tpPer`)."""

    NONE = "none", "0"
    ON = "on", "1"
    UNTIL = "until", "2"
    FROM = "from", "3"
    BETWEEN = "between", "4"


class TimeMode(Coded):
    """How the delivery time is agreed (`tpHor`)."""

    NONE = "none", "0"
    AT = "at", "1"
    UNTIL = "until", "2"
    FROM = "from", "3"
    BETWEEN = "between", "4"


class DeliveryBody(Body):
    """The agreed date and time of delivery."""

    date_mode: DateMode = Field(
        default=DateMode.NONE, description="Data: none, on, until, from ou between (tpPer)."
    )
    date: Day | None = Field(default=None, description="Data programada, com on, until ou from (dProg).")
    start_date: Day | None = Field(default=None, description="Data inicial, com between (dIni).")
    end_date: Day | None = Field(default=None, description="Data final, com between (dFim).")
    time_mode: TimeMode = Field(
        default=TimeMode.NONE, description="Hora: none, at, until, from ou between (tpHor)."
    )
    time: _Time | None = Field(default=None, description="Hora, com at, until ou from (hProg).")
    start_time: _Time | None = Field(default=None, description="Hora inicial, com between (hIni).")
    end_time: _Time | None = Field(default=None, description="Hora final, com between (hFim).")


class FlowBody(Body):
    """The forecast of the flow of the cargo."""

    origin: Annotated[Text, StringConstraints(max_length=60)] | None = Field(
        default=None, description="Sigla ou código da origem (xOrig)."
    )
    stops: Annotated[tuple[Annotated[Text, StringConstraints(max_length=15)], ...], Field(max_length=100)] = (
        Field(default=(), description="Siglas ou códigos das passagens (xPass).")
    )
    destination: Annotated[Text, StringConstraints(max_length=60)] | None = Field(
        default=None, description="Sigla ou código do destino (xDest)."
    )
    route: Annotated[Text, StringConstraints(max_length=10)] | None = Field(
        default=None, description="Código da rota (xRota)."
    )


class GlobalizedBody(Body):
    """Why one CT-e covers many senders or recipients."""

    notes: Annotated[Text, StringConstraints(min_length=15, max_length=256)] = Field(
        description="Informações do CT-e globalizado (xObs)."
    )


class CteSubstitutionBody(SubstitutionBody):
    """The CT-e that this one replaces, perhaps for another taker."""

    changes_taker: Flag = Field(
        default=False, description="Se a substituição muda o tomador (indAlteraToma)."
    )


class CteRequest(TransportRequest):
    """A CT-e to issue."""

    service_type: ServiceType = Field(
        default=ServiceType.NORMAL,
        description=(
            "Tipo do serviço (tpServ): normal, o padrão, subcontracting, redispatch, intermediateRedispatch"
            " ou multimodalLinked."
        ),
    )
    municipality_start_ibge: CityCode | None = Field(
        default=None,
        description="Código IBGE do município onde a carga é carregada; 9999999 no exterior (cMunIni).",
        examples=["3550308"],
    )
    municipality_end_ibge: CityCode | None = Field(
        default=None,
        description="Código IBGE do município onde a carga é entregue; 9999999 no exterior (cMunFim).",
        examples=["3304557"],
    )
    shipper: PartyBody | None = Field(default=None, description="Remetente (rem).")
    dispatcher: PartyBody | None = Field(default=None, description="Expedidor (exped).")
    receiver: PartyBody | None = Field(default=None, description="Recebedor (receb).")
    recipient: RecipientPartyBody | None = Field(default=None, description="Destinatário (dest).")
    taker: TakerRole = Field(
        default=TakerRole.SHIPPER,
        description=(
            "Tomador do serviço: shipper, o padrão, dispatcher, receiver, recipient ou other, este em"
            " `takerParty` (toma)."
        ),
    )
    taker_party: PartyBody | None = Field(
        default=None, description="Tomador que não é nenhuma das outras partes, com taker other (toma4)."
    )
    receiver_picks_up: Flag = Field(
        default=False, description="Se o recebedor retira a carga no terminal (retira)."
    )
    pickup_details: Annotated[Text, StringConstraints(max_length=160)] | None = Field(
        default=None, description="Detalhes da retirada (xDetRetira)."
    )
    globalized: GlobalizedBody | None = Field(
        default=None, description="CT-e globalizado: vários remetentes ou destinatários (infGlobalizado)."
    )
    cargo: CargoBody | None = Field(
        default=None, description="Carga; obrigatória, exceto no complemento (infCarga)."
    )
    documents: CargoDocumentsBody | None = Field(
        default=None, description="Documentos da carga, uma só das listas (infDoc)."
    )
    previous_documents: Annotated[tuple[PreviousDocumentsBody, ...], Field(max_length=100)] = Field(
        default=(),
        description=(
            "Documentos de transporte anteriores, em subcontratação, redespacho e redespacho intermediário"
            " (docAnt)."
        ),
    )
    substitution: CteSubstitutionBody | None = Field(
        default=None, description="CT-e substituído, com purpose substitution (infCteSub)."
    )
    multimodal_access_keys: Annotated[tuple[DocumentKey, ...], Field(max_length=100)] = Field(
        default=(), description="Chaves dos CT-e multimodais, com multimodalLinked (infServVinc)."
    )
    rntrc: Annotated[str, StringConstraints(pattern="^([0-9]{8}|ISENTO)$")] | None = Field(
        default=None,
        description="RNTRC do modal rodoviário, 8 dígitos ou ISENTO; na falta, o da configuração (RNTRC).",
    )
    modal: ModeBody = Field(
        default=RoadBody(),
        description=(
            "Modal e seus dados, conforme `kind`: road, o padrão, air, water, rail, pipeline ou multimodal."
        ),
    )
    new_vehicles: Annotated[tuple[CarriedVehicleBody, ...], Field(max_length=1000)] = Field(
        default=(), description="Veículos novos transportados (veicNovos)."
    )
    flow: FlowBody | None = Field(default=None, description="Previsão do fluxo da carga (fluxo).")
    delivery: DeliveryBody | None = Field(default=None, description="Previsão da entrega (Entrega).")
    freight_origin: Annotated[Text, StringConstraints(min_length=2, max_length=40)] | None = Field(
        default=None, description="Município de origem para o cálculo do frete (origCalc)."
    )
    freight_destination: Annotated[Text, StringConstraints(min_length=2, max_length=40)] | None = Field(
        default=None, description="Município de destino para o cálculo do frete (destCalc)."
    )

    def party_in(self, role: TakerRole) -> PartyBody | None:
        """Returns the party with a role; None if the request lacks it."""
        return {
            TakerRole.SHIPPER: self.shipper,
            TakerRole.DISPATCHER: self.dispatcher,
            TakerRole.RECEIVER: self.receiver,
            TakerRole.RECIPIENT: self.recipient,
            TakerRole.OTHER: self.taker_party,
        }[role]
