"""The codes of every rule of NF-e and NFC-e."""

from carimbo.simulator.nfe.judge import DOCUMENT_RULES, MESSAGE_RULES
from carimbo.simulator.nfe.receipts import RECEIPT_RULES
from carimbo.simulator.nfe.rules.consult import CONSULT_RULES
from carimbo.simulator.nfe.rules.distribution import DISTRIBUTION_RULES
from carimbo.simulator.nfe.rules.event_lots import EVENT_LOT_RULES
from carimbo.simulator.nfe.rules.events import EVENT_RULES
from carimbo.simulator.nfe.rules.inutilization import INUTILIZATION_RULES
from carimbo.simulator.nfe.rules.lots import LOT_RULES
from carimbo.simulator.nfe.rules.registry_query import REGISTRY_RULES
from carimbo.simulator.nfe.status import STATUS_RULES
from carimbo.simulator.rule import codes_of

RULE_CODES = codes_of(
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
