"""How the document is paid (`pag`)."""

from datetime import date
from decimal import Decimal

from carimbo.fiscal.layouts.group import child, children, day, decimal, group, text


@group("card")
class Card:
    """`card`: the electronic transaction behind a payment by card, PIX, bank slip and the like."""

    integration: str = text("tpIntegra", 1)
    institution_cnpj: str | None = text("CNPJ", 14, path="institutionTaxId", default=None)
    brand: str | None = text("tBand", 2, default=None)
    authorization: str | None = text("cAut", 128, default=None)
    beneficiary_cnpj: str | None = text("CNPJReceb", 14, path="beneficiaryTaxId", default=None)
    terminal: str | None = text("idTermPag", 40, default=None)


@group("detPag")
class Payment:
    """`detPag`: one means of payment and its part of the amount."""

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
    """`pag`: every payment, and the change given back."""

    payments: tuple[Payment, ...] = children("detPag", 100)
    change: Decimal | None = decimal("vTroco", default=None)
