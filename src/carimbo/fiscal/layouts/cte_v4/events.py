"""Events of CT-e and CT-e OS: cancellation, correction letter, and the disagreement of the taker."""

from dataclasses import dataclass
from datetime import datetime

from carimbo.fiscal.identity.signature import Signer
from carimbo.fiscal.layouts.cte_v4.delivery import (
    DeliveryCancellation,
    FailedDelivery,
    FailedDeliveryCancellation,
    ProofOfDelivery,
)
from carimbo.fiscal.layouts.cte_v4.dialect import (
    CANCELLATION,
    CORRECTION,
    CTE_DIALECT,
    DISAGREEMENT,
    DISAGREEMENT_CANCELLATION,
)
from carimbo.fiscal.layouts.cte_v4.valuables import TransportGuides
from carimbo.fiscal.layouts.group import (
    ANY_NUMBER,
    INLINE,
    attribute,
    child,
    children,
    group,
    integer,
    moment,
    text,
    variant,
)
from carimbo.fiscal.layouts.sefaz.events import SefazEvent, issue_with_detail
from carimbo.fiscal.problems import Problem
from carimbo.fiscal.schemas import Schema, Schemas

# The XSD takes this text with its accents or without them, and nothing else.
_CORRECTION_CONDITIONS = (
    "A Carta de Correcao e disciplinada pelo Art. 58-B do CONVENIO/SINIEF 06/89: Fica permitida a utilizacao"
    " de carta de correcao, para regularizacao de erro ocorrido na emissao de documentos fiscais relativos a"
    " prestacao de servico de transporte, desde que o erro nao esteja relacionado com: I - as variaveis que"
    " determinam o valor do imposto tais como: base de calculo, aliquota, diferenca de preco, quantidade,"
    " valor da prestacao;II - a correcao de dados cadastrais que implique mudanca do emitente, tomador,"
    " remetente ou do destinatario;III - a data de emissao ou de saida."
)


@group("evCancCTe")
class WaybillCancellation:
    """`evCancCTe`: the issuer cancels a document."""

    event_type = CANCELLATION
    schema = Schema.CTE_CANCELLATION
    description: str = text("descEvento", 12, default="Cancelamento")
    protocol: str = text("nProt", 17)
    reason: str = text("xJust", 255, path="justification")


@group("infCorrecao")
class CorrectedField:
    """`infCorrecao`: a field of the layout and its new value."""

    group: str = text("grupoAlterado", 20)
    field: str = text("campoAlterado", 20)
    value: str = text("valorAlterado", 500)
    item_number: int | None = integer("nroItemAlterado", default=None)


@group("evCCeCTe")
class WaybillCorrection:
    """`evCCeCTe`: a correction letter."""

    event_type = CORRECTION
    schema = Schema.CTE_CORRECTION
    description: str = text("descEvento", 17, default="Carta de Correcao")
    corrections: tuple[CorrectedField, ...] = children("infCorrecao", ANY_NUMBER)
    conditions: str = text("xCondUso", len(_CORRECTION_CONDITIONS), default=_CORRECTION_CONDITIONS)


@group("evPrestDesacordo")
class Disagreement:
    """`evPrestDesacordo`: the taker says that the service differs from what was agreed."""

    event_type = DISAGREEMENT
    schema = Schema.CTE_DISAGREEMENT
    description: str = text("descEvento", 33, default="Prestacao do Servico em Desacordo")
    indicator: str = text("indDesacordoOper", 1, default="1")
    justification: str = text("xObs", 255)


@group("evCancPrestDesacordo")
class DisagreementCancellation:
    """`evCancPrestDesacordo`: the taker withdraws a disagreement."""

    event_type = DISAGREEMENT_CANCELLATION
    schema = Schema.CTE_DISAGREEMENT_CANCELLATION
    description: str = text("descEvento", 46, default="Cancelamento Prestacao do Servico em Desacordo")
    undone_protocol: str = text("nProtEvPrestDes", 15, path="eventId")


Detail = (
    WaybillCancellation
    | WaybillCorrection
    | ProofOfDelivery
    | DeliveryCancellation
    | FailedDelivery
    | FailedDeliveryCancellation
    | TransportGuides
    | Disagreement
    | DisagreementCancellation
)


@group("detEvento")
class WaybillEventDetail:
    """`detEvento`: the element of the event's type."""

    version: str = attribute("versaoEvento", 4, default="4.00")
    content: Detail = variant(path=INLINE)


@group("infEvento")
class WaybillEventInformation:
    """`infEvento`: the signed part of an event."""

    id: str = attribute("Id", 55)
    organ: str = text("cOrgao", 2)
    environment: str = text("tpAmb", 1)
    cnpj: str | None = text("CNPJ", 14, path="taxId", default=None)
    cpf: str | None = text("CPF", 11, path="taxId", default=None)
    access_key: str = text("chCTe", 44)
    occurred_at: datetime = moment("dhEvento")
    event_type: str = text("tpEvento", 6)
    sequence: int = integer("nSeqEvento")
    detail: WaybillEventDetail = child("detEvento", path=INLINE)


@dataclass(frozen=True, slots=True)
class WaybillEvent(SefazEvent[Detail]):
    """An event of a CT-e."""

    dialect = CTE_DIALECT

    def information(self) -> WaybillEventInformation:
        """Returns the part that is signed."""
        return WaybillEventInformation(**self.heading, detail=WaybillEventDetail(content=self.detail))


def issue_event(event: WaybillEvent, signer: Signer, schemas: Schemas) -> bytes | tuple[Problem, ...]:
    """Signs an event and checks it by both XSDs (630)."""
    return issue_with_detail(event, Schema.CTE_EVENT, signer, schemas)
