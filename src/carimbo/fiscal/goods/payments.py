"""How a sale is paid: as a body says it, and as the layout writes it."""

from collections.abc import Sequence
from decimal import Decimal
from typing import Annotated, Any

from pydantic import AfterValidator, BeforeValidator, Field, StringConstraints
from pydantic_core import PydanticCustomError

from carimbo.fiscal.coded import Coded
from carimbo.fiscal.date_fields import Day
from carimbo.fiscal.fields import Body, Cnpj, Money, StateCode, Text
from carimbo.fiscal.layouts.nfe_v4.payment import Card, Payment
from carimbo.fiscal.tables.payment_methods import (
    PAYMENT_METHODS,
    PaymentMethod,
    find_payment_method,
    known_payment_methods,
)

NO_PAYMENT = "90"
PAID_LATER = "91"
NOTHING_PAID_NOW = frozenset({NO_PAYMENT, PAID_LATER})
METHODS_TAKEN = (
    "cash ou dinheiro, pix, creditCard ou cartão de crédito, boleto e outras palavras, ou o código (tPag)"
)
"""For descriptions of fields; the look-up of payment methods lists all words."""
_NOT_INTEGRATED = "2"
# What is of no other kind is described (rule 441); nobody told more of it.
_OTHER, _OTHER_MEANS = "99", "Outros"


class Term(Coded):
    """When it is paid (`indPag`)."""

    CASH = "cash", "0"
    INSTALLMENTS = "installments", "1"


def _code_as_text(value: Any) -> Any:
    """Writes a code that came as a JSON number with its two digits."""
    return f"{value:02d}" if isinstance(value, int) and not isinstance(value, bool) else value


def known_method(text: str) -> PaymentMethod:
    """Returns the means of payment that a word or a code names."""
    method = find_payment_method(text)
    if method is None:
        raise PydanticCustomError(
            "payment_method",
            "Meio de pagamento desconhecido: use um destes códigos ou palavras: {known}.",
            {"known": known_payment_methods()},
        )
    return method


def _as_given(text: str) -> str:
    known_method(text)
    return text


_MethodText = Annotated[
    str,
    StringConstraints(strip_whitespace=True, max_length=30),
    Field(examples=["pix", "credit_card"]),
    BeforeValidator(_code_as_text),
]
Method = Annotated[_MethodText, AfterValidator(lambda text: known_method(text).code)]
"""A means of payment, read as its code."""
GivenMethod = Annotated[_MethodText, AfterValidator(_as_given)]
"""A means of payment, kept as the caller wrote it."""


class PaymentBody(Body):
    """One means of payment and its part of the amount."""

    method: Method = Field(description=f"Meio de pagamento: {METHODS_TAKEN}.")
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


def payment(body: PaymentBody) -> Payment:
    """A payment of the layout; cards and PIX need their group even when nothing is known of them."""
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


def whole_payment(method: str, amount: Decimal) -> Payment:
    """The whole amount by one means; what is not paid now tells no amount (rule 904)."""
    paid = Decimal(0) if method in NOTHING_PAID_NOW else amount
    description = _OTHER_MEANS if method == _OTHER else None
    return Payment(method=method, amount=paid, description=description, card=_card(method))


def contradicts(method: str | None, payments: Sequence[PaymentBody]) -> bool:
    """Tells whether `paymentMethod` names a means that none of the `payments` has."""
    return bool(payments) and method is not None and all(paid.method != method for paid in payments)


def _card(method: str) -> Card | None:
    return Card(integration=_NOT_INTEGRATED) if PAYMENT_METHODS[method].has_card else None
