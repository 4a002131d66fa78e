"""Rules of the payments of a document."""

from collections.abc import Iterator
from decimal import Decimal

from carimbo.fiscal.goods.payments import NO_PAYMENT, NOTHING_PAID_NOW
from carimbo.fiscal.goods.rules.rule import (
    ADJUSTMENT,
    NFCE,
    NFE,
    RETURN,
    DocumentCheck,
    GoodsRuleBook,
    RuleInput,
)
from carimbo.fiscal.identity.tax_ids import is_cnpj
from carimbo.fiscal.layouts.nfe_v4.payment import Payment
from carimbo.fiscal.rules import At


def _has_given_payments(document: RuleInput) -> bool:
    """Returns whether the request has payments; else there is one of the whole amount."""
    request = document.request
    return bool(request.payments or request.payment_method) or request.change is not None


def _has_a_card(document: RuleInput) -> bool:
    return any(payment.card for payment in document.invoice.payment.payments)


RULES: GoodsRuleBook[DocumentCheck] = GoodsRuleBook(when=_has_given_payments)
CARD_RULES: GoodsRuleBook[DocumentCheck] = GoodsRuleBook(when=_has_a_card)

_TRADE_NOTE, _OTHER = "14", "99"
_NEEDS_A_CARD = frozenset({"03", "04", "17"})
# The last two, automatic PIX and transfers by terminal, are newer than the rule.
_MAY_HAVE_A_CARD = frozenset({"03", "04", "10", "11", "12", "13", "15", "17", "18", "23", "24"})
_INTEGRATED = "1"


@RULES.rule(
    "871",
    "MOC 7.0, YA02-04",
    "Notas de ajuste e de devolução não têm pagamento: o meio é o 90.",
    models=(NFE,),
)
def returns_are_not_paid(document: RuleInput) -> Iterator[At]:
    """Refuses payments in adjustments and returns: the first document has them."""
    if document.purpose in (ADJUSTMENT, RETURN):
        for position, payment in _payments(document):
            if payment.method != NO_PAYMENT:
                yield _at(document, position, "method")


@RULES.rule("857", "MOC 7.0, YA02-10", "A NFC-e não pode ser paga com duplicata mercantil.", models=(NFCE,))
def receipt_without_trade_note(document: RuleInput) -> Iterator[At]:
    """Refuses trade notes in an NFC-e."""
    for position, payment in _payments(document):
        if payment.method == _TRADE_NOTE:
            yield _at(document, position, "method")


@RULES.rule("899", "MOC 7.0, YA02-40", "A NFC-e não pode ficar sem pagamento.", models=(NFCE,))
def receipt_is_paid(document: RuleInput) -> Iterator[At]:
    """Refuses an NFC-e without payment."""
    for position, payment in _payments(document):
        if payment.method == NO_PAYMENT:
            yield _at(document, position, "method")


@RULES.rule("441", "NT 2020.006, YA02a-10", "O meio de pagamento 99 (outros) precisa de uma descrição.")
def other_method_has_a_description(document: RuleInput) -> Iterator[At]:
    """Refuses method 99 (other) without a description."""
    for position, payment in _payments(document):
        if payment.method == _OTHER and not payment.description:
            yield _at(document, position, "description")


@RULES.rule(
    "391",
    "NT 2025.001, YA04-10",
    "O pagamento com cartão ou PIX dinâmico precisa dos dados da transação.",
    models=(NFCE,),
)
def card_has_a_group(document: RuleInput) -> Iterator[At]:
    """Refuses cards and PIX without a card group; "not integrated" is enough in it."""
    for position, payment in _payments(document):
        if payment.method in _NEEDS_A_CARD and payment.card is None:
            yield _at(document, position, "card")


@CARD_RULES.rule("963", "NT 2023.004, YA04-20", "Este meio de pagamento não tem dados de cartão.")
def card_fits_the_method(document: RuleInput) -> Iterator[At]:
    """Refuses a card group in payments that are not electronic."""
    for position, payment in _payments(document):
        if payment.card is not None and payment.method not in _MAY_HAVE_A_CARD:
            yield _at(document, position, "card")


@CARD_RULES.rule(
    "392",
    "NT 2025.001, YA05-10",
    "O pagamento integrado precisa do CNPJ da instituição de pagamento e da autorização.",
)
def integrated_payment_is_complete(document: RuleInput) -> Iterator[At]:
    """Refuses integrated payments without institution or authorization."""
    for position, payment in _payments(document):
        card = payment.card
        if card and card.integration == _INTEGRATED and not (card.institution_cnpj and card.authorization):
            missing = "authorization" if card.institution_cnpj else "institutionTaxId"
            yield _at(document, position, f"card.{missing}")


@CARD_RULES.rule(
    "437", "NT 2020.006, YA05-20", "O CNPJ da instituição de pagamento é inválido: os dígitos não conferem."
)
def institution_exists(document: RuleInput) -> Iterator[At]:
    """Refuses a payment institution with an invalid CNPJ."""
    for position, payment in _payments(document):
        if payment.card and payment.card.institution_cnpj and not is_cnpj(payment.card.institution_cnpj):
            yield _at(document, position, "card.institutionTaxId")


@RULES.rule(
    "904",
    "NT 2025.001, YA03-30",
    "Sem pagamento, ou com pagamento posterior, o valor pago é zero.",
)
def nothing_is_paid_now(document: RuleInput) -> Iterator[At]:
    """Refuses an amount in payments that are made later or not at all."""
    for position, payment in _payments(document):
        if payment.method in NOTHING_PAID_NOW and payment.amount:
            yield _at(document, position, "amount", "Esperado: 0.00.")


@RULES.rule(
    "865", "NT 2025.001, YA03-10", "A soma dos pagamentos é menor que o total da nota.", models=(NFCE,)
)
def enough_is_paid(document: RuleInput) -> At | None:
    """Refuses an NFC-e whose payments are less than its total, unless part is paid later."""
    if any(payment.method in NOTHING_PAID_NOW for _, payment in _payments(document)):
        return None
    if _paid_in_excess(document) < 0:
        return At("payments", f"Esperado: {document.invoice.totals.invoice.amount:.2f} ou mais.")
    return None


@RULES.rule(
    "866",
    "NT 2025.001, YA03-20",
    "A soma dos pagamentos é maior que o total da nota, e não há troco.",
)
def change_is_present(document: RuleInput) -> At | None:
    """Refuses payments above the total without change."""
    if document.invoice.payment.change is None and (excess := _paid_in_excess(document)) > 0:
        return At("change", f"Esperado: {excess:.2f}.")
    return None


@RULES.rule("869", "MOC 7.0, YA09-10", "O troco não é a soma dos pagamentos menos o total da nota.")
def change_is_the_excess(document: RuleInput) -> At | None:
    """Refuses change that is not the excess of the payments."""
    change = document.invoice.payment.change
    if change is not None and change != (excess := _paid_in_excess(document)):
        return At("change", f"Esperado: {max(excess, Decimal(0)):.2f}.")
    return None


def _payments(document: RuleInput) -> Iterator[tuple[int, Payment]]:
    return enumerate(document.invoice.payment.payments)


def _paid_in_excess(document: RuleInput) -> Decimal:
    paid = sum(payment.amount for payment in document.invoice.payment.payments)
    return paid - document.invoice.totals.invoice.amount


def _at(document: RuleInput, position: int, name: str, detail: str = "") -> At:
    """Returns the path of a field of a payment; the request may have only `paymentMethod`."""
    if document.request.payments:
        return At(f"payments[{position}].{name}", detail)
    return At("paymentMethod" if document.request.payment_method else "payments", detail)
