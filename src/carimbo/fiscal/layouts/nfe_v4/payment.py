"""Payments of a document (`pag`), and the bill with its installments (`cobr`)."""

from datetime import date
from decimal import Decimal

from carimbo.fiscal.layouts.group import child, children, day, decimal, group, text


@group("card")
class Card:
    """`card`: the electronic transaction of a payment by card, PIX, bank slip and similar means."""

    integration: str = text("tpIntegra", 1)
    institution_cnpj: str | None = text("CNPJ", 14, path="institutionTaxId", default=None)
    brand: str | None = text("tBand", 2, default=None)
    authorization: str | None = text("cAut", 128, default=None)
    beneficiary_cnpj: str | None = text("CNPJReceb", 14, path="beneficiaryTaxId", default=None)
    terminal: str | None = text("idTermPag", 40, default=None)


@group("detPag")
class Payment:
    """`detPag`: one means of payment and its amount."""

    term: str | None = text("indPag", 1, default=None)
    method: str = text("tPag", 2)
    description: str | None = text("xPag", 60, default=None)
    amount: Decimal = decimal("vPag")
    payment_date: date | None = day("dPag", default=None)
    processor_cnpj: str | None = text("CNPJPag", 14, path="processorTaxId", default=None)
    processor_state: str | None = text("UFPag", 2, default=None)
    card: Card | None = child("card", default=None)


@group("pag")
class Payments:
    """`pag`: all payments, and the change."""

    payments: tuple[Payment, ...] = children("detPag", 100)
    change: Decimal | None = decimal("vTroco", default=None)


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
