"""The request fields that CT-e and CT-e OS share."""

from typing import Annotated

from pydantic import AfterValidator, BeforeValidator, Field, StringConstraints

from carimbo.fiscal.body.date_fields import IsoDay
from carimbo.fiscal.body.fields import (
    Body,
    Cfop,
    CityCode,
    Cnpj,
    Coded,
    Email,
    ExternalId,
    Money,
    Notes,
    Phone,
    Text,
)
from carimbo.fiscal.identity.tax_ids import normalize
from carimbo.fiscal.layouts.cte_v4.complement import AuthorityObservation, TakerObservation
from carimbo.fiscal.layouts.cte_v4.service import FreightBilling
from carimbo.fiscal.parties.recipient import Contribution, ReaderBody
from carimbo.fiscal.transport.parties import PartyBody
from carimbo.fiscal.transport.taxes_body import (
    EndStateShareBody,
    FreightIbsCbsBody,
    GovernmentTakerBody,
    ServiceIcmsBody,
)

DocumentKey = Annotated[str, StringConstraints(max_length=60), AfterValidator(normalize)]
"""An access key, with or without blanks between its parts; rules check it, each with its own code."""
MAX_COMPONENT_NAME_LENGTH = 15


def _plain_plate(plate: object) -> object:
    return plate.replace("-", "").replace(" ", "").upper() if isinstance(plate, str) else plate


Plate = Annotated[
    str,
    BeforeValidator(_plain_plate),
    StringConstraints(pattern="^([A-Z]{2,3}[0-9]{4}|[A-Z]{3,4}[0-9]{3}|[A-Z0-9]{7})$"),
]
"""The plate of a vehicle (`TPlaca`)."""


class ServicePurpose(Coded):
    """The purpose of the document (`tpCTe`)."""

    NORMAL = "normal", "0"
    COMPLEMENT = "complement", "1"
    SUBSTITUTION = "substitution", "3"


class TransportMode(Coded):
    """The mode of transport (`modal`); CT-e OS have the first four."""

    ROAD = "road", "01"
    AIR = "air", "02"
    WATER = "water", "03"
    RAIL = "rail", "04"
    PIPELINE = "pipeline", "05"
    MULTIMODAL = "multimodal", "06"


class PriceComponentBody(Body):
    """A part of the price."""

    name: Text = Field(
        description="Nome, cortado em 15 caracteres com aviso (xNome).", examples=["FRETE PESO"]
    )
    amount: Money = Field(description="Valor, em reais (vComp).")


class SubstitutionBody(Body):
    """The document that this one replaces."""

    access_key: DocumentKey = Field(description="Chave do CT-e substituído (chCte).")


class TechResponsibleBody(Body):
    """The technical contact for the software of the caller."""

    tax_id: Cnpj = Field(description="CNPJ do responsável técnico.")
    contact: Annotated[Text, StringConstraints(min_length=2, max_length=60)] = Field(
        description="Nome da pessoa de contato (xContato)."
    )
    email: Annotated[Email, StringConstraints(max_length=60)] = Field(description="E-mail de contato.")
    phone: Annotated[Phone, StringConstraints(min_length=7, max_length=12)] = Field(
        description="Telefone com DDD, de 7 a 12 dígitos (fone)."
    )
    csrt_id: Annotated[str, StringConstraints(pattern="^[0-9]{3}$")] | None = Field(
        default=None, description="Identificador do CSRT, 3 dígitos, junto com `csrt` (idCSRT)."
    )
    csrt: Annotated[Text, StringConstraints(max_length=36)] | None = Field(
        default=None, description="Código de segurança do responsável técnico; o CT-e leva só o hash."
    )


class TransportRequest(Body):
    """The fields that requests of CT-e and CT-e OS share."""

    purpose: ServicePurpose = Field(
        default=ServicePurpose.NORMAL,
        description="Finalidade (tpCTe): normal, o padrão, complement (de valores) ou substitution.",
    )
    cfop: Cfop | None = Field(
        default=None,
        description="CFOP da prestação; na falta, pelos locais, pelo serviço e pelo tomador.",
        examples=["6353"],
    )
    nature: Annotated[Text, StringConstraints(max_length=60)] = Field(
        default="PRESTACAO DE SERVICO DE TRANSPORTE",
        description="Natureza da operação; na falta, PRESTACAO DE SERVICO DE TRANSPORTE (natOp).",
    )
    municipality_start_ibge: CityCode | None = Field(
        default=None, description="Código IBGE do município de início (cMunIni).", examples=["3550308"]
    )
    municipality_end_ibge: CityCode | None = Field(
        default=None, description="Código IBGE do município de término (cMunFim).", examples=["3304557"]
    )
    taker_contribution: Contribution | None = Field(
        default=None,
        description="Situação do tomador no ICMS: contributor, exempt ou none; na falta, pela inscrição"
        " (indIEToma).",
    )
    service_amount: Money = Field(
        description="Valor da prestação, em reais; a partir de 2027 contém IBS e CBS (vTPrest)."
    )
    net_service_amount: Money | None = Field(
        default=None, description="Valor da prestação sem tributos, da NT CT-e 2026.004 (vTPrestLiq)."
    )
    receivable_amount: Money | None = Field(
        default=None, description="Valor a receber; na falta, o da prestação (vRec)."
    )
    components: Annotated[tuple[PriceComponentBody, ...], Field(max_length=100)] = Field(
        default=(), description="Componentes do valor, que somam o valor da prestação (Comp)."
    )
    icms: ServiceIcmsBody = Field(description="ICMS da prestação; pode ser {} (ICMS).")
    state_share: EndStateShareBody | None = Field(
        default=None, description="ICMS da UF de término com tomador não contribuinte (ICMSUFFim)."
    )
    ibs_cbs: FreightIbsCbsBody | None = Field(
        default=None, description="IBS e CBS; no regime normal, calculados na falta (IBSCBS)."
    )
    government_purchase: GovernmentTakerBody | None = Field(
        default=None, description="Serviço a ente público, que reduz IBS e CBS (gCompraGov)."
    )
    approximate_taxes: Money | None = Field(
        default=None, description="Valor aproximado dos tributos, em reais (vTotTrib)."
    )
    authority_notes: Annotated[Notes, StringConstraints(max_length=2000)] | None = Field(
        default=None, description="Informações de interesse do fisco (infAdFisco)."
    )
    complemented_access_keys: Annotated[tuple[DocumentKey, ...], Field(max_length=10)] = Field(
        default=(), description="Chaves dos CT-e que este complementa, de 1 a 10 (infCteComp)."
    )
    substitution: SubstitutionBody | None = Field(
        default=None, description="CT-e substituído, com purpose substitution (infCteSub)."
    )
    taker_party: PartyBody | None = Field(default=None, description="Tomador do serviço.")
    billing: FreightBilling | None = Field(default=None, description="Fatura e duplicatas (cobr).")
    notes: Annotated[Notes, StringConstraints(max_length=2000)] | None = Field(
        default=None, description="Observações gerais (xObs)."
    )
    observations: Annotated[tuple[TakerObservation, ...], Field(max_length=10)] = Field(
        default=(), description="Observações de uso livre do emitente (ObsCont)."
    )
    authority_observations: Annotated[tuple[AuthorityObservation, ...], Field(max_length=10)] = Field(
        default=(), description="Observações de uso livre para o fisco (ObsFisco)."
    )
    transport_characteristic: Annotated[Text, StringConstraints(max_length=15)] | None = Field(
        default=None, description="Característica adicional do transporte (xCaracAd)."
    )
    service_characteristic: Annotated[Text, StringConstraints(max_length=30)] | None = Field(
        default=None, description="Característica adicional do serviço (xCaracSer)."
    )
    issued_by: Annotated[Text, StringConstraints(max_length=20)] | None = Field(
        default=None, description="Funcionário emissor do CT-e (xEmi)."
    )
    authorized_readers: Annotated[tuple[ReaderBody, ...], Field(max_length=10)] = Field(
        default=(), description="Quem mais pode baixar o XML (autXML)."
    )
    tech_responsible: TechResponsibleBody | None = Field(
        default=None, description="Responsável técnico; na falta, o da instalação (infRespTec)."
    )
    issue_date: IsoDay | None = Field(
        default=None,
        description="Data e hora de emissão; sem fuso, no da empresa; na falta, ou com o dia de hoje, agora"
        " (dhEmi).",
        examples=["2026-11-24T08:30:00-03:00"],
    )
    external_id: ExternalId | None = Field(
        default=None,
        description="Identificador no sistema de quem chama; o mesmo não cria um segundo documento.",
    )

    @property
    def corrected_keys(self) -> tuple[str, ...]:
        """The keys of the documents that this one complements or replaces."""
        if self.purpose is ServicePurpose.COMPLEMENT:
            return self.complemented_access_keys
        replaced = self.substitution if self.purpose is ServicePurpose.SUBSTITUTION else None
        return (replaced.access_key,) if replaced else ()
