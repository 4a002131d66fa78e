"""Terms of an NF-e that the body may leave open: presence, payments, and the destination of the goods."""

from decimal import Decimal
from typing import NamedTuple

from carimbo.fiscal.documents.nfe.request import NfeRequest, OperationDirection, Purpose
from carimbo.fiscal.goods.cfop import ABROAD, TO_ANOTHER_STATE, WITHIN_THE_STATE, is_sale
from carimbo.fiscal.goods.freight import FreightMode
from carimbo.fiscal.goods.payments import NO_PAYMENT, NOTHING_PAID_NOW, parse_payment_method
from carimbo.fiscal.goods.presence import Presence
from carimbo.fiscal.goods.request import compose_payments
from carimbo.fiscal.layouts.nfe_v4.invoice import Item
from carimbo.fiscal.layouts.nfe_v4.payment import Payments
from carimbo.fiscal.money import format_amount
from carimbo.fiscal.parties.company import Company
from carimbo.fiscal.parties.recipient import ForeignAddress
from carimbo.fiscal.problems import Findings
from carimbo.fiscal.taxes.trade import ABROAD as EXTERIOR

_CASH = "01"
_NOT_PAID = (Purpose.ADJUSTMENT, Purpose.RETURN, Purpose.CREDIT, Purpose.DEBIT)
# `idDest` by the first digit of the CFOP.
_BY_FIRST_DIGIT = {
    "1": WITHIN_THE_STATE,
    "2": TO_ANOTHER_STATE,
    "3": ABROAD,
    "5": WITHIN_THE_STATE,
    "6": TO_ANOTHER_STATE,
    "7": ABROAD,
}
_PRESENCE_ASSUMED = (
    "presence: A presença do comprador não foi informada, e a nota diz inPerson (presencial); informe"
    " presence, ou o padrão da empresa em defaults.presence."
)
_CASH_ASSUMED = (
    "paymentMethod: O meio de pagamento não foi informado, e a nota diz cash (dinheiro); informe payments ou"
    " paymentMethod, ou o padrão da empresa em defaults.paymentMethod."
)


def presence_of(request: NfeRequest, company: Company) -> Presence:
    """Returns the buyer's presence: of the body, else of the company's defaults, else in person."""
    return request.presence or company.defaults.presence or Presence.IN_PERSON


def warn_of_assumed_presence(request: NfeRequest, company: Company, findings: Findings) -> None:
    """Warns if neither the body nor the company's defaults have the buyer's presence."""
    if request.presence is None and company.defaults.presence is None:
        findings.add_warning(_PRESENCE_ASSUMED)


def payments_of(
    request: NfeRequest, company: Company, items: tuple[Item, ...], amount: Decimal, findings: Findings
) -> Payments:
    """Returns the payments; warns if they are below the total, which is refused in an NFC-e (rule 865)."""
    paid = compose_payments(request, amount, _method(request, company, items, findings), findings)
    total = sum((payment.amount for payment in paid.payments), Decimal(0))
    is_paid_now = not any(payment.method in NOTHING_PAID_NOW for payment in paid.payments)
    if is_paid_now and total < amount:
        findings.add_warning(
            f"payments: Os pagamentos somam R$ {format_amount(total)}, menos que o total da nota,"
            f" R$ {format_amount(amount)}."
        )
    return paid


def _method(request: NfeRequest, company: Company, items: tuple[Item, ...], findings: Findings) -> str:
    """Returns how the whole amount is paid (`tPag`) if the body lists no payments.

    The company's default applies to sales: adjustments and returns are not paid (rule 871).
    """
    if request.payment_method:
        return request.payment_method
    if not _is_paid(request, items):
        return NO_PAYMENT
    if company.defaults.payment_method:
        return parse_payment_method(company.defaults.payment_method).code
    if not request.payments:
        findings.add_warning(_CASH_ASSUMED)
    return _CASH


def _is_paid(request: NfeRequest, items: tuple[Item, ...]) -> bool:
    """Returns False for adjustments, returns, and goods that are not sold."""
    if request.purpose in _NOT_PAID:
        return False
    return request.operation is OperationDirection.INBOUND or any(
        is_sale(item.product.cfop) for item in items
    )


class GoodsDestination(NamedTuple):
    """The destination of the goods of one document."""

    code: str
    """`idDest`: 1 within the state, 2 to another state, 3 abroad."""
    state: str
    """Letters of the state, `EX` for another country."""


def destination_of(request: NfeRequest, company: Company) -> GoodsDestination:
    """Returns the destination: as given, else by the buyer and the states of both parties."""
    # The delivery's state, else the buyer's (LC 87/1996, art. 11, § 7º).
    address = request.delivery_address or request.recipient.address
    if isinstance(address, ForeignAddress):
        state = EXTERIOR
    else:
        state = (address and address.state) or company.address.state

    code = request.destination.code if request.destination else None
    if code is None and (request.recipient.foreign_id or request.recipient.is_foreign):
        code = _of_foreigner(request, company, state)
    if code is None:
        if state == EXTERIOR:
            code = ABROAD
        else:
            code = WITHIN_THE_STATE if state == company.address.state else TO_ANOTHER_STATE
    if code == WITHIN_THE_STATE and state == EXTERIOR:
        state = company.address.state
    return GoodsDestination(code, state)


def _of_foreigner(request: NfeRequest, company: Company, state: str) -> str | None:
    """Returns the destination of goods sold to a foreigner; None if the addresses decide.

    A foreigner who takes the goods along in the shop buys within the state: nothing is exported (Orientação
    de Preenchimento da NF-e 2.0, venda a turista estrangeiro). `presence` or a CFOP of internal sales must
    say so, because an export with missing data must not become a taxed sale.
    """
    digits = {cfop[0] for item in request.items if (cfop := item.cfop or request.cfop)}
    codes = {_BY_FIRST_DIGIT[digit] for digit in digits if digit in _BY_FIRST_DIGIT}
    # CFOPs that contradict each other decide nothing.
    by_cfop = codes.pop() if len(codes) == 1 else None
    is_normal_sale = request.operation is OperationDirection.OUTBOUND and request.purpose is Purpose.NORMAL
    if by_cfop == ABROAD or not is_normal_sale:
        return by_cfop
    is_stated = request.presence is not None or by_cfop == WITHIN_THE_STATE
    if is_stated and by_cfop in (None, WITHIN_THE_STATE) and _is_taken_along(request, company):
        return WITHIN_THE_STATE
    return None if state == EXTERIOR else by_cfop


def _is_taken_along(request: NfeRequest, company: Company) -> bool:
    """Returns whether the goods are handed over in the shop, without freight or export data."""
    is_carried = request.freight is not None and request.freight.mode is not FreightMode.NONE
    is_exported = request.export is not None or any(item.export_details for item in request.items)
    in_shop = presence_of(request, company) is Presence.IN_PERSON and request.delivery_address is None
    return in_shop and not is_carried and not is_exported
