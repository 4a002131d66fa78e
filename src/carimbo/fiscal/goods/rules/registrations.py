"""State registrations of the parties have the check digits of their states."""

from carimbo.fiscal.goods.rules.case import Case
from carimbo.fiscal.goods.rules.rule import NFE, DocumentCheck, GoodsRuleBook
from carimbo.fiscal.parties import EXEMPT
from carimbo.fiscal.rules import At
from carimbo.fiscal.state_registration import registration_problem

RULES: GoodsRuleBook[DocumentCheck] = GoodsRuleBook()


@RULES.rule(
    "209",
    "NT 2026.007, C17-20",
    "A inscrição estadual do emitente não é válida no estado dele.",
)
def issuers_registration(case: Case) -> At | None:
    """The issuer's registration is one of its state."""
    return _checked(case.invoice.issuer.state_registration, case.seller_state, "company.stateRegistrations")


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
    return _checked(case.recipient.state_registration, case.buyer_state, "recipient.stateRegistration")


def _checked(registration: str | None, state: str, path: str) -> At | None:
    problem = None if registration in (None, EXEMPT) else registration_problem(registration, state)
    return At(path, f"{problem[0].upper()}{problem[1:]}.") if problem else None
