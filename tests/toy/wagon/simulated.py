"""A toy family of the simulated SEFAZ: its dialect, one event, one rule, and its services.

It has features that the NF-e lacks: single documents that are sent zipped, a header in the envelope, events
without lots, and a document that is closed. Its addresses are those of model 58 in the official table.
"""

from dataclasses import dataclass
from datetime import timedelta

from carimbo.fiscal.tables.statuses import MDFE_STATUSES
from carimbo.simulator.ledger import DocumentStatus
from carimbo.simulator.rules import RejectionRule, codes_of
from carimbo.simulator.sefaz.call import ServiceCall
from carimbo.simulator.sefaz.dialect import FamilyDialect, JudgedEventType, RejectionDetail
from carimbo.simulator.sefaz.events import EventRegister, SingleEvent
from carimbo.simulator.sefaz.family import SimulatedSefazFamily
from carimbo.simulator.sefaz.judged import JudgedDocument, JudgedEvent
from carimbo.simulator.sefaz.queries import ConsultService, StatusService
from carimbo.simulator.sefaz.reception import DocumentRegister, SingleReception
from carimbo.simulator.sefaz.rules import documents, events, message, queries
from carimbo.simulator.sefaz.rules.documents import already_held_as, number_of_another_document
from carimbo.simulator.sefaz.rules.message import SENDER_RULES, SIGNATURE_RULES
from carimbo.simulator.sefaz.services import SimulatedService, SimulatedServices

NAMESPACE = "http://www.portalfiscal.inf.br/toy"
MODEL = "58"
CLOSING = JudgedEventType(
    code="110112",
    description="Encerramento registrado",
    models=frozenset({MODEL}),
    needs_document=True,
    refused_in={DocumentStatus.CLOSED: "609"},
    resulting_status=DocumentStatus.CLOSED,
)
DIALECT = FamilyDialect(
    namespace=NAMESPACE,
    stem="Toy",
    models={"wagon": MODEL},
    statuses=MDFE_STATUSES,
    version="1.00",
    request_tag="toyDadosMsg",
    header_tag="toyCabecMsg",
    archive_tag="toyProc",
    status_tag="retConsStatServToy",
    content_tag="infToy",
    number_tag="nToy",
    numeric_code_tag="cToy",
    event_answer_tag="retEventoToy",
    event_version="1.00",
    event_types={CLOSING.code: CLOSING},
    details={"204": RejectionDetail.DOCUMENT, "631": RejectionDetail.EVENT},
    free_texts=("notes",),
)


@dataclass(frozen=True)
class Toy(JudgedDocument):
    """A document of the toy family."""

    dialect = DIALECT


@dataclass(frozen=True)
class ToyEvent(JudgedEvent):
    """An event of the toy family."""

    dialect = DIALECT


def broken_toy(toy: Toy) -> bool:
    """The only rule about the content."""
    return toy.text("ide/notes") == "broken"


MESSAGE_RULES: tuple[RejectionRule[ServiceCall], ...] = (
    *SENDER_RULES,
    RejectionRule("242", message.header_missing),
    RejectionRule("409", message.header_without_state),
    RejectionRule("411", message.header_without_version),
    RejectionRule("239", message.other_version),
)
DOCUMENT_RULES: tuple[RejectionRule[Toy], ...] = (
    *SIGNATURE_RULES,
    RejectionRule("502", documents.key_differs_from_its_fields),
    RejectionRule("539", number_of_another_document),
    RejectionRule("204", already_held_as(DocumentStatus.AUTHORIZED)),
    RejectionRule("609", already_held_as(DocumentStatus.CLOSED)),
    RejectionRule("228", documents.issued_before(timedelta(hours=24), "1")),
    RejectionRule("612", broken_toy),
)
EVENT_RULES: tuple[RejectionRule[ToyEvent], ...] = (
    RejectionRule("629", events.type_not_taken_here),
    *SIGNATURE_RULES,
    RejectionRule("628", events.id_differs_from_its_fields),
    RejectionRule("631", events.registered_already),
    RejectionRule("217", events.document_unknown),
    RejectionRule("222", events.other_protocol),
    *events.state_rules((CLOSING,)),
)
CONSULT_RULES: tuple[RejectionRule[queries.ConsultQuestion], ...] = (
    RejectionRule("678", queries.asked_too_often),
    RejectionRule("236", queries.wrong_digit),
)

SERVICES = SimulatedServices(
    (
        SimulatedService(
            DIALECT,
            "MDFeRecepcaoSinc",
            "toyRecepcao",
            SingleReception(DocumentRegister(Toy, rules=DOCUMENT_RULES), "retToy"),
            is_zipped=True,
        ),
        SimulatedService(
            DIALECT,
            "MDFeConsulta",
            "toyConsulta",
            ConsultService(rules=CONSULT_RULES, codes={DocumentStatus.CLOSED: "132"}),
            has_header=True,
        ),
        SimulatedService(DIALECT, "MDFeStatusServico", "toyStatus", StatusService(), has_header=True),
        SimulatedService(
            DIALECT,
            "MDFeRecepcaoEvento",
            "toyEvento",
            SingleEvent(EventRegister(ToyEvent, rules=EVENT_RULES)),
            has_header=True,
        ),
    )
)
TOY_FAMILY = SimulatedSefazFamily(
    "wagon",
    DIALECT,
    SERVICES,
    message_rules=MESSAGE_RULES,
    codes=codes_of(MESSAGE_RULES, DOCUMENT_RULES, EVENT_RULES, CONSULT_RULES),
)
