"""All rules about a CT-e, in the order in which the authorities check them."""

from carimbo.simulator.cte.judged import JudgedCte
from carimbo.simulator.cte.rules import transported
from carimbo.simulator.cte.rules.amounts import AMOUNT_RULES, REFORM_RULES
from carimbo.simulator.cte.rules.identification import (
    DATE_RULES,
    ISSUER_RULES,
    KEY_RULES,
    LIMIT_RULES,
    REGISTER_RULES,
)
from carimbo.simulator.cte.rules.message import SIGNATURE_RULES
from carimbo.simulator.cte.rules.parties import (
    DEVELOPER_RULES,
    NAME_RULES,
    PARTY_RULES,
    PLACE_RULES,
    READER_RULES,
    TAKER_RULES,
)
from carimbo.simulator.cte.rules.qr import QR_RULES
from carimbo.simulator.cte.rules.references import COMPLEMENT_RULES, SUBSTITUTION_RULES
from carimbo.simulator.cte.rules.service import (
    CARGO_RULES,
    CFOP_RULES,
    FORM_RULES,
    PART_RULES,
    SERVICE_RULES,
)
from carimbo.simulator.rules import RejectionRule

DOCUMENT_RULES: tuple[RejectionRule[JudgedCte], ...] = (
    *LIMIT_RULES,
    *SIGNATURE_RULES,
    *KEY_RULES,
    *FORM_RULES,
    *NAME_RULES,
    *DATE_RULES,
    *PART_RULES,
    *TAKER_RULES,
    *CARGO_RULES,
    *transported.DOCUMENT_RULES,
    *AMOUNT_RULES,
    *REFORM_RULES,
    *CFOP_RULES,
    *SERVICE_RULES,
    *transported.EARLIER_RULES,
    *ISSUER_RULES,
    *PARTY_RULES,
    *REGISTER_RULES,
    *SUBSTITUTION_RULES,
    *COMPLEMENT_RULES,
    *PLACE_RULES,
    *READER_RULES,
    *transported.GLOBALIZED_RULES,
    *DEVELOPER_RULES,
    *QR_RULES,
)
