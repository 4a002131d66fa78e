"""How a document is paid, and the bill with its installments.

Rules 767 (payments are the total) and 768 (an NF-e has none) ended with NT 2016.002, which brought 865, 866
and 869 in their place.
"""

from collections.abc import Sequence
from decimal import Decimal
from itertools import pairwise

from carimbo.fiscal.tables.payment_methods import PAYMENT_METHODS
from carimbo.simulator.group import Group
from carimbo.simulator.nfe.case import Case
from carimbo.simulator.nfe.rules.facts import ADJUSTMENT, RETURN, purpose
from carimbo.simulator.nfe.rules.scope import document_rule, in_nfce, in_nfe
from carimbo.simulator.rule import Finding, Rule
from carimbo.simulator.tax_ids import is_cnpj

_TRADE_NOTE, _NOTHING, _LATER, _OTHER = "14", "90", "91", "99"
_NOT_PAID_NOW = frozenset({_NOTHING, _LATER})
_PAID_BY_CARD_OR_PIX = frozenset({"03", "04", "17"})
_MAY_HAVE_A_CARD = frozenset({"03", "04", "10", "11", "12", "13", "15", "17", "18", "23", "24"})
_INTEGRATED = "1"
_LONGEST_TERM_IN_YEARS = 10


def billed_in_nfe(case: Case) -> bool:
    """Model 55 with a bill."""
    return in_nfe(case) and "cobr" in case.content.groups


def discount_above_the_bill(case: Case) -> bool:
    """MOC 7.0, Y05-10."""
    return case.content.amount("cobr/fat/vDesc") > case.content.amount("cobr/fat/vOrig")


def wrong_net_amount(case: Case) -> bool:
    """MOC 7.0, Y06-10."""
    bill = case.content.group("cobr/fat")
    if bill is None or "vLiq" not in bill.texts or "vOrig" not in bill.texts:
        return False
    return bill.amount("vLiq") != bill.amount("vOrig") - bill.amount("vDesc")


def installments_misnumbered(case: Case) -> Finding:
    """MOC 7.0, Y08-10: 001, 002, and so on."""
    for position, one in enumerate(_installments(case), start=1):
        if one.text("nDup") != f"{position:03d}":
            return _at(position)
    return None


def due_before_issue(case: Case) -> Finding:
    """MOC 7.0, Y09-20."""
    issued_on = _issued_on(case)
    for position, one in enumerate(_installments(case), start=1):
        if one.text("dVenc") < issued_on:
            return _at(position)
    return None


def due_before_the_last(case: Case) -> Finding:
    """MOC 7.0, Y09-30."""
    for position, (earlier, later) in enumerate(pairwise(_installments(case)), start=2):
        if later.text("dVenc") < earlier.text("dVenc"):
            return _at(position)
    return None


def due_at_once(case: Case) -> bool:
    """NT 2025.001, Y09-40: a single installment of the same day is no credit."""
    installments = _installments(case)
    return len(installments) == 1 and installments[0].text("dVenc") == _issued_on(case)


def due_too_late(case: Case) -> Finding:
    """NT 2025.001, Y09-50."""
    now = case.world.now
    last = f"{now.year + _LONGEST_TERM_IN_YEARS:04d}-{now.month:02d}-{now.day:02d}"
    for position, one in enumerate(_installments(case), start=1):
        if one.text("dVenc") > last:
            return _at(position)
    return None


def installments_are_not_the_bill(case: Case) -> bool:
    """MOC 7.0, Y10-10."""
    installments = _installments(case)
    if not installments or not case.text("cobr/fat/vLiq"):
        return False
    return _sum(installments, "vDup") != case.content.amount("cobr/fat/vLiq")


def _installments(case: Case) -> Sequence[Group]:
    billing = case.content.group("cobr")
    return billing.all("dup") if billing else ()


def _issued_on(case: Case) -> str:
    return case.issued_at.date().isoformat()


def _at(position: int) -> str:
    return f"[nOcor:{position}]"


def paid_return(case: Case) -> bool:
    """MOC 7.0, YA02-04."""
    return purpose(case) in (ADJUSTMENT, RETURN) and any(_method(one) != _NOTHING for one in _payments(case))


def means_unknown(case: Case) -> bool:
    """NT 2020.006, YA02: the table of the Portal has the codes."""
    return any(_method(one) not in PAYMENT_METHODS.rows for one in _payments(case))


def trade_note(case: Case) -> bool:
    """MOC 7.0, YA02-10."""
    return any(_method(one) == _TRADE_NOTE for one in _payments(case))


def unpaid_receipt(case: Case) -> bool:
    """MOC 7.0, YA02-40."""
    return any(_method(one) == _NOTHING for one in _payments(case))


def other_means_undescribed(case: Case) -> bool:
    """NT 2020.006, YA02a-10."""
    return any(_method(one) == _OTHER and not one.text("xPag") for one in _payments(case))


def too_little(case: Case) -> bool:
    """NT 2025.001 v1.03, YA03-10, which model 55 is still to get."""
    if any(_method(one) in _NOT_PAID_NOW for one in _payments(case)):
        return False
    return _excess(case) < 0


def change_untold(case: Case) -> bool:
    """NT 2025.001, YA03-20."""
    return not case.text("pag/vTroco") and _excess(case) > 0


def paid_nevertheless(case: Case) -> bool:
    """NT 2025.001 v1.03, YA03-30."""
    return any(_method(one) in _NOT_PAID_NOW and one.amount("vPag") for one in _payments(case))


def wrong_change(case: Case) -> bool:
    """MOC 7.0, YA09-10."""
    return bool(case.text("pag/vTroco")) and case.content.amount("pag/vTroco") != _excess(case)


def card_untold(case: Case) -> Finding:
    """NT 2025.001, YA04-10, which model 55 is still to get."""
    for position, one in enumerate(_payments(case), start=1):
        if _method(one) in _PAID_BY_CARD_OR_PIX and "card" not in one.groups:
            return _at(position)
    return None


def card_of_other_means(case: Case) -> bool:
    """NT 2023.004, YA04-20."""
    return any("card" in one.groups and _method(one) not in _MAY_HAVE_A_CARD for one in _payments(case))


def integrated_card_untold(case: Case) -> bool:
    """NT 2025.001, YA05-10."""
    return any(
        one.text("card/tpIntegra") == _INTEGRATED and not (one.text("card/CNPJ") and one.text("card/cAut"))
        for one in _payments(case)
    )


def wrong_institution(case: Case) -> bool:
    """NT 2020.006, YA05-20."""
    told = (one.text("card/CNPJ") for one in _payments(case))
    return any(cnpj and not is_cnpj(cnpj) for cnpj in told)


def _payments(case: Case) -> Sequence[Group]:
    paid = case.content.group("pag")
    return paid.all("detPag") if paid else ()


def _method(payment: Group) -> str:
    return payment.text("tPag")


def _excess(case: Case) -> Decimal:
    return _sum(_payments(case), "vPag") - case.content.amount("total/ICMSTot/vNF")


def _sum(groups: Sequence[Group], tag: str) -> Decimal:
    return sum((one.amount(tag) for one in groups), Decimal(0))


PAYMENT_RULES: tuple[Rule[Case], ...] = (
    document_rule("901", discount_above_the_bill, billed_in_nfe),
    document_rule("902", wrong_net_amount, billed_in_nfe),
    document_rule("852", installments_misnumbered, billed_in_nfe),
    document_rule("900", due_before_issue, billed_in_nfe),
    document_rule("850", due_before_the_last, billed_in_nfe),
    document_rule("853", due_at_once, billed_in_nfe),
    document_rule("797", due_too_late, billed_in_nfe),
    document_rule("851", installments_are_not_the_bill, billed_in_nfe),
    document_rule("871", paid_return, in_nfe),
    document_rule("436", means_unknown),
    document_rule("857", trade_note, in_nfce),
    document_rule("899", unpaid_receipt, in_nfce),
    document_rule("441", other_means_undescribed),
    document_rule("865", too_little, in_nfce),
    document_rule("866", change_untold),
    document_rule("904", paid_nevertheless),
    document_rule("391", card_untold, in_nfce),
    document_rule("963", card_of_other_means),
    document_rule("392", integrated_card_untold),
    document_rule("437", wrong_institution),
    document_rule("869", wrong_change),
)
