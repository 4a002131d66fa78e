"""Rules of the bill (fatura) and its installments (duplicatas)."""

from collections.abc import Iterator
from datetime import UTC
from itertools import pairwise

from pydantic.alias_generators import to_camel

from carimbo.fiscal.goods.rules.rule import NFE, DocumentCheck, GoodsRuleBook, RuleInput
from carimbo.fiscal.layouts.nfe_v4.payment import Bill, Installment
from carimbo.fiscal.money import ZERO, total
from carimbo.fiscal.rules import At, Severity

RULES: GoodsRuleBook[DocumentCheck] = GoodsRuleBook(
    when=lambda document: document.invoice.billing is not None
)

_MAX_TERM_YEARS = 10
_EMPTY_BILL = Bill()
_NEEDED_OF_A_BILL = ("number", "original_amount", "net_amount")


# The manual marks this as a future rule, and does not say whether installments need a bill at all.
@RULES.rule(
    "905",
    "MOC 7.0, Y01-20",
    "A SEFAZ pode exigir da cobrança o número, o valor original e o valor líquido da fatura.",
    models=(NFE,),
    severity=Severity.WARNS,
)
def bill_is_complete(document: RuleInput) -> At | None:
    """Warns of a bill without number, original amount or net amount."""
    bill = _bill(document)
    missing = [name for name in _NEEDED_OF_A_BILL if getattr(bill, name) is None]
    return At(f"billing.bill.{to_camel(missing[0])}") if missing else None


@RULES.rule("901", "MOC 7.0, Y05-10", "O desconto da fatura é maior que o valor original.", models=(NFE,))
def discount_is_within_the_bill(document: RuleInput) -> At | None:
    """Refuses a discount above the original amount."""
    bill = _bill(document)
    if (bill.discount or ZERO) > (bill.original_amount or ZERO):
        return At("billing.bill.discount")
    return None


@RULES.rule(
    "902",
    "MOC 7.0, Y06-10",
    "O valor líquido da fatura não é o original menos o desconto.",
    models=(NFE,),
)
def net_amount_of_the_bill(document: RuleInput) -> At | None:
    """Refuses a net amount that is not original minus discount; rule 901 reports larger discounts."""
    bill = _bill(document)
    if bill.net_amount is None or bill.original_amount is None:
        return None
    expected = bill.original_amount - (bill.discount or ZERO)
    if expected < 0 or bill.net_amount == expected:
        return None
    return At("billing.bill.netAmount", f"Esperado: {expected}.")


@RULES.rule(
    "852",
    "MOC 7.0, Y08-10",
    "As parcelas são numeradas em sequência, com três algarismos.",
    models=(NFE,),
)
def installments_are_numbered(document: RuleInput) -> Iterator[At]:
    """Refuses installments that are not numbered 001, 002 and so on."""
    for position, installment in enumerate(_installments(document)):
        expected = f"{position + 1:03d}"
        if installment.number != expected:
            yield At(f"billing.installments[{position}].number", f"Esperado: {expected}.")


# The manual has this rule and the next one for every state, but not every state seems to apply them.
@RULES.rule(
    "900",
    "MOC 7.0, Y09-20",
    "A parcela não tem vencimento, ou vence antes da emissão.",
    models=(NFE,),
    severity=Severity.WARNS,
)
def installments_are_due_later(document: RuleInput) -> Iterator[At]:
    """Warns of installments without a due date, or due before the issue."""
    issued_on = document.invoice.identification.issued_at.date()
    for position, installment in enumerate(_installments(document)):
        if installment.due_date is None or installment.due_date < issued_on:
            yield At(f"billing.installments[{position}].dueDate")


@RULES.rule(
    "850",
    "MOC 7.0, Y09-30",
    "A parcela vence antes da anterior.",
    models=(NFE,),
    severity=Severity.WARNS,
)
def installments_are_in_order(document: RuleInput) -> Iterator[At]:
    """Warns of installments that are not in the order of their due dates."""
    for position, (earlier, later) in enumerate(pairwise(_installments(document)), start=1):
        if earlier.due_date and later.due_date and later.due_date < earlier.due_date:
            yield At(f"billing.installments[{position}].dueDate")


@RULES.rule(
    "853",
    "NT 2025.001, Y09-40",
    "A parcela única que vence na emissão é pagamento à vista, que não tem cobrança.",
    models=(NFE,),
)
def something_is_due_later(document: RuleInput) -> At | None:
    """Refuses a single installment due on the day of issue.

    The manual does not name the time zone of that day, so the rule applies only if it is the same in UTC.
    """
    installments, issued_at = _installments(document), document.invoice.identification.issued_at
    if len(installments) != 1:
        return None
    if installments[0].due_date == issued_at.date() == issued_at.astimezone(UTC).date():
        return At("billing.installments[0].dueDate")
    return None


@RULES.rule("797", "NT 2025.001, Y09-50", "A parcela vence daqui a mais de dez anos.", models=(NFE,))
def installments_are_due_soon(document: RuleInput) -> Iterator[At]:
    """Refuses installments due in more than ten years."""
    last = (document.now.year + _MAX_TERM_YEARS, document.now.month, document.now.day)
    for position, installment in enumerate(_installments(document)):
        due = installment.due_date
        if due and (due.year, due.month, due.day) > last:
            yield At(f"billing.installments[{position}].dueDate")


@RULES.rule(
    "851",
    "MOC 7.0, Y10-10",
    "A soma das parcelas não é o valor líquido da fatura.",
    models=(NFE,),
)
def installments_divide_the_bill(document: RuleInput) -> At | None:
    """Refuses installments whose sum is not the net amount of the bill."""
    installments, expected = _installments(document), _bill(document).net_amount
    if (
        not installments
        or expected is None
        or total(installment.amount for installment in installments) == expected
    ):
        return None
    return At("billing.installments", f"Esperado: {expected}.")


def _bill(document: RuleInput) -> Bill:
    billing = document.invoice.billing
    return billing.bill if billing and billing.bill else _EMPTY_BILL


def _installments(document: RuleInput) -> tuple[Installment, ...]:
    return document.invoice.billing.installments if document.invoice.billing else ()
