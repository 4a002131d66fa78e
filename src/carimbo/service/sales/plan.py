"""What a sale comes to: its amounts, its days, and when its documents are issued."""

from dataclasses import dataclass
from datetime import date, datetime, timedelta
from decimal import Decimal

from carimbo.fiscal.findings import Findings
from carimbo.fiscal.goods.payments import contradicts
from carimbo.fiscal.local_time import beginning_of, local_day
from carimbo.fiscal.money import total, written
from carimbo.fiscal.problems import Problem
from carimbo.fiscal.tables.payment_methods import find_payment_method
from carimbo.service.sales.body import EmitWhen, SaleBody
from carimbo.service.sales.catalog import WRONG, Found, refuse_wrong_fields
from carimbo.service.sales.division import PricedLine

# The clock of most companies, for one whose address is not known yet.
_USUAL_STATE = "SP"
_FIRST_DAY, _LAST_DAY = date(2000, 1, 1), date(2999, 12, 31)


@dataclass(frozen=True, slots=True)
class Plan:
    """A sale, whole, before its documents are drafted."""

    body: SaleBody
    found: Found
    amount: Decimal
    sold_on: date
    guarantee_date: date | None
    due_at: datetime | None
    """When its documents are issued, of a sale that waits for a time."""
    issued_on: date
    """The day on which its documents are issued: today, unless the sale waits for a time."""


def plan_sale(body: SaleBody, found: Found, state: str | None, now: datetime) -> Plan:
    """Works out a sale by the company's clock, or refuses it with all that is wrong with it."""
    clock, findings = state or _USUAL_STATE, Findings()
    findings.missed_all(found.problems)
    goods = total(line.total for line in found.lines)
    has_all_lines = len(found.lines) == len(body.products)
    if has_all_lines and body.discount > goods:
        message = f"É maior do que o total dos itens, R$ {written(goods)}."
        findings.missed(Problem(WRONG, "discount", message))
    amount = goods - body.discount + body.shipping
    method = find_payment_method(body.payment_method) if body.payment_method else None
    if method and contradicts(method.code, body.payments):
        message = "Não é o meio de nenhum dos payments: informe só um dos dois campos."
        findings.missed(Problem(WRONG, "paymentMethod", message))
    for name, told in (("saleDate", body.sale_date), ("guaranteeDate", body.guarantee_date)):
        if told and not _FIRST_DAY <= local_day(told, clock) <= _LAST_DAY:
            findings.missed(Problem(WRONG, name, "A data está fora do calendário."))
    if not has_all_lines:
        refuse_wrong_fields(findings.problems)
    sold_on = local_day(body.sale_date or now, clock)
    waits_for = _waits_for(body, found.lines, sold_on, findings)
    refuse_wrong_fields(findings.problems)
    return Plan(
        body=body,
        found=found,
        amount=amount,
        sold_on=sold_on,
        guarantee_date=_day(body.guarantee_date or waits_for, clock),
        due_at=beginning_of(waits_for, clock) if waits_for else None,
        issued_on=local_day(waits_for or now, clock),
    )


def _waits_for(
    body: SaleBody, lines: tuple[PricedLine, ...], sold_on: date, findings: Findings
) -> date | None:
    """The day, or the moment, that the documents wait for."""
    if body.emit_when is not EmitWhen.AFTER_GUARANTEE:
        return None
    if body.guarantee_date:
        return body.guarantee_date
    longest = max((days for line in lines for days in _guarantees(line)), default=None)
    if longest is None:
        message = "Informe a data: nenhum dos itens tem garantia no catálogo."
        findings.missed(Problem(WRONG, "guaranteeDate", message))
        return None
    return sold_on + timedelta(days=longest)


def _guarantees(line: PricedLine) -> list[int]:
    """Of a split item, those of its parts count too."""
    items = (line.product, *(component.product for component in line.components))
    return [item.guarantee for item in items if item.guarantee is not None]


def _day(told: date | None, state: str) -> date | None:
    return None if told is None else local_day(told, state)
