"""All rules about a document, in the order in which the authorities check them."""

from carimbo.simulator.nfe.judged import JudgedInvoice
from carimbo.simulator.nfe.rules.icms import ICMS_AMOUNT_RULES, ICMS_RULES
from carimbo.simulator.nfe.rules.identification import (
    DATE_RULES,
    ISSUER_RULES,
    KEY_RULES,
    LIMIT_RULES,
    REGISTER_RULES,
)
from carimbo.simulator.nfe.rules.items import ITEM_RULES
from carimbo.simulator.nfe.rules.operation import OPERATION_RULES
from carimbo.simulator.nfe.rules.other_taxes import FEDERAL_RULES, STATE_SHARE_RULES
from carimbo.simulator.nfe.rules.parties import PARTY_RULES
from carimbo.simulator.nfe.rules.payments import PAYMENT_RULES
from carimbo.simulator.nfe.rules.qr import QR_RULES
from carimbo.simulator.nfe.rules.receipt import RECEIPT_RULES
from carimbo.simulator.nfe.rules.references import REFERENCE_RULES
from carimbo.simulator.nfe.rules.reform import REFORM_RULES, REFORM_TOTAL_RULES
from carimbo.simulator.nfe.rules.totals import TOTAL_RULES
from carimbo.simulator.rules import RejectionRule
from carimbo.simulator.sefaz.rules.message import SIGNATURE_RULES

CONTENT_RULES: tuple[RejectionRule[JudgedInvoice], ...] = (
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


DOCUMENT_RULES: tuple[RejectionRule[JudgedInvoice], ...] = (
    *LIMIT_RULES,
    *SIGNATURE_RULES,
    *KEY_RULES,
    *REGISTER_RULES,
    *DATE_RULES,
    *ISSUER_RULES,
    *CONTENT_RULES,
)
