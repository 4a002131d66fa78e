"""Payments of a sale: request body, payment methods, and groups of the layout."""

from collections.abc import Sequence
from decimal import Decimal
from typing import Annotated, Any

from pydantic import AfterValidator, BeforeValidator, Field, StringConstraints
from pydantic_core import PydanticCustomError

from carimbo.fiscal.body.date_fields import Day
from carimbo.fiscal.body.fields import Body, Cnpj, Coded, Money, StateCode, Text
from carimbo.fiscal.layouts.nfe_v4.payment import Card, Payment
from carimbo.fiscal.tables.payment_methods import (
    PAYMENT_METHODS,
    PaymentMethod,
    find_payment_method,
    payment_methods_text,
)

NO_PAYMENT = "90"
PAID_LATER = "91"
NOTHING_PAID_NOW = frozenset({NO_PAYMENT, PAID_LATER})
ACCEPTED_METHODS = (
    "cash ou dinheiro, pix, creditCard ou cartão de crédito, boleto e outras palavras, ou o código (tPag)"
)
"""For descriptions of fields; the look-up of payment methods lists all words."""
_NOT_INTEGRATED = "2"
# Method 99 needs a description (rule 441).
_OTHER, _OTHER_MEANS = "99", "Outros"


class Term(Coded):
    """The term of payment (`indPag`)."""

    CASH = "cash", "0"
    INSTALLMENTS = "installments", "1"


def _code_as_text(value: Any) -> Any:
    """Returns a code that came as a JSON number as text with two digits."""
    return f"{value:02d}" if isinstance(value, int) and not isinstance(value, bool) else value


def parse_payment_method(text: str) -> PaymentMethod:
    """Returns the payment method of a word or code; raises a validation error if it is unknown."""
    method = find_payment_method(text)
    if method is None:
        raise PydanticCustomError(
            "payment_method",
            "Meio de pagamento desconhecido: use um destes códigos ou palavras: {known}.",
            {"known": payment_methods_text()},
        )
    return method


def _as_given(text: str) -> str:
    parse_payment_method(text)
    return text


_MethodText = Annotated[
    str,
    StringConstraints(strip_whitespace=True, max_length=30),
    Field(examples=["pix", "credit_card"]),
    BeforeValidator(_code_as_text),
]
PaymentMethodCode = Annotated[_MethodText, AfterValidator(lambda text: parse_payment_method(text).code)]
"""A payment method, read as its code."""
PaymentMethodText = Annotated[_MethodText, AfterValidator(_as_given)]
"""A payment method, kept as the caller wrote it."""


class PaymentBody(Body):
    """A payment: its method and its amount."""

    method: PaymentMethodCode = Field(description=f"Meio de pagamento: {ACCEPTED_METHODS}.")
    amount: Money = Field(description="Valor pago por este meio, em reais (vPag).")
    term: Term | None = Field(
        default=None, description="Prazo: cash (à vista) ou installments (a prazo) (indPag)."
    )
    description: Annotated[Text, StringConstraints(min_length=2, max_length=60)] | None = Field(
        default=None, description="Descrição do meio de pagamento, obrigatória com other (xPag)."
    )
    payment_date: Day | None = Field(default=None, description="Data do pagamento (dPag).")
    processor_tax_id: Cnpj | None = Field(
        default=None, description="CNPJ do estabelecimento em que o pagamento foi processado (CNPJPag)."
    )
    processor_state: StateCode | None = Field(
        default=None, description="UF do estabelecimento em que o pagamento foi processado (UFPag)."
    )
    card: Card | None = Field(
        default=None,
        description="Transação eletrônica; na falta, cartões e PIX levam pagamento não integrado (card).",
    )


def payment_group(body: PaymentBody) -> Payment:
    """Returns a payment of the layout; cards and PIX need the card group even without data."""
    return Payment(
        term=body.term.code if body.term else None,
        method=body.method,
        description=body.description,
        amount=body.amount,
        payment_date=body.payment_date,
        processor_cnpj=body.processor_tax_id,
        processor_state=body.processor_state,
        card=body.card or _card(body.method),
    )


def single_payment(method: str, amount: Decimal) -> Payment:
    """Returns one payment of the whole amount, or of zero if nothing is paid now (rule 904)."""
    if method in NOTHING_PAID_NOW:
        amount = Decimal(0)
    description = _OTHER_MEANS if method == _OTHER else None
    return Payment(method=method, amount=amount, description=description, card=_card(method))


def contradicts_payments(method: str | None, payments: Sequence[PaymentBody]) -> bool:
    """Returns whether `paymentMethod` names a method that none of the `payments` has."""
    return bool(payments) and method is not None and all(payment.method != method for payment in payments)


def _card(method: str) -> Card | None:
    return Card(integration=_NOT_INTEGRATED) if PAYMENT_METHODS[method].has_card else None
