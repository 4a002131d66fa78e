"""State registrations of the parties have the check digits of their states."""

from carimbo.fiscal.goods.parties import EXEMPT
from carimbo.fiscal.goods.rules.case import Case
from carimbo.fiscal.goods.rules.rule import NFE, At, DocumentCheck, RuleBook
from carimbo.fiscal.state_registration import is_state_registration

RULES: RuleBook[DocumentCheck] = RuleBook()


@RULES.rule(
    "209",
    "NT 2026.007, C17-20",
    "A inscrição estadual do emitente não é válida no estado dele.",
)
def issuers_registration(case: Case) -> At | None:
    """The issuer's registration is one of its state."""
    if _is_wrong(case.invoice.issuer.state_registration, case.seller_state):
        return At("company.stateRegistrations", f"Estado: {case.seller_state}.")
    return None


@RULES.rule(
    "210",
    "MOC 7.0, E17-50",
    "A inscrição estadual do destinatário não é válida no estado dele.",
    models=(NFE,),
)
def recipients_registration(case: Case) -> At | None:
    """The recipient's registration is one of its state; abroad there are none (rule 792)."""
    if case.recipient is None or case.buyer_state in (None, "EX"):
        return None
    if _is_wrong(case.recipient.state_registration, case.buyer_state):
        return At("recipient.stateRegistration", f"Estado: {case.buyer_state}.")
    return None


def _is_wrong(registration: str | None, state: str) -> bool:
    return registration not in (None, EXEMPT) and not is_state_registration(registration, state)
