"""How an NF-e was sold and paid, where its body leaves that open."""

from decimal import Decimal

from carimbo.fiscal.company import Company
from carimbo.fiscal.documents.nfe.request import NfeRequest, Operation, Purpose
from carimbo.fiscal.findings import Findings
from carimbo.fiscal.goods.cfop import is_sale
from carimbo.fiscal.goods.payments import NO_PAYMENT, NOTHING_PAID_NOW, known_method
from carimbo.fiscal.goods.presence import Presence
from carimbo.fiscal.goods.sale import compose_payments
from carimbo.fiscal.layouts.nfe_v4.invoice import Item
from carimbo.fiscal.layouts.nfe_v4.payment import Payments
from carimbo.fiscal.money import written

_CASH = "01"
_NOT_PAID = (Purpose.ADJUSTMENT, Purpose.RETURN, Purpose.CREDIT, Purpose.DEBIT)
_PRESENCE_ASSUMED = (
    "presence: A presença do comprador não foi informada, e a nota diz inPerson (presencial); informe"
    " presence, ou o padrão da empresa em defaults.presence."
)
_CASH_ASSUMED = (
    "paymentMethod: O meio de pagamento não foi informado, e a nota diz cash (dinheiro); informe payments ou"
    " paymentMethod, ou o padrão da empresa em defaults.paymentMethod."
)


def presence_of(request: NfeRequest, company: Company) -> Presence:
    """Returns the buyer's presence: as the body or the company's defaults say, else in person."""
    return request.presence or company.defaults.presence or Presence.IN_PERSON


def warn_of_assumed_presence(request: NfeRequest, company: Company, findings: Findings) -> None:
    """Warns if neither the body nor the company's defaults say how the buyer was present."""
    if request.presence is None and company.defaults.presence is None:
        findings.assumed(_PRESENCE_ASSUMED)


def payments_of(
    request: NfeRequest, company: Company, items: tuple[Item, ...], amount: Decimal, findings: Findings
) -> Payments:
    """Returns the payments; warns if they are below the total, which is refused in an NFC-e (rule 865)."""
    paid = compose_payments(request, amount, _method(request, company, items, findings), findings)
    total = sum((payment.amount for payment in paid.payments), Decimal(0))
    is_paid_now = not any(payment.method in NOTHING_PAID_NOW for payment in paid.payments)
    if is_paid_now and total < amount:
        findings.assumed(
            f"payments: Os pagamentos somam R$ {written(total)}, menos que o total da nota,"
            f" R$ {written(amount)}."
        )
    return paid


def _method(request: NfeRequest, company: Company, items: tuple[Item, ...], findings: Findings) -> str:
    """Returns how the whole amount is paid (`tPag`) if the body lists no payments.

    The company's default is for what is paid: adjustments and returns are not (rule 871).
    """
    if request.payment_method:
        return request.payment_method
    if not _is_paid(request, items):
        return NO_PAYMENT
    if company.defaults.payment_method:
        return known_method(company.defaults.payment_method).code
    if not request.payments:
        findings.assumed(_CASH_ASSUMED)
    return _CASH


def _is_paid(request: NfeRequest, items: tuple[Item, ...]) -> bool:
    """Returns False for adjustments, returns, and goods that leave without being sold."""
    if request.purpose in _NOT_PAID:
        return False
    return request.operation is Operation.INBOUND or any(is_sale(item.product.cfop) for item in items)
