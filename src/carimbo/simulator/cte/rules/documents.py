"""All rules about a CT-e and a CT-e OS, in the order in which the authorities check them."""

from carimbo.simulator.cte.judged import JudgedCte, JudgedCteOs
from carimbo.simulator.cte.rules import os_references, os_service, transported
from carimbo.simulator.cte.rules.amounts import AMOUNT_RULES, REFORM_RULES
from carimbo.simulator.cte.rules.identification import (
    DATE_RULES,
    ISSUER_RULES,
    KEY_RULES,
    LIMIT_RULES,
    OS_KEY_RULES,
    REGISTER_RULES,
)
from carimbo.simulator.cte.rules.message import SIGNATURE_RULES
from carimbo.simulator.cte.rules.modes import MODE_RULES
from carimbo.simulator.cte.rules.parties import (
    DEVELOPER_RULES,
    NAME_RULES,
    OS_PARTY_RULES,
    PARTY_RULES,
    PLACE_RULES,
    READER_RULES,
    REGISTRATION_RULES,
    TAKER_RULES,
)
from carimbo.simulator.cte.rules.qr import QR_RULES
from carimbo.simulator.cte.rules.references import (
    COMPLEMENT_RULES,
    OS_COMPLEMENT_RULES,
    OS_SUBSTITUTION_RULES,
    SUBSTITUTION_RULES,
)
from carimbo.simulator.cte.rules.service import (
    CARGO_RULES,
    CFOP_RULES,
    FORM_RULES,
    OS_CFOP_RULES,
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
    *REGISTRATION_RULES,
    *CARGO_RULES,
    *MODE_RULES,
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

OS_DOCUMENT_RULES: tuple[RejectionRule[JudgedCteOs], ...] = (
    *LIMIT_RULES,
    *SIGNATURE_RULES,
    *OS_KEY_RULES,
    *FORM_RULES,
    *DATE_RULES,
    *PART_RULES,
    *os_service.SERVICE_RULES,
    *REGISTRATION_RULES,
    *os_references.DOCUMENT_RULES,
    *os_references.GTVE_RULES,
    *AMOUNT_RULES,
    *REFORM_RULES,
    *OS_CFOP_RULES,
    *ISSUER_RULES,
    *OS_PARTY_RULES,
    *REGISTER_RULES,
    *OS_SUBSTITUTION_RULES,
    *OS_COMPLEMENT_RULES,
    *os_references.CANCELED_RULES,
    *PLACE_RULES,
    *READER_RULES,
    *DEVELOPER_RULES,
    *QR_RULES,
)
