"""What is to be paid later (`cobr`)."""

from datetime import date
from decimal import Decimal

from carimbo.fiscal.layouts.group import child, children, day, decimal, group, text


@group("fat")
class Bill:
    """`fat`: the commercial bill that the installments divide."""

    number: str | None = text("nFat", 60, default=None)
    original_amount: Decimal | None = decimal("vOrig", default=None)
    discount: Decimal | None = decimal("vDesc", default=None)
    net_amount: Decimal | None = decimal("vLiq", default=None)


@group("dup")
class Installment:
    """`dup`: one installment of the bill."""

    number: str | None = text("nDup", 60, default=None)
    due_date: date | None = day("dVenc", default=None)
    amount: Decimal = decimal("vDup")


@group("cobr")
class Billing:
    """`cobr`: the bill and its installments."""

    bill: Bill | None = child("fat", default=None)
    installments: tuple[Installment, ...] = children("dup", 120, default=())
