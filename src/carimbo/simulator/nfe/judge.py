"""Every rule in the order in which SEFAZ looks, and the verdict on one document."""

from carimbo.simulator.nfe.call import Call
from carimbo.simulator.nfe.case import Case
from carimbo.simulator.nfe.rules.content import CONTENT_RULES
from carimbo.simulator.nfe.rules.dates import DATE_RULES
from carimbo.simulator.nfe.rules.issuer import ISSUER_RULES
from carimbo.simulator.nfe.rules.key import KEY_RULES
from carimbo.simulator.nfe.rules.message import FORM_RULES
from carimbo.simulator.nfe.rules.register import LIMIT_RULES, REGISTER_RULES
from carimbo.simulator.nfe.rules.sender import SENDER_RULES
from carimbo.simulator.nfe.rules.signature import SIGNATURE_RULES
from carimbo.simulator.rule import Refusal, Rule, first_broken

MESSAGE_RULES: tuple[Rule[Call], ...] = (*SENDER_RULES, *FORM_RULES)
"""For every service."""
DOCUMENT_RULES: tuple[Rule[Case], ...] = (
    *LIMIT_RULES,
    *SIGNATURE_RULES,
    *KEY_RULES,
    *REGISTER_RULES,
    *DATE_RULES,
    *ISSUER_RULES,
    *CONTENT_RULES,
)


def judge(case: Case) -> Refusal | None:
    """The first rule that a document breaks; None if it is accepted."""
    return first_broken(DOCUMENT_RULES, case, case.world.controls.rules_off)
