"""CT-e and CT-e OS: two families with the same services, except for the reception."""

from carimbo.fiscal.schemas.files import Schema
from carimbo.simulator.cte.dialect import DIALECT, DISTRIBUTION_DIALECT, OS_DIALECT
from carimbo.simulator.cte.distribution import (
    DISTRIBUTION,
    DISTRIBUTION_RULES,
    distribute_document,
    distribute_event,
)
from carimbo.simulator.cte.judged import JudgedCte, JudgedCteEvent, JudgedCteOs, JudgedTransport
from carimbo.simulator.cte.rules.documents import DOCUMENT_RULES, OS_DOCUMENT_RULES
from carimbo.simulator.cte.rules.events import EVENT_RULES
from carimbo.simulator.cte.rules.message import MESSAGE_RULES
from carimbo.simulator.cte.rules.queries import CONSULT_RULES, STATUS_RULES
from carimbo.simulator.ledger import DocumentStatus, StoredDocument
from carimbo.simulator.rules import codes_of
from carimbo.simulator.sefaz.events import EventRegister, SingleEvent
from carimbo.simulator.sefaz.family import SimulatedSefazFamily
from carimbo.simulator.sefaz.queries import ConsultService, StatusService
from carimbo.simulator.sefaz.reception import DocumentRegister, SingleReception
from carimbo.simulator.sefaz.services import SimulatedService, SimulatedServices


def _after_authorization(cte: JudgedTransport, stored: StoredDocument) -> None:
    """Stores the references of the document, and distributes it to its parties."""
    for key in filter(None, (*cte.complemented_keys, cte.replaced_key)):
        cte.ledger.keep_reference(stored, key)
    distribute_document(cte, stored)


DOCUMENTS = DocumentRegister(JudgedCte, rules=DOCUMENT_RULES, authorized=_after_authorization)
OS_DOCUMENTS = DocumentRegister(JudgedCteOs, rules=OS_DOCUMENT_RULES, authorized=_after_authorization)
EVENTS = EventRegister(JudgedCteEvent, rules=EVENT_RULES, registered=distribute_event)

SERVICES = SimulatedServices(
    (
        SimulatedService(
            DIALECT,
            "CTeRecepcaoSincV4",
            "cteRecepcao",
            SingleReception(DOCUMENTS, "retCTe"),
            Schema.CTE,
            is_zipped=True,
        ),
        SimulatedService(
            OS_DIALECT,
            "CTeRecepcaoOSV4",
            "cteRecepcaoOS",
            SingleReception(OS_DOCUMENTS, "retCTeOS"),
            Schema.CTE_OS,
            is_zipped=True,
        ),
        SimulatedService(
            DIALECT,
            "CTeConsultaV4",
            "cteConsultaCT",
            ConsultService(rules=CONSULT_RULES, codes={DocumentStatus.CANCELED: "101"}),
            Schema.CTE_DOCUMENT_QUERY,
        ),
        SimulatedService(
            DIALECT,
            "CTeStatusServicoV4",
            "cteStatusServicoCT",
            StatusService(rules=STATUS_RULES),
            Schema.CTE_SERVICE_QUERY,
        ),
        SimulatedService(
            DIALECT, "CTeRecepcaoEventoV4", "cteRecepcaoEvento", SingleEvent(EVENTS), Schema.CTE_EVENT
        ),
        SimulatedService(
            DISTRIBUTION_DIALECT,
            "CTeDistribuicaoDFe",
            "cteDistDFeInteresse",
            DISTRIBUTION,
            Schema.CTE_DISTRIBUTION,
            around=("cteDistDFeInteresse", "cteDistDFeInteresseResponse"),
        ),
    )
)

_SHARED_CODES = codes_of(MESSAGE_RULES, EVENT_RULES, CONSULT_RULES, STATUS_RULES)

CTE_FAMILY = SimulatedSefazFamily(
    "cte",
    DIALECT,
    SERVICES,
    message_rules=MESSAGE_RULES,
    codes=_SHARED_CODES | codes_of(DOCUMENT_RULES, DISTRIBUTION_RULES),
)
CTE_OS_FAMILY = SimulatedSefazFamily(
    "cteos",
    OS_DIALECT,
    SERVICES,
    message_rules=MESSAGE_RULES,
    codes=_SHARED_CODES | codes_of(OS_DOCUMENT_RULES),
)
"""Its documents are distributed with those of CT-e."""
