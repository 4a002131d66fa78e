"""CTeDistribuicaoDFe: documents and events of interest by NSU (NT 2015.002)."""

from dataclasses import dataclass

from carimbo.simulator.cte.dialect import CTE, CTE_OS, DIALECT
from carimbo.simulator.cte.judged import JudgedCteEvent, JudgedTransport
from carimbo.simulator.family import RequestContext
from carimbo.simulator.ledger import StoredDocument, StoredEvent
from carimbo.simulator.sefaz.answers import authorized_document, registered_event
from carimbo.simulator.sefaz.distribution import NSU_RULES, DistributionQuestion, DistributionService
from carimbo.simulator.sefaz.distribution_reader import Distributor
from carimbo.simulator.sefaz.judged import tax_id_of

DOCUMENTS = {CTE: "procCTe_v4.00.xsd", CTE_OS: "procCTeOS_v4.00.xsd"}
"""The names of the schemas, by model."""
EVENT = "procEventoCTe_v4.00.xsd"
FAMILY = "cte"
"""One sequence has the documents of both models."""


@dataclass(frozen=True)
class CteQuestion(DistributionQuestion):
    """A question by NSU; there are none by key."""

    service = "CTeDistribuicaoDFe"


DISTRIBUTION_RULES = NSU_RULES
DISTRIBUTION = DistributionService(CteQuestion, rules=DISTRIBUTION_RULES)


def interested_in(cte: JudgedTransport) -> frozenset[str]:
    """Returns the tax ids of all parties except the issuer: they get the whole document."""
    readers = {tax_id_of(reader) for reader in cte.content.all("autXML")}
    return frozenset(readers | {cte.tax_id(path) for path in cte.parties}) - {"", cte.author}


def distribute_document(cte: JudgedTransport, stored: StoredDocument) -> None:
    """Distributes an authorized document to its parties."""
    xml = authorized_document(cte.dialect, stored.xml, stored.protocol_xml)
    _add(interested_in(cte), stored.access_key, DOCUMENTS[cte.model], xml, stored.environment, cte.context)


def distribute_event(event: JudgedCteEvent, stored: StoredEvent) -> None:
    """Distributes an event to the parties of its document; the issuer gets those of others."""
    if event.cte is None:
        return
    taxpayers = (interested_in(event.cte) | {event.cte.author}) - {stored.author}
    xml = registered_event(DIALECT, stored.xml, stored.answer_xml)
    _add(taxpayers, stored.access_key, EVENT, xml, stored.environment, event.context)


def _add(
    taxpayers: frozenset[str], key: str, schema: str, xml: str, environment: str, context: RequestContext
) -> None:
    distributor = Distributor(context, environment, FAMILY)
    for taxpayer in sorted(taxpayers):
        distributor.add(taxpayer, key, schema, xml)
