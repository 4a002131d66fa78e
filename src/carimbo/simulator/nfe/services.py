"""The services of NF-e and NFC-e."""

from carimbo.fiscal.schemas.catalog import Schema
from carimbo.simulator.ledger import DocumentStatus
from carimbo.simulator.nfe import (
    authorization,
    distribution,
    events,
    inutilization,
    receipts,
    registry_query,
)
from carimbo.simulator.nfe.dialect import DIALECT
from carimbo.simulator.nfe.rules.consult import CONSULT_RULES
from carimbo.simulator.nfe.rules.status import STATUS_RULES
from carimbo.simulator.sefaz.consult import ConsultService
from carimbo.simulator.sefaz.services import Service, Services
from carimbo.simulator.sefaz.status import StatusService

_CONSULT = ConsultService(
    rules=CONSULT_RULES,
    codes={DocumentStatus.CANCELED: "101"},
    event_codes={"155": "151"},
    # Manifestations are the national environment's to show (MOC 7.0, 5.4.3).
    event_types=("11",),
)
_STATUS = StatusService(rules=STATUS_RULES)

SERVICES = Services(
    (
        Service(
            DIALECT,
            "NFeAutorizacao4",
            "nfeAutorizacaoLote",
            authorization,
            Schema.NFE_BATCH,
            zipped_operation="nfeAutorizacaoLoteZip",
        ),
        Service(DIALECT, "NFeRetAutorizacao4", "nfeRetAutorizacaoLote", receipts, Schema.NFE_RECEIPT_QUERY),
        Service(DIALECT, "NFeConsultaProtocolo4", "nfeConsultaNF", _CONSULT, Schema.NFE_DOCUMENT_QUERY),
        Service(DIALECT, "NFeStatusServico4", "nfeStatusServicoNF", _STATUS, Schema.NFE_SERVICE_QUERY),
        Service(DIALECT, "NFeInutilizacao4", "nfeInutilizacaoNF", inutilization, Schema.NFE_INUTILIZATION),
        Service(DIALECT, "NFeRecepcaoEvento4", "nfeRecepcaoEvento", events),
        Service(DIALECT, "CadConsultaCadastro4", "consultaCadastro", registry_query),
        Service(
            DIALECT,
            "NFeDistribuicaoDFe",
            "nfeDistDFeInteresse",
            distribution,
            Schema.NFE_DISTRIBUTION,
            around=("nfeDistDFeInteresse", "nfeDistDFeInteresseResponse"),
        ),
    ),
    # Amazonas, Mato Grosso, Rio Grande do Sul and the SVRS have shorter names in their addresses.
    aliases={"nfeconsulta4": "nfeconsultaprotocolo4", "recepcaoevento4": "nferecepcaoevento4"},
    # The national environment has another operation than the states.
    national=(Service(DIALECT, "NFeRecepcaoEvento4", "nfeRecepcaoEventoNF", events, names_its_answer=True),),
)
