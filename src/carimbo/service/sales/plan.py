"""Computes a sale: its amount, its dates, and when its documents are issued."""

from dataclasses import dataclass
from datetime import date, datetime, timedelta
from decimal import Decimal

from carimbo.fiscal.goods.payments import contradicts_payments
from carimbo.fiscal.local_time import beginning_of, local_day
from carimbo.fiscal.money import format_amount, total
from carimbo.fiscal.problems import Findings, Problem
from carimbo.fiscal.tables.payment_methods import find_payment_method
from carimbo.service.sales.body import EmitWhen, SaleBody
from carimbo.service.sales.catalog import INVALID_FIELD, ResolvedSale, refuse_invalid_fields
from carimbo.service.sales.division import PricedLine

# The time zone of most companies, for a company without an address.
_USUAL_STATE = "SP"
_FIRST_DAY, _LAST_DAY = date(2000, 1, 1), date(2999, 12, 31)


@dataclass(frozen=True, slots=True)
class SalePlan:
    """A computed sale, before its documents are drafted."""

    body: SaleBody
    resolved: ResolvedSale
    amount: Decimal
    sold_on: date
    guarantee_date: date | None
    due_at: datetime | None
    """When its documents are issued, if the sale is scheduled."""
    issued_on: date
    """The day on which its documents are issued: today, unless the sale is scheduled."""


def plan_sale(body: SaleBody, resolved: ResolvedSale, state: str | None, now: datetime) -> SalePlan:
    """Computes a sale in the company's time zone, or refuses it with all invalid fields."""
    zone, findings = state or _USUAL_STATE, Findings()
    findings.add_problems(resolved.problems)
    goods = total(line.total for line in resolved.lines)
    has_all_lines = len(resolved.lines) == len(body.products)
    if has_all_lines and body.discount > goods:
        message = f"É maior do que o total dos itens, R$ {format_amount(goods)}."
        findings.add_problem(Problem(INVALID_FIELD, "discount", message))
    method = find_payment_method(body.payment_method) if body.payment_method else None
    if method and contradicts_payments(method.code, body.payments):
        message = "Não é o meio de nenhum dos payments: informe só um dos dois campos."
        findings.add_problem(Problem(INVALID_FIELD, "paymentMethod", message))
    for name, day in (("saleDate", body.sale_date), ("guaranteeDate", body.guarantee_date)):
        if day and not _FIRST_DAY <= local_day(day, zone) <= _LAST_DAY:
            findings.add_problem(Problem(INVALID_FIELD, name, "A data está fora do calendário."))
    if not has_all_lines:
        refuse_invalid_fields(findings.problems)

    sold_on = local_day(body.sale_date or now, zone)
    scheduled = _scheduled_for(body, resolved.lines, sold_on, findings)
    refuse_invalid_fields(findings.problems)
    guarantee = body.guarantee_date or scheduled
    return SalePlan(
        body=body,
        resolved=resolved,
        amount=sale_amount(body, resolved),
        sold_on=sold_on,
        guarantee_date=local_day(guarantee, zone) if guarantee else None,
        due_at=beginning_of(scheduled, zone) if scheduled else None,
        issued_on=local_day(scheduled or now, zone),
    )


def sale_amount(body: SaleBody, resolved: ResolvedSale) -> Decimal:
    """Returns what a sale amounts to; its documents add the IPI."""
    return total(line.total for line in resolved.lines) - body.discount + body.shipping


def _scheduled_for(
    body: SaleBody, lines: tuple[PricedLine, ...], sold_on: date, findings: Findings
) -> date | None:
    """Returns the day or the moment at which the documents are scheduled."""
    if body.emit_when is not EmitWhen.AFTER_GUARANTEE:
        return None
    if body.guarantee_date:
        return body.guarantee_date
    products = [
        product
        for line in lines
        for product in (line.product, *(component.product for component in line.components))
    ]
    guarantees = [product.guarantee for product in products if product.guarantee is not None]
    longest = max(guarantees, default=None)
    if longest is None:
        message = "Informe a data: nenhum dos itens tem garantia no catálogo."
        findings.add_problem(Problem(INVALID_FIELD, "guaranteeDate", message))
        return None
    return sold_on + timedelta(days=longest)
