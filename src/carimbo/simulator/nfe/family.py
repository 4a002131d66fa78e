"""NF-e and NFC-e: two families with the same services and different models."""

from carimbo.fiscal.schemas.files import Schema
from carimbo.simulator.ledger import DocumentStatus
from carimbo.simulator.nfe.authorization import LOT_RULES, AuthorizationService
from carimbo.simulator.nfe.dialect import DIALECT
from carimbo.simulator.nfe.distribution import DISTRIBUTION, DISTRIBUTION_RULES
from carimbo.simulator.nfe.events import EVENT_LOT_RULES, EventLotService
from carimbo.simulator.nfe.inutilization import INUTILIZATION_RULES, InutilizationService
from carimbo.simulator.nfe.receipts import RECEIPT_RULES, ReceiptService
from carimbo.simulator.nfe.registry_query import REGISTRY_RULES, RegistryService
from carimbo.simulator.nfe.rules.documents import DOCUMENT_RULES
from carimbo.simulator.nfe.rules.events import EVENT_RULES
from carimbo.simulator.nfe.rules.message import MESSAGE_RULES
from carimbo.simulator.nfe.rules.queries import CONSULT_RULES, STATUS_RULES
from carimbo.simulator.rules import codes_of
from carimbo.simulator.sefaz.family import SimulatedSefazFamily
from carimbo.simulator.sefaz.queries import ConsultService, StatusService
from carimbo.simulator.sefaz.services import SimulatedService, SimulatedServices

_CONSULT = ConsultService(
    rules=CONSULT_RULES,
    codes={DocumentStatus.CANCELED: "101"},
    event_codes={"155": "151"},
    # Only the national environment shows manifestations (MOC 7.0, 5.4.3).
    event_types=("11",),
)
_STATUS = StatusService(rules=STATUS_RULES)
_EVENTS = EventLotService()

SERVICES = SimulatedServices(
    (
        SimulatedService(
            DIALECT,
            "NFeAutorizacao4",
            "nfeAutorizacaoLote",
            AuthorizationService(),
            Schema.NFE_BATCH,
            zipped_operation="nfeAutorizacaoLoteZip",
        ),
        SimulatedService(
            DIALECT, "NFeRetAutorizacao4", "nfeRetAutorizacaoLote", ReceiptService(), Schema.NFE_RECEIPT_QUERY
        ),
        SimulatedService(
            DIALECT, "NFeConsultaProtocolo4", "nfeConsultaNF", _CONSULT, Schema.NFE_DOCUMENT_QUERY
        ),
        SimulatedService(
            DIALECT, "NFeStatusServico4", "nfeStatusServicoNF", _STATUS, Schema.NFE_SERVICE_QUERY
        ),
        SimulatedService(
            DIALECT, "NFeInutilizacao4", "nfeInutilizacaoNF", InutilizationService(), Schema.NFE_INUTILIZATION
        ),
        SimulatedService(DIALECT, "NFeRecepcaoEvento4", "nfeRecepcaoEvento", _EVENTS),
        SimulatedService(DIALECT, "CadConsultaCadastro4", "consultaCadastro", RegistryService()),
        SimulatedService(
            DIALECT,
            "NFeDistribuicaoDFe",
            "nfeDistDFeInteresse",
            DISTRIBUTION,
            Schema.NFE_DISTRIBUTION,
            around=("nfeDistDFeInteresse", "nfeDistDFeInteresseResponse"),
        ),
    ),
    # Amazonas, Mato Grosso, Rio Grande do Sul and the SVRS have shorter names in their addresses.
    aliases={"nfeconsulta4": "nfeconsultaprotocolo4", "recepcaoevento4": "nferecepcaoevento4"},
    # The national environment has another operation than the states.
    national=(
        SimulatedService(
            DIALECT, "NFeRecepcaoEvento4", "nfeRecepcaoEventoNF", _EVENTS, names_its_answer=True
        ),
    ),
)


_CODES = codes_of(
    MESSAGE_RULES,
    LOT_RULES,
    DOCUMENT_RULES,
    EVENT_LOT_RULES,
    EVENT_RULES,
    INUTILIZATION_RULES,
    CONSULT_RULES,
    RECEIPT_RULES,
    STATUS_RULES,
    DISTRIBUTION_RULES,
    REGISTRY_RULES,
)

NFE_FAMILY = SimulatedSefazFamily("nfe", DIALECT, SERVICES, message_rules=MESSAGE_RULES, codes=_CODES)
NFCE_FAMILY = SimulatedSefazFamily("nfce", DIALECT, SERVICES, message_rules=MESSAGE_RULES, codes=_CODES)
