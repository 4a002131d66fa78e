"""A toy family of the simulated SEFAZ: its words, one event, one rule, and its services.

It has what the NF-e has not: single documents that travel zipped, a header in the envelope, events without
lots, and a document that is closed. Its addresses are those of model 58, which the official table has.
"""

from dataclasses import dataclass
from datetime import timedelta

from carimbo.fiscal.tables.statuses import MDFE_STATUSES
from carimbo.simulator.ledger import DocumentStatus
from carimbo.simulator.rule import Rule, codes_of
from carimbo.simulator.sefaz.call import Call
from carimbo.simulator.sefaz.consult import ConsultService
from carimbo.simulator.sefaz.dialect import Detail, Dialect
from carimbo.simulator.sefaz.document import JudgedDocument
from carimbo.simulator.sefaz.event import JudgedEvent
from carimbo.simulator.sefaz.event_type import EventType
from carimbo.simulator.sefaz.events import EventRegister, SingleEvent
from carimbo.simulator.sefaz.family import SefazFamily
from carimbo.simulator.sefaz.reception import Register, SingleReception
from carimbo.simulator.sefaz.rules import asked_key, consult, dates, event_form, event_identity, key, message
from carimbo.simulator.sefaz.rules.register import held_as, number_of_another_document
from carimbo.simulator.sefaz.rules.sender import SENDER_RULES
from carimbo.simulator.sefaz.rules.signature import SIGNATURE_RULES
from carimbo.simulator.sefaz.services import Service, Services
from carimbo.simulator.sefaz.status import StatusService

NAMESPACE = "http://www.portalfiscal.inf.br/toy"
MODEL = "58"
CLOSING = EventType(
    code="110112",
    description="Encerramento registrado",
    models=frozenset({MODEL}),
    is_bound=True,
    refused_in={DocumentStatus.CLOSED: "609"},
    leads_to=DocumentStatus.CLOSED,
)
DIALECT = Dialect(
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
    details={"204": Detail.DOCUMENT, "631": Detail.EVENT},
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
    """The rule about the content."""
    return toy.text("ide/notes") == "broken"


MESSAGE_RULES: tuple[Rule[Call], ...] = (
    *SENDER_RULES,
    Rule("242", message.header_missing),
    Rule("409", message.header_without_state),
    Rule("411", message.header_without_version),
    Rule("239", message.other_version),
)
DOCUMENT_RULES: tuple[Rule[Toy], ...] = (
    *SIGNATURE_RULES,
    Rule("502", key.key_differs_from_its_fields),
    Rule("539", number_of_another_document),
    Rule("204", held_as(DocumentStatus.AUTHORIZED)),
    Rule("609", held_as(DocumentStatus.CLOSED)),
    Rule("228", dates.issued_before(timedelta(hours=24), "1")),
    Rule("612", broken_toy),
)
EVENT_RULES: tuple[Rule[ToyEvent], ...] = (
    Rule("629", event_form.type_not_taken_here),
    *SIGNATURE_RULES,
    Rule("628", event_identity.id_differs_from_its_fields),
    Rule("631", event_identity.registered_already),
    Rule("217", event_identity.document_unknown),
    Rule("222", event_identity.other_protocol),
    *event_identity.state_rules((CLOSING,)),
)
CONSULT_RULES: tuple[Rule[consult.Consult], ...] = (
    Rule("678", consult.asked_too_often),
    Rule("236", asked_key.wrong_digit),
)

SERVICES = Services(
    (
        Service(
            DIALECT,
            "MDFeRecepcaoSinc",
            "toyRecepcao",
            SingleReception(Register(Toy, rules=DOCUMENT_RULES), "retToy"),
            is_zipped=True,
        ),
        Service(
            DIALECT,
            "MDFeConsulta",
            "toyConsulta",
            ConsultService(rules=CONSULT_RULES, codes={DocumentStatus.CLOSED: "132"}),
            has_header=True,
        ),
        Service(DIALECT, "MDFeStatusServico", "toyStatus", StatusService(), has_header=True),
        Service(
            DIALECT,
            "MDFeRecepcaoEvento",
            "toyEvento",
            SingleEvent(EventRegister(ToyEvent, rules=EVENT_RULES)),
            has_header=True,
        ),
    )
)
TOY_FAMILY = SefazFamily(
    "wagon",
    DIALECT,
    SERVICES,
    message_rules=MESSAGE_RULES,
    codes=codes_of(MESSAGE_RULES, DOCUMENT_RULES, EVENT_RULES, CONSULT_RULES),
)
