"""What a document says: every rule about its content, in the order of the MOC."""

from carimbo.simulator.nfe.case import Case
from carimbo.simulator.nfe.rules.federal import FEDERAL_RULES
from carimbo.simulator.nfe.rules.icms import ICMS_RULES
from carimbo.simulator.nfe.rules.icms_amounts import ICMS_AMOUNT_RULES
from carimbo.simulator.nfe.rules.items import ITEM_RULES
from carimbo.simulator.nfe.rules.operation import OPERATION_RULES
from carimbo.simulator.nfe.rules.parties import PARTY_RULES
from carimbo.simulator.nfe.rules.payments import PAYMENT_RULES
from carimbo.simulator.nfe.rules.qr import QR_RULES
from carimbo.simulator.nfe.rules.receipt import RECEIPT_RULES
from carimbo.simulator.nfe.rules.references import REFERENCE_RULES
from carimbo.simulator.nfe.rules.reform import REFORM_RULES
from carimbo.simulator.nfe.rules.reform_totals import REFORM_TOTAL_RULES
from carimbo.simulator.nfe.rules.state_share import STATE_SHARE_RULES
from carimbo.simulator.nfe.rules.totals import TOTAL_RULES
from carimbo.simulator.rule import Rule

CONTENT_RULES: tuple[Rule[Case], ...] = (
    *OPERATION_RULES,
    *REFERENCE_RULES,
    *RECEIPT_RULES,
    *PARTY_RULES,
    *ITEM_RULES,
    *ICMS_RULES,
    *ICMS_AMOUNT_RULES,
    *STATE_SHARE_RULES,
    *FEDERAL_RULES,
    *REFORM_RULES,
    *TOTAL_RULES,
    *REFORM_TOTAL_RULES,
    *PAYMENT_RULES,
    *QR_RULES,
)
