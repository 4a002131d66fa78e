"""NF-e and NFC-e: two families that share their services, and differ in the model of their documents."""

from carimbo.simulator.nfe.dialect import DIALECT
from carimbo.simulator.nfe.receipts import RECEIPT_RULES
from carimbo.simulator.nfe.rules.consult import CONSULT_RULES
from carimbo.simulator.nfe.rules.distribution import DISTRIBUTION_RULES
from carimbo.simulator.nfe.rules.documents import DOCUMENT_RULES
from carimbo.simulator.nfe.rules.event_lots import EVENT_LOT_RULES
from carimbo.simulator.nfe.rules.events import EVENT_RULES
from carimbo.simulator.nfe.rules.inutilization import INUTILIZATION_RULES
from carimbo.simulator.nfe.rules.lots import LOT_RULES
from carimbo.simulator.nfe.rules.message import MESSAGE_RULES
from carimbo.simulator.nfe.rules.registry_query import REGISTRY_RULES
from carimbo.simulator.nfe.rules.status import STATUS_RULES
from carimbo.simulator.nfe.services import SERVICES
from carimbo.simulator.rule import codes_of
from carimbo.simulator.sefaz.family import SefazFamily

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

NFE = SefazFamily("nfe", DIALECT, SERVICES, message_rules=MESSAGE_RULES, codes=_CODES)
NFCE = SefazFamily("nfce", DIALECT, SERVICES, message_rules=MESSAGE_RULES, codes=_CODES)
