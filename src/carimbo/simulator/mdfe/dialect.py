"""The dialect and the event types of MDF-e (MOC MDF-e 3.00b)."""

from dataclasses import replace

from carimbo.fiscal.schemas.files import Schema
from carimbo.fiscal.tables.statuses import MDFE_STATUSES
from carimbo.simulator.ledger import DocumentStatus
from carimbo.simulator.sefaz.dialect import FamilyDialect, JudgedEventType, RejectionDetail

MDFE = "58"
_CANCELED = {DocumentStatus.CANCELED: "218"}
_ENDED = {**_CANCELED, DocumentStatus.CLOSED: "609"}

CANCELLATION = JudgedEventType(
    code="110111",
    description="Cancelamento",
    schema=Schema.MDFE_CANCELLATION,
    models=frozenset({MDFE}),
    needs_document=True,
    refused_in=_ENDED,
    resulting_status=DocumentStatus.CANCELED,
)
CLOSING = replace(
    CANCELLATION,
    code="110112",
    description="Encerramento",
    schema=Schema.MDFE_CLOSING,
    resulting_status=DocumentStatus.CLOSED,
)
DRIVER = replace(
    CANCELLATION,
    code="110114",
    description="Inclusao Condutor",
    schema=Schema.MDFE_DRIVER,
    last_sequence=99,
    resulting_status=None,
)
INCLUSION = replace(DRIVER, code="110115", description="Inclusao DF-e", schema=Schema.MDFE_DOCUMENTS)
PAYMENT = replace(
    DRIVER,
    code="110116",
    description="Pagamento Operacao MDF-e",
    schema=Schema.MDFE_PAYMENT,
    refused_in=_CANCELED,
)
PAYMENT_CHANGE = replace(
    PAYMENT,
    code="110118",
    description="Alteracao Pagamento Servico MDFe",
    schema=Schema.MDFE_PAYMENT_CHANGE,
)
EVENT_TYPES = {
    event_type.code: event_type
    for event_type in (CANCELLATION, CLOSING, DRIVER, INCLUSION, PAYMENT, PAYMENT_CHANGE)
}

PASSAGES = frozenset({"310620", "510620"})
"""Events of the tax authorities: a vehicle with the document has passed one of their posts."""
AUTHORITY_EVENTS = PASSAGES | {"310112"}
"""Events that no company may send: also the closing by the tax authorities."""

NAMESPACE = "http://www.portalfiscal.inf.br/mdfe"

DIALECT = FamilyDialect(
    namespace=NAMESPACE,
    stem="MDFe",
    models={"mdfe": MDFE},
    statuses=MDFE_STATUSES,
    version="3.00",
    request_tag="mdfeDadosMsg",
    header_tag="mdfeCabecMsg",
    archive_tag="mdfeProc",
    status_tag="retConsStatServMDFe",
    consult_repeats_key=False,
    nests_in_consult=True,
    content_tag="infMDFe",
    number_tag="nMDF",
    numeric_code_tag="cMDF",
    event_answer_tag="retEventoMDFe",
    event_version="3.00",
    event_types=EVENT_TYPES,
    details={
        "204": RejectionDetail.DOCUMENT,
        "218": RejectionDetail.DOCUMENT,
        "609": RejectionDetail.DOCUMENT,
        "539": RejectionDetail.OTHER_DOCUMENT,
        "462": RejectionDetail.OPEN_DOCUMENT,
        "611": RejectionDetail.OPEN_DOCUMENT,
        "662": RejectionDetail.OPEN_DOCUMENT,
        "686": RejectionDetail.OPEN_DOCUMENT,
        "631": RejectionDetail.EVENT,
    },
    protocol_digits={"SVRS": "9"},
    named_parties=("infContratante", "condutor", "infPag"),
    free_texts=("xProd", "infAdFisco", "infCpl", "xJust"),
)
