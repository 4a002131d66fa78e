"""CT-e: the services of its authorities."""

from carimbo.fiscal.schemas.files import Schema
from carimbo.simulator.cte.dialect import DIALECT, DISTRIBUTION_DIALECT
from carimbo.simulator.cte.distribution import (
    DISTRIBUTION,
    DISTRIBUTION_RULES,
    distribute_document,
    distribute_event,
)
from carimbo.simulator.cte.judged import JudgedCte, JudgedCteEvent
from carimbo.simulator.cte.rules.documents import DOCUMENT_RULES
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


def _after_authorization(cte: JudgedCte, stored: StoredDocument) -> None:
    """Stores the references of the document, and distributes it to its parties."""
    for key in filter(None, (*cte.complemented_keys, cte.replaced_key)):
        cte.ledger.keep_reference(stored, key)
    distribute_document(cte, stored)


DOCUMENTS = DocumentRegister(JudgedCte, rules=DOCUMENT_RULES, authorized=_after_authorization)
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

CTE_FAMILY = SimulatedSefazFamily(
    "cte",
    DIALECT,
    SERVICES,
    message_rules=MESSAGE_RULES,
    codes=codes_of(
        MESSAGE_RULES, DOCUMENT_RULES, EVENT_RULES, CONSULT_RULES, STATUS_RULES, DISTRIBUTION_RULES
    ),
)
