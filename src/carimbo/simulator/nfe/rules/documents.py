"""Every rule about a document, in the order in which the authorities look."""

from carimbo.simulator.nfe.case import Case
from carimbo.simulator.nfe.rules.content import CONTENT_RULES
from carimbo.simulator.nfe.rules.dates import DATE_RULES
from carimbo.simulator.nfe.rules.issuer import ISSUER_RULES
from carimbo.simulator.nfe.rules.key import KEY_RULES
from carimbo.simulator.nfe.rules.register import LIMIT_RULES, REGISTER_RULES
from carimbo.simulator.rule import Rule
from carimbo.simulator.sefaz.rules.signature import SIGNATURE_RULES

DOCUMENT_RULES: tuple[Rule[Case], ...] = (
    *LIMIT_RULES,
    *SIGNATURE_RULES,
    *KEY_RULES,
    *REGISTER_RULES,
    *DATE_RULES,
    *ISSUER_RULES,
    *CONTENT_RULES,
)
