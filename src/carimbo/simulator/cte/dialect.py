"""The dialects and the event types of CT-e and CT-e OS (MOC CT-e 4.00)."""

from dataclasses import replace

from carimbo.fiscal.schemas.files import Schema
from carimbo.fiscal.tables.statuses import CTE_STATUSES, NFE_STATUSES
from carimbo.simulator.ledger import DocumentStatus
from carimbo.simulator.sefaz.dialect import FamilyDialect, JudgedEventType, RejectionDetail

CTE, CTE_OS = "57", "67"
MDFE = "58"
"""The model of the documents that list CT-e."""
_BOTH = frozenset({CTE, CTE_OS})
_CANCELED = {DocumentStatus.CANCELED: "218"}

CANCELLATION = JudgedEventType(
    code="110111",
    description="Cancelamento",
    schema=Schema.CTE_CANCELLATION,
    models=_BOTH,
    needs_document=True,
    refused_in=_CANCELED,
    resulting_status=DocumentStatus.CANCELED,
)
CORRECTION = JudgedEventType(
    code="110110",
    description="Carta de Correcao",
    schema=Schema.CTE_CORRECTION,
    last_sequence=20,
    models=_BOTH,
    in_contingency=False,
    needs_document=True,
    refused_in=_CANCELED,
)
DISAGREEMENT = JudgedEventType(
    code="610110",
    description="Prestacao do Servico em Desacordo",
    schema=Schema.CTE_DISAGREEMENT,
    last_sequence=20,
    models=_BOTH,
    by_issuer=False,
    in_contingency=False,
    needs_document=True,
    refused_in=_CANCELED,
)
"""By the taker; the issuer can replace the document only after it."""
DISAGREEMENT_CANCELLATION = replace(
    DISAGREEMENT,
    code="610111",
    description="Cancelamento Prestacao do Servico em Desacordo",
    schema=Schema.CTE_DISAGREEMENT_CANCELLATION,
)
DELIVERY = JudgedEventType(
    code="110180",
    description="Comprovante de Entrega do CT-e",
    schema=Schema.CTE_DELIVERY,
    last_sequence=999,
    models=frozenset({CTE}),
    in_contingency=False,
    needs_document=True,
    refused_in=_CANCELED,
)
DELIVERY_CANCELLATION = replace(
    DELIVERY,
    code="110181",
    description="Cancelamento do Comprovante de Entrega do CT-e",
    schema=Schema.CTE_DELIVERY_CANCELLATION,
)
FAILED_DELIVERY = replace(
    DELIVERY,
    code="110190",
    description="Insucesso na Entrega do CT-e",
    schema=Schema.CTE_FAILED_DELIVERY,
)
FAILED_DELIVERY_CANCELLATION = replace(
    DELIVERY,
    code="110191",
    description="Cancelamento do Insucesso de Entrega do CT-e",
    schema=Schema.CTE_FAILED_DELIVERY_CANCELLATION,
)
GTV = replace(
    DELIVERY,
    code="110170",
    description="Informacoes da GTV",
    schema=Schema.CTE_GTV,
    last_sequence=99,
    models=frozenset({CTE_OS}),
)
EVENT_TYPES = {
    event_type.code: event_type
    for event_type in (
        CANCELLATION,
        CORRECTION,
        GTV,
        DELIVERY,
        DELIVERY_CANCELLATION,
        FAILED_DELIVERY,
        FAILED_DELIVERY_CANCELLATION,
        DISAGREEMENT,
        DISAGREEMENT_CANCELLATION,
    )
}

UNDONE_BY = {
    DELIVERY.code: (DELIVERY_CANCELLATION.code, "nProtCE"),
    FAILED_DELIVERY.code: (FAILED_DELIVERY_CANCELLATION.code, "nProtIE"),
    DISAGREEMENT.code: (DISAGREEMENT_CANCELLATION.code, "nProtEvPrestDes"),
}
"""The type of the event that undoes those of a type, and its element with the protocol of the undone one."""

NAMESPACE = "http://www.portalfiscal.inf.br/cte"

DIALECT = FamilyDialect(
    namespace=NAMESPACE,
    stem="CTe",
    models={"cte": CTE, "cteos": CTE_OS},
    statuses=CTE_STATUSES,
    # The codes of CT-e for amounts of IBS and CBS are not published.
    borrowed=dict.fromkeys(("1026", "1036", "1037"), NFE_STATUSES),
    version="4.00",
    versions={"distDFeInt": ("1.00",)},
    request_tag="cteDadosMsg",
    archive_tag="cteProc",
    status_tag="retConsStatServCTe",
    consult_repeats_key=False,
    distributes_with_zone=False,
    content_tag="infCte",
    number_tag="nCT",
    numeric_code_tag="cCT",
    event_answer_tag="retEventoCTe",
    event_version="4.00",
    event_types=EVENT_TYPES,
    details={
        "204": RejectionDetail.DOCUMENT,
        "218": RejectionDetail.DOCUMENT,
        "539": RejectionDetail.OTHER_DOCUMENT,
        "631": RejectionDetail.EVENT,
    },
    protocol_digits={"SVRS": "3", "SVSP": "5"},
    named_parties=("rem", "exped", "receb", "dest", "toma4", "evCECTe"),
    free_texts=(
        "natOp",
        "xCaracAd",
        "xCaracSer",
        "xObs",
        "xTexto",
        "proPred",
        "xJust",
        "valorAlterado",
        "xJustMotivo",
    ),
)
OS_DIALECT = replace(
    DIALECT,
    archive_tag="cteOSProc",
    named_parties=("toma",),
    free_texts=("natOp", "xCaracAd", "xCaracSer", "xObs", "xTexto", "xDescServ", "xJust", "valorAlterado"),
)
DISTRIBUTION_DIALECT = replace(
    DIALECT,
    overuse="656",
    borrowed=dict.fromkeys(("472", "489", "490", "589", "593", "656"), NFE_STATUSES),
)
"""The national environment distributes both with the codes of NF-e, which mean something else elsewhere."""
