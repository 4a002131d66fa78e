"""The family of MDF-e: the services of SVRS, which serves every state."""

from carimbo.fiscal.schemas.files import Schema
from carimbo.simulator.ledger import DocumentStatus, StoredDocument
from carimbo.simulator.mdfe.dialect import DIALECT
from carimbo.simulator.mdfe.judged import JudgedMdfe, JudgedMdfeEvent
from carimbo.simulator.mdfe.open_service import OpenManifestsService
from carimbo.simulator.mdfe.rules.documents import DOCUMENT_RULES
from carimbo.simulator.mdfe.rules.events import EVENT_RULES
from carimbo.simulator.mdfe.rules.message import MESSAGE_RULES
from carimbo.simulator.mdfe.rules.queries import CONSULT_RULES, OPEN_QUESTION_RULES
from carimbo.simulator.rules import codes_of
from carimbo.simulator.sefaz.events import EventRegister, SingleEvent
from carimbo.simulator.sefaz.family import SimulatedSefazFamily
from carimbo.simulator.sefaz.queries import ConsultService, StatusService
from carimbo.simulator.sefaz.reception import DocumentRegister, SingleReception
from carimbo.simulator.sefaz.services import SimulatedService, SimulatedServices


def _keep_trip(mdfe: JudgedMdfe, stored: StoredDocument) -> None:
    """Stores the trip, which blocks others until it is closed, and the CT-e, which are not canceled now."""
    mdfe.open_manifests.keep(stored.access_key, mdfe.trip)
    for key in mdfe.cte_keys:
        mdfe.ledger.keep_reference(stored, key)


DOCUMENTS = DocumentRegister(JudgedMdfe, rules=DOCUMENT_RULES, authorized=_keep_trip)
EVENTS = EventRegister(JudgedMdfeEvent, rules=EVENT_RULES)

SERVICES = SimulatedServices(
    (
        SimulatedService(
            DIALECT,
            "MDFeRecepcaoSinc",
            "mdfeRecepcao",
            SingleReception(DOCUMENTS, "retMDFe"),
            Schema.MDFE,
            is_zipped=True,
        ),
        SimulatedService(
            DIALECT,
            "MDFeConsulta",
            "mdfeConsultaMDF",
            ConsultService(
                rules=CONSULT_RULES,
                codes={DocumentStatus.CANCELED: "101", DocumentStatus.CLOSED: "132"},
            ),
            Schema.MDFE_DOCUMENT_QUERY,
            has_header=True,
        ),
        SimulatedService(
            DIALECT,
            "MDFeStatusServico",
            "mdfeStatusServicoMDF",
            StatusService(),
            Schema.MDFE_SERVICE_QUERY,
            has_header=True,
        ),
        SimulatedService(
            DIALECT,
            "MDFeRecepcaoEvento",
            "mdfeRecepcaoEvento",
            SingleEvent(EVENTS),
            Schema.MDFE_EVENT,
            has_header=True,
        ),
        SimulatedService(
            DIALECT,
            "MDFeConsNaoEnc",
            "mdfeConsNaoEnc",
            OpenManifestsService(rules=OPEN_QUESTION_RULES),
            Schema.MDFE_OPEN_QUERY,
            has_header=True,
        ),
    )
)

MDFE_FAMILY = SimulatedSefazFamily(
    "mdfe",
    DIALECT,
    SERVICES,
    message_rules=MESSAGE_RULES,
    codes=codes_of(MESSAGE_RULES, DOCUMENT_RULES, EVENT_RULES, CONSULT_RULES, OPEN_QUESTION_RULES),
)
