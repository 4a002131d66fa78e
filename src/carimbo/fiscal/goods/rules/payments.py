"""How the document is paid."""

from collections.abc import Iterator
from decimal import Decimal

from carimbo.fiscal.goods.payments import NO_PAYMENT, NOTHING_PAID_NOW
from carimbo.fiscal.goods.rules.case import Case
from carimbo.fiscal.goods.rules.rule import NFCE, NFE, DocumentCheck, GoodsRuleBook
from carimbo.fiscal.layouts.nfe_v4.payment import Payment
from carimbo.fiscal.rules import At
from carimbo.fiscal.taxpayer import is_cnpj


def _is_told(case: Case) -> bool:
    """Whether the caller said how it is paid; else the whole amount is paid by the usual means."""
    request = case.request
    return bool(request.payments or request.payment_method) or request.change is not None


def _has_a_card(case: Case) -> bool:
    return any(payment.card for payment in case.invoice.payment.payments)


RULES: GoodsRuleBook[DocumentCheck] = GoodsRuleBook(when=_is_told)
CARD_RULES: GoodsRuleBook[DocumentCheck] = GoodsRuleBook(when=_has_a_card)

_TRADE_NOTE, _OTHER = "14", "99"
_NEEDS_A_CARD = frozenset({"03", "04", "17"})
# The last two, automatic PIX and transfers by terminal, are younger than the rule.
_MAY_HAVE_A_CARD = frozenset({"03", "04", "10", "11", "12", "13", "15", "17", "18", "23", "24"})
_INTEGRATED = "1"
_ADJUSTMENT, _RETURN = "3", "4"


@RULES.rule(
    "871",
    "MOC 7.0, YA02-04",
    "Notas de ajuste e de devolução não têm pagamento: o meio é o 90.",
    models=(NFE,),
)
def returns_are_not_paid(case: Case) -> Iterator[At]:
    """What is adjusted or returned was paid with the first document."""
    if case.purpose in (_ADJUSTMENT, _RETURN):
        for position, payment in _payments(case):
            if payment.method != NO_PAYMENT:
                yield _at(case, position, "method")


@RULES.rule("857", "MOC 7.0, YA02-10", "A NFC-e não pode ser paga com duplicata mercantil.", models=(NFCE,))
def receipt_without_trade_note(case: Case) -> Iterator[At]:
    """Trade notes are between merchants."""
    for position, payment in _payments(case):
        if payment.method == _TRADE_NOTE:
            yield _at(case, position, "method")


@RULES.rule("899", "MOC 7.0, YA02-40", "A NFC-e não pode ficar sem pagamento.", models=(NFCE,))
def receipt_is_paid(case: Case) -> Iterator[At]:
    """A receipt is of a sale, and a sale is paid, if only later."""
    for position, payment in _payments(case):
        if payment.method == NO_PAYMENT:
            yield _at(case, position, "method")


@RULES.rule("441", "NT 2020.006, YA02a-10", "O meio de pagamento 99 (outros) precisa de uma descrição.")
def other_means_are_described(case: Case) -> Iterator[At]:
    """A code that says nothing has to be explained."""
    for position, payment in _payments(case):
        if payment.method == _OTHER and not payment.description:
            yield _at(case, position, "description")


@RULES.rule(
    "391",
    "NT 2025.001, YA04-10",
    "O pagamento com cartão ou PIX dinâmico precisa dos dados da transação.",
    models=(NFCE,),
)
def card_is_told(case: Case) -> Iterator[At]:
    """That the terminal is not integrated is enough."""
    for position, payment in _payments(case):
        if payment.method in _NEEDS_A_CARD and payment.card is None:
            yield _at(case, position, "card")


@CARD_RULES.rule("963", "NT 2023.004, YA04-20", "Este meio de pagamento não tem dados de cartão.")
def card_fits_the_means(case: Case) -> Iterator[At]:
    """Only electronic payments have a transaction."""
    for position, payment in _payments(case):
        if payment.card is not None and payment.method not in _MAY_HAVE_A_CARD:
            yield _at(case, position, "card")


@CARD_RULES.rule(
    "392",
    "NT 2025.001, YA05-10",
    "O pagamento integrado precisa do CNPJ da instituição de pagamento e da autorização.",
)
def integrated_payment_is_told(case: Case) -> Iterator[At]:
    """A terminal that is part of the system knows its transactions."""
    for position, payment in _payments(case):
        card = payment.card
        if card and card.integration == _INTEGRATED and not (card.institution_cnpj and card.authorization):
            missing = "authorization" if card.institution_cnpj else "institutionTaxId"
            yield _at(case, position, f"card.{missing}")


@CARD_RULES.rule(
    "437", "NT 2020.006, YA05-20", "O CNPJ da instituição de pagamento é inválido: os dígitos não conferem."
)
def institution_exists(case: Case) -> Iterator[At]:
    """Institutions of payment are companies."""
    for position, payment in _payments(case):
        if payment.card and payment.card.institution_cnpj and not is_cnpj(payment.card.institution_cnpj):
            yield _at(case, position, "card.institutionTaxId")


@RULES.rule(
    "904",
    "NT 2025.001, YA03-30",
    "Sem pagamento, ou com pagamento posterior, o valor pago é zero.",
)
def nothing_is_paid_now(case: Case) -> Iterator[At]:
    """What is not paid yet has no amount."""
    for position, payment in _payments(case):
        if payment.method in NOTHING_PAID_NOW and payment.amount:
            yield _at(case, position, "amount", "Esperado: 0.00.")


@RULES.rule(
    "865", "NT 2025.001, YA03-10", "A soma dos pagamentos é menor que o total da nota.", models=(NFCE,)
)
def enough_is_paid(case: Case) -> At | None:
    """Whoever takes the goods along pays for all of them, now or later."""
    if any(payment.method in NOTHING_PAID_NOW for _, payment in _payments(case)):
        return None
    if _paid_in_excess(case) < 0:
        return At("payments", f"Esperado: {case.invoice.totals.invoice.amount:.2f} ou mais.")
    return None


@RULES.rule(
    "866",
    "NT 2025.001, YA03-20",
    "A soma dos pagamentos é maior que o total da nota, e não há troco.",
)
def change_is_told(case: Case) -> At | None:
    """What is paid in excess is given back."""
    if case.invoice.payment.change is None and (excess := _paid_in_excess(case)) > 0:
        return At("change", f"Esperado: {excess:.2f}.")
    return None


@RULES.rule("869", "MOC 7.0, YA09-10", "O troco não é a soma dos pagamentos menos o total da nota.")
def change_is_the_excess(case: Case) -> At | None:
    """Neither more nor less than the excess is given back."""
    change = case.invoice.payment.change
    if change is not None and change != (excess := _paid_in_excess(case)):
        return At("change", f"Esperado: {max(excess, Decimal(0)):.2f}.")
    return None


def _payments(case: Case) -> Iterator[tuple[int, Payment]]:
    return enumerate(case.invoice.payment.payments)


def _paid_in_excess(case: Case) -> Decimal:
    paid = sum(payment.amount for payment in case.invoice.payment.payments)
    return paid - case.invoice.totals.invoice.amount


def _at(case: Case, position: int, name: str, detail: str = "") -> At:
    """A field of a payment; the body may have told the means alone."""
    if case.request.payments:
        return At(f"payments[{position}].{name}", detail)
    return At("paymentMethod" if case.request.payment_method else "payments", detail)
