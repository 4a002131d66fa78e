"""The dialect, the models and the event types of NF-e and NFC-e (MOC 7.0; NT 2018.004; NT 2020.001)."""

from carimbo.fiscal.schemas.files import Schema
from carimbo.fiscal.tables.statuses import NFE_STATUSES
from carimbo.simulator.ledger import DocumentStatus
from carimbo.simulator.sefaz.dialect import FamilyDialect, JudgedEventType, RejectionDetail
from carimbo.simulator.sefaz.soap import MessageDamage

NFE, NFCE = "55", "65"


_BOTH = frozenset({NFE, NFCE})

CANCELLATION = JudgedEventType(
    code="110111",
    description="Cancelamento homologado",
    schema=Schema.NFE_CANCELLATION,
    models=_BOTH,
    needs_document=True,
    refused_in={DocumentStatus.CANCELED: "420"},
    resulting_status=DocumentStatus.CANCELED,
    names_recipient=True,
)
SUBSTITUTION = JudgedEventType(
    code="110112",
    description="Cancelamento homologado",
    models=frozenset({NFCE}),
    needs_document=True,
    refused_in={DocumentStatus.CANCELED: "420"},
    resulting_status=DocumentStatus.CANCELED,
    names_recipient=True,
)
"""The package has no XSD of it: see `JudgedInvoiceEvent`."""
CORRECTION = JudgedEventType(
    code="110110",
    description="Carta de Correção registrada",
    schema=Schema.NFE_CORRECTION,
    last_sequence=20,
    models=_BOTH,
    in_contingency=False,
    needs_document=True,
    refused_in={DocumentStatus.CANCELED: "580"},
)
CONFIRMED = JudgedEventType(
    code="210200",
    description="Confirmacao de Operacao registrada",
    schema=Schema.NFE_MANIFESTATION,
    # A recipient can change its answer once (NT 2020.001).
    last_sequence=2,
    is_national=True,
    by_issuer=False,
)
ACKNOWLEDGED = JudgedEventType(
    code="210210",
    description="Ciencia da Operacao registrada",
    schema=Schema.NFE_MANIFESTATION,
    is_national=True,
    by_issuer=False,
    refused_in={DocumentStatus.CANCELED: "650"},
)
UNKNOWN = JudgedEventType(
    code="210220",
    description="Desconhecimento da Operacao registrada",
    schema=Schema.NFE_MANIFESTATION,
    last_sequence=2,
    is_national=True,
    by_issuer=False,
    refused_in={DocumentStatus.CANCELED: "651"},
)
NOT_PERFORMED = JudgedEventType(
    code="210240",
    description="Operacao nao Realizada registrada",
    schema=Schema.NFE_MANIFESTATION,
    last_sequence=2,
    is_national=True,
    by_issuer=False,
)

CANCELLATIONS = (CANCELLATION, SUBSTITUTION)
ISSUER_EVENTS = (*CANCELLATIONS, CORRECTION)
CONCLUSIVE = (CONFIRMED, UNKNOWN, NOT_PERFORMED)
"""Manifestations that conclude the operation."""
MANIFESTATIONS = (ACKNOWLEDGED, *CONCLUSIVE)
EVENT_TYPES = {event_type.code: event_type for event_type in (*ISSUER_EVENTS, *MANIFESTATIONS)}


NAMESPACE = "http://www.portalfiscal.inf.br/nfe"

DIALECT = FamilyDialect(
    namespace=NAMESPACE,
    stem="NFe",
    models={"nfe": NFE, "nfce": NFCE},
    statuses=NFE_STATUSES,
    version="4.00",
    versions={
        # Many clients use version 1.35 of the distribution, which is identical to 1.01.
        "distDFeInt": ("1.01", "1.35"),
        "envEvento": ("1.00",),
        "ConsCad": ("2.00",),
    },
    max_message_bytes=500 * 1024,
    damages={MessageDamage.NOT_ZIPPED: "416", MessageDamage.TOO_LARGE: "214", MessageDamage.MALFORMED: "243"},
    overuse="656",
    request_tag="nfeDadosMsg",
    answer_tag="nfeResultMsg",
    archive_tag="nfeProc",
    status_tag="retConsStatServ",
    content_tag="infNFe",
    number_tag="nNF",
    numeric_code_tag="cNF",
    # The same number can be issued again offline while the outcome of the first NFC-e is unknown
    # (MOC 7.0, 2B08-10).
    numbered_by_emission=frozenset({NFCE}),
    event_version="1.00",
    sequence_digits=2,
    wrapped_details=False,
    event_types=EVENT_TYPES,
    details={
        "204": RejectionDetail.DOCUMENT,
        "218": RejectionDetail.DOCUMENT,
        "539": RejectionDetail.OTHER_DOCUMENT,
        "573": RejectionDetail.EVENT,
    },
    protocol_digits={"SVAN": "2", "SVRS": "3", "SVCAN": "6", "SVCRS": "7", "AN": "8"},
    named_parties=("dest",),
    free_texts=("xProd", "infCpl", "infAdFisco", "xJust", "xCorrecao"),
)
