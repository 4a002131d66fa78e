"""Rules about payments, and about the bill and its installments.

Rules 767 (payments equal the total) and 768 (an NF-e has none) ended with NT 2016.002, which replaced them by
865, 866 and 869.
"""

from collections.abc import Sequence
from decimal import Decimal
from itertools import pairwise

from carimbo.fiscal.tables.payment_methods import PAYMENT_METHODS
from carimbo.simulator.group import Group
from carimbo.simulator.identifiers import is_cnpj
from carimbo.simulator.nfe.judged import JudgedInvoice
from carimbo.simulator.nfe.rules.facts import ADJUSTMENT, RETURN, document_rule, in_nfce, in_nfe, purpose
from carimbo.simulator.rules import Finding, RejectionRule

_TRADE_NOTE, _NO_PAYMENT, _PAID_LATER, _OTHER = "14", "90", "91", "99"
_NOT_PAID_NOW = frozenset({_NO_PAYMENT, _PAID_LATER})
_PAID_BY_CARD_OR_PIX = frozenset({"03", "04", "17"})
_MAY_HAVE_A_CARD = frozenset({"03", "04", "10", "11", "12", "13", "15", "17", "18", "23", "24"})
_INTEGRATED = "1"
_MAX_TERM_YEARS = 10


def billed_in_nfe(invoice: JudgedInvoice) -> bool:
    """Returns whether it is model 55 with a bill."""
    return in_nfe(invoice) and "cobr" in invoice.content.groups


def discount_above_the_bill(invoice: JudgedInvoice) -> bool:
    """MOC 7.0, Y05-10."""
    return invoice.content.amount("cobr/fat/vDesc") > invoice.content.amount("cobr/fat/vOrig")


def wrong_net_amount(invoice: JudgedInvoice) -> bool:
    """MOC 7.0, Y06-10."""
    bill = invoice.content.group("cobr/fat")
    if bill is None or "vLiq" not in bill.texts or "vOrig" not in bill.texts:
        return False
    return bill.amount("vLiq") != bill.amount("vOrig") - bill.amount("vDesc")


def installments_misnumbered(invoice: JudgedInvoice) -> Finding:
    """MOC 7.0, Y08-10: 001, 002, and so on."""
    for position, installment in enumerate(_installments(invoice), start=1):
        if installment.text("nDup") != f"{position:03d}":
            return _occurrence(position)
    return None


def due_before_issue(invoice: JudgedInvoice) -> Finding:
    """MOC 7.0, Y09-20."""
    issued_on = _issued_on(invoice)
    for position, installment in enumerate(_installments(invoice), start=1):
        if installment.text("dVenc") < issued_on:
            return _occurrence(position)
    return None


def due_before_the_previous(invoice: JudgedInvoice) -> Finding:
    """MOC 7.0, Y09-30."""
    for position, (earlier, later) in enumerate(pairwise(_installments(invoice)), start=2):
        if later.text("dVenc") < earlier.text("dVenc"):
            return _occurrence(position)
    return None


def due_on_the_day_of_issue(invoice: JudgedInvoice) -> bool:
    """NT 2025.001, Y09-40: a single installment on the day of issue is not credit."""
    installments = _installments(invoice)
    return len(installments) == 1 and installments[0].text("dVenc") == _issued_on(invoice)


def due_too_late(invoice: JudgedInvoice) -> Finding:
    """NT 2025.001, Y09-50."""
    now = invoice.context.now
    last = f"{now.year + _MAX_TERM_YEARS:04d}-{now.month:02d}-{now.day:02d}"
    for position, installment in enumerate(_installments(invoice), start=1):
        if installment.text("dVenc") > last:
            return _occurrence(position)
    return None


def installments_are_not_the_bill(invoice: JudgedInvoice) -> bool:
    """MOC 7.0, Y10-10."""
    installments = _installments(invoice)
    if not installments or not invoice.text("cobr/fat/vLiq"):
        return False
    return _sum(installments, "vDup") != invoice.content.amount("cobr/fat/vLiq")


def _installments(invoice: JudgedInvoice) -> Sequence[Group]:
    billing = invoice.content.group("cobr")
    return billing.all("dup") if billing else ()


def _issued_on(invoice: JudgedInvoice) -> str:
    return invoice.issued_at.date().isoformat()


def _occurrence(position: int) -> str:
    return f"[nOcor:{position}]"


def paid_return(invoice: JudgedInvoice) -> bool:
    """MOC 7.0, YA02-04."""
    return purpose(invoice) in (ADJUSTMENT, RETURN) and any(
        _method(payment) != _NO_PAYMENT for payment in _payments(invoice)
    )


def unknown_payment_method(invoice: JudgedInvoice) -> bool:
    """NT 2020.006, YA02: codes that are not in the table of the Portal."""
    return any(_method(payment) not in PAYMENT_METHODS.rows for payment in _payments(invoice))


def trade_note(invoice: JudgedInvoice) -> bool:
    """MOC 7.0, YA02-10."""
    return any(_method(payment) == _TRADE_NOTE for payment in _payments(invoice))


def unpaid_receipt(invoice: JudgedInvoice) -> bool:
    """MOC 7.0, YA02-40."""
    return any(_method(payment) == _NO_PAYMENT for payment in _payments(invoice))


def other_method_undescribed(invoice: JudgedInvoice) -> bool:
    """NT 2020.006, YA02a-10."""
    return any(_method(payment) == _OTHER and not payment.text("xPag") for payment in _payments(invoice))


def paid_too_little(invoice: JudgedInvoice) -> bool:
    """NT 2025.001 v1.03, YA03-10, not yet in force for model 55."""
    if any(_method(payment) in _NOT_PAID_NOW for payment in _payments(invoice)):
        return False
    return _excess(invoice) < 0


def change_missing(invoice: JudgedInvoice) -> bool:
    """NT 2025.001, YA03-20."""
    return not invoice.text("pag/vTroco") and _excess(invoice) > 0


def unpaid_method_with_amount(invoice: JudgedInvoice) -> bool:
    """NT 2025.001 v1.03, YA03-30."""
    return any(_method(payment) in _NOT_PAID_NOW and payment.amount("vPag") for payment in _payments(invoice))


def wrong_change(invoice: JudgedInvoice) -> bool:
    """MOC 7.0, YA09-10."""
    return bool(invoice.text("pag/vTroco")) and invoice.content.amount("pag/vTroco") != _excess(invoice)


def card_missing(invoice: JudgedInvoice) -> Finding:
    """NT 2025.001, YA04-10, not yet in force for model 55."""
    for position, payment in enumerate(_payments(invoice), start=1):
        if _method(payment) in _PAID_BY_CARD_OR_PIX and "card" not in payment.groups:
            return _occurrence(position)
    return None


def card_of_another_method(invoice: JudgedInvoice) -> bool:
    """NT 2023.004, YA04-20."""
    return any(
        "card" in payment.groups and _method(payment) not in _MAY_HAVE_A_CARD
        for payment in _payments(invoice)
    )


def integrated_card_incomplete(invoice: JudgedInvoice) -> bool:
    """NT 2025.001, YA05-10."""
    return any(
        payment.text("card/tpIntegra") == _INTEGRATED
        and not (payment.text("card/CNPJ") and payment.text("card/cAut"))
        for payment in _payments(invoice)
    )


def wrong_institution(invoice: JudgedInvoice) -> bool:
    """NT 2020.006, YA05-20."""
    institutions = (payment.text("card/CNPJ") for payment in _payments(invoice))
    return any(cnpj and not is_cnpj(cnpj) for cnpj in institutions)


def _payments(invoice: JudgedInvoice) -> Sequence[Group]:
    paid = invoice.content.group("pag")
    return paid.all("detPag") if paid else ()


def _method(payment: Group) -> str:
    return payment.text("tPag")


def _excess(invoice: JudgedInvoice) -> Decimal:
    return _sum(_payments(invoice), "vPag") - invoice.content.amount("total/ICMSTot/vNF")


def _sum(groups: Sequence[Group], tag: str) -> Decimal:
    return sum((group.amount(tag) for group in groups), Decimal(0))


PAYMENT_RULES: tuple[RejectionRule[JudgedInvoice], ...] = (
    document_rule("901", discount_above_the_bill, billed_in_nfe),
    document_rule("902", wrong_net_amount, billed_in_nfe),
    document_rule("852", installments_misnumbered, billed_in_nfe),
    document_rule("900", due_before_issue, billed_in_nfe),
    document_rule("850", due_before_the_previous, billed_in_nfe),
    document_rule("853", due_on_the_day_of_issue, billed_in_nfe),
    document_rule("797", due_too_late, billed_in_nfe),
    document_rule("851", installments_are_not_the_bill, billed_in_nfe),
    document_rule("871", paid_return, in_nfe),
    document_rule("436", unknown_payment_method),
    document_rule("857", trade_note, in_nfce),
    document_rule("899", unpaid_receipt, in_nfce),
    document_rule("441", other_method_undescribed),
    document_rule("865", paid_too_little, in_nfce),
    document_rule("866", change_missing),
    document_rule("904", unpaid_method_with_amount),
    document_rule("391", card_missing, in_nfce),
    document_rule("963", card_of_another_method),
    document_rule("392", integrated_card_incomplete),
    document_rule("437", wrong_institution),
    document_rule("869", wrong_change),
)
