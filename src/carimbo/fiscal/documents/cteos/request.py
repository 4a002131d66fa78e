"""The body of a request for a CT-e OS."""

from typing import Annotated, Literal

from pydantic import Field, StringConstraints

from carimbo.fiscal.body.date_fields import Day
from carimbo.fiscal.body.fields import (
    TAKES_NUMBERS,
    Body,
    CityCode,
    Coded,
    Money,
    Notes,
    Quantity,
    StateCode,
    Text,
)
from carimbo.fiscal.documents.cteos.vehicle_body import (
    CharterBody,
    StateAgencyRegistration,
    Taf,
    VehicleBody,
)
from carimbo.fiscal.layouts.dfe_v1.route import MAX_ROUTE_STATES
from carimbo.fiscal.transport.parties import PartyBody
from carimbo.fiscal.transport.request import DocumentKey, TransportMode, TransportRequest


class OsServiceType(Coded):
    """The kind of service (`tpServ`)."""

    PASSENGERS = "passengers", "6"
    VALUABLES = "valuables", "7"
    EXCESS_BAGGAGE = "excessBaggage", "8"


class OsModeBody(Body):
    """The mode of transport."""

    kind: Literal[TransportMode.ROAD, TransportMode.AIR, TransportMode.WATER, TransportMode.RAIL] = Field(
        default=TransportMode.ROAD, description="Modal: road, o padrão, air, water ou rail."
    )


class FederalTaxesBody(Body):
    """Federal taxes on the service."""

    pis: Money | None = Field(default=None, description="PIS, até 2026 (vPIS).")
    cofins: Money | None = Field(default=None, description="COFINS, até 2026 (vCOFINS).")
    ir: Money | None = Field(default=None, description="Imposto de renda (vIR).")
    inss: Money | None = Field(
        default=None,
        description="INSS; na falta, zero com aviso, se o tomador de pessoas tem CNPJ (vINSS).",
    )
    csll: Money | None = Field(default=None, description="CSLL (vCSLL).")


class InsuranceResponsible(Coded):
    """Who insured the trip (`respSeg`)."""

    ISSUER = "issuer", "4"
    TAKER = "taker", "5"


class InsuranceBody(Body):
    """An insurance of the trip."""

    responsible: InsuranceResponsible = Field(description="Responsável: issuer ou taker (respSeg).")
    insurer_name: Annotated[Text, StringConstraints(max_length=30)] | None = Field(
        default=None, description="Seguradora (xSeg)."
    )
    policy_number: Annotated[Text, StringConstraints(max_length=20), TAKES_NUMBERS] | None = Field(
        default=None, description="Número da apólice (nApol)."
    )


class ReferencedTicketBody(Body):
    """The ticket of a passenger with excess baggage: on paper, or electronic by its key."""

    number: Annotated[Text, StringConstraints(max_length=20), TAKES_NUMBERS] | None = Field(
        default=None, description="Número do bilhete em papel (nDoc)."
    )
    series: Annotated[Text, StringConstraints(max_length=3), TAKES_NUMBERS] | None = Field(
        default=None, description="Série (serie)."
    )
    subseries: Annotated[Text, StringConstraints(max_length=3), TAKES_NUMBERS] | None = Field(
        default=None, description="Subsérie (subserie)."
    )
    issue_date: Day | None = Field(default=None, description="Data de emissão (dEmi).")
    amount: Money | None = Field(default=None, description="Valor, em reais (vDoc).")
    bpe_access_key: DocumentKey | None = Field(
        default=None, description="Chave do BP-e, no lugar dos outros campos (chBPe)."
    )


class GtveComponentType(Coded):
    """The kind of a part of the price of valuables (`tpComp`)."""

    CUSTODY = "custody", "1"
    BOARDING = "boarding", "2"
    WAITING_TIME = "waitingTime", "3"
    POUCH = "pouch", "4"
    AD_VALOREM = "adValorem", "5"
    OTHER = "other", "6"


class GtveComponentBody(Body):
    """A part of the price of a transport guide."""

    type: GtveComponentType = Field(
        description="Tipo: custody, boarding, waitingTime, pouch, adValorem ou other (tpComp)."
    )
    amount: Money = Field(description="Valor, em reais (vComp).")
    description: Annotated[Text, StringConstraints(max_length=15)] | None = Field(
        default=None, description="Descrição, com other (xComp)."
    )


class GtveBody(Body):
    """An electronic transport guide of valuables (GTV-e)."""

    access_key: DocumentKey = Field(description="Chave da GTV-e, modelo 64 (chCTe).")
    components: Annotated[tuple[GtveComponentBody, ...], Field(min_length=1, max_length=100)] = Field(
        description="Componentes do valor; os de todas as GTV-e somam o valor da prestação (Comp)."
    )


class CteOsRequest(TransportRequest):
    """A CT-e OS to issue."""

    service_type: OsServiceType = Field(
        description="Serviço: passengers (pessoas), valuables (valores) ou excessBaggage (tpServ)."
    )
    service_description: Annotated[Notes, StringConstraints(max_length=2000)] | None = Field(
        default=None,
        description=(
            "Descrição do serviço; obrigatória, exceto no complemento. O campo do XML tem 30 caracteres:"
            " a descrição mais longa vai inteira nas observações (xDescServ)."
        ),
        examples=["Fretamento eventual de ônibus"],
    )
    service_quantity: Annotated[Quantity, Field(gt=0)] | None = Field(
        default=None, description="Quantidade de passageiros, bagagens ou volumes (qCarga)."
    )
    taker_party: PartyBody | None = Field(
        default=None, description="Tomador do serviço; obrigatório, exceto em excesso de bagagem (toma)."
    )
    municipality_start_ibge: CityCode | None = Field(
        default=None,
        description="Código IBGE do município de início; obrigatório em passengers (cMunIni).",
        examples=["3550308"],
    )
    municipality_end_ibge: CityCode | None = Field(
        default=None,
        description="Código IBGE do município de término; obrigatório em passengers (cMunFim).",
        examples=["2925303"],
    )
    route: Annotated[tuple[StateCode, ...], Field(max_length=MAX_ROUTE_STATES)] = Field(
        default=(),
        description=(
            "UFs entre a de início e a de término, na ordem da viagem; na falta, o caminho com menos UFs, com"
            " aviso (UFPer)."
        ),
        examples=[["MG"]],
    )
    modal: OsModeBody = Field(default=OsModeBody(), description="Modal; na falta, rodoviário.")
    taf: Taf | None = Field(
        default=None,
        description=(
            "TAF da ANTT, 12 dígitos: este ou `stateAgencyRegistration`. Em pessoas entre estados é este"
            " (TAF)."
        ),
    )
    state_agency_registration: StateAgencyRegistration | None = Field(
        default=None,
        description=(
            "Registro no órgão estadual, 25 dígitos: este ou `taf`. Em pessoas dentro de um estado é este"
            " (NroRegEstadual)."
        ),
    )
    vehicle: VehicleBody | None = Field(default=None, description="Veículo da viagem (veic).")
    charter: CharterBody | None = Field(
        default=None, description="Fretamento; obrigatório em pessoas por rodovia (infFretamento)."
    )
    federal_taxes: FederalTaxesBody | None = Field(
        default=None, description="Tributos federais (infTribFed)."
    )
    insurance: Annotated[tuple[InsuranceBody, ...], Field(max_length=100)] = Field(
        default=(), description="Seguros da viagem (seg)."
    )
    referenced_documents: Annotated[tuple[ReferencedTicketBody, ...], Field(max_length=1000)] = Field(
        default=(), description="Bilhetes dos passageiros, com excessBaggage (infDocRef)."
    )
    canceled_access_key: DocumentKey | None = Field(
        default=None,
        description="Chave do CT-e OS cancelado que este sucede, em valores e bagagem (refCTeCanc).",
    )
    gtves: Annotated[tuple[GtveBody, ...], Field(max_length=1000)] = Field(
        default=(), description="GTV-e do transporte de valores (infGTVe)."
    )
