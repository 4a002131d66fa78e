"""Rules about the payment of a freight (`infPag`), in MDF-e and in events."""

from collections.abc import Callable, Iterator, Sequence
from datetime import date
from decimal import Decimal
from itertools import pairwise
from typing import Protocol, TypeVar

from carimbo.simulator.group import Group
from carimbo.simulator.identifiers import is_cnpj
from carimbo.simulator.mdfe.rules.vehicles import is_invalid_party
from carimbo.simulator.rules import Finding, RejectionRule, first_finding
from carimbo.simulator.sefaz.rules.amounts import CENT

_CASH, _TERM = "01"
"""`indPag`."""
_ZERO = Decimal(0)


class PaymentSource(Protocol):
    """Anything with payments: a document or an event."""

    @property
    def payments(self) -> Sequence[Group]:
        """Every `infPag`."""

    @property
    def issued_on(self) -> date:
        """The day of issue of the document."""


SourceT = TypeVar("SourceT", bound=PaymentSource)


def wrong_payer(payment: Group) -> bool:
    """MOC MDF-e, 727."""
    return is_invalid_party(payment)


def wrong_institution(payment: Group) -> bool:
    """MOC MDF-e, 728."""
    institution = payment.text("infBanc/CNPJIPEF")
    return bool(institution) and not is_cnpj(institution)


def installments_missing(payment: Group) -> bool:
    """MOC MDF-e, 724."""
    return payment.text("indPag") == _TERM and not payment.all("infPrazo")


def installments_of_cash(payment: Group) -> bool:
    """MOC MDF-e, 729."""
    return payment.text("indPag") == _CASH and bool(payment.all("infPrazo"))


def components_differ(payment: Group) -> bool:
    """MOC MDF-e, 746."""
    total = sum((component.amount("vComp") for component in payment.all("Comp")), _ZERO)
    return abs(total - payment.amount("vContrato")) > CENT


def wrong_number(payment: Group) -> Finding:
    """MOC MDF-e, 735: 001, 002 and so on."""
    return _first(
        installment
        for number, installment in enumerate(_installments(payment), start=1)
        if installment.text("nParcela") != f"{number:03d}"
    )


def due_before_the_previous(payment: Group) -> Finding:
    """MOC MDF-e, 737: each installment is due after the previous one."""
    return _first(
        following
        for previous, following in pairwise(_installments(payment))
        if following.text("dVenc") <= previous.text("dVenc")
    )


def installments_differ(payment: Group) -> bool:
    """MOC MDF-e, 738: installments and advance are the contract."""
    installments = _installments(payment)
    total = sum((installment.amount("vParcela") for installment in installments), payment.amount("vAdiant"))
    return bool(installments) and abs(total - payment.amount("vContrato")) > CENT


def advance_of_cash(payment: Group) -> bool:
    """MOC MDF-e, 739."""
    return payment.text("indPag") == _CASH and bool(payment.text("vAdiant"))


def _installments(payment: Group) -> Sequence[Group]:
    return payment.all("infPrazo") if payment.text("indPag") == _TERM else ()


def _first(installments: Iterator[Group]) -> Finding:
    return next((f"[nParcela:{installment.text('nParcela')}]" for installment in installments), None)


def due_before_the_issue(source: PaymentSource) -> Finding:
    """MOC MDF-e, 736."""
    issued_on = source.issued_on.isoformat()
    return _first(
        installment
        for payment in source.payments
        for installment in _installments(payment)
        if installment.text("dVenc") < issued_on
    )


def _of_any(broken: Callable[[Group], Finding]) -> Callable[[PaymentSource], Finding]:
    return lambda source: first_finding(map(broken, source.payments))


_CHECKS: tuple[tuple[str, Callable[[PaymentSource], Finding]], ...] = (
    ("724", _of_any(installments_missing)),
    ("729", _of_any(installments_of_cash)),
    ("727", _of_any(wrong_payer)),
    ("728", _of_any(wrong_institution)),
    ("746", _of_any(components_differ)),
    ("735", _of_any(wrong_number)),
    ("736", due_before_the_issue),
    ("737", _of_any(due_before_the_previous)),
    ("738", _of_any(installments_differ)),
    ("739", _of_any(advance_of_cash)),
)


def payment_rules(where: Callable[[SourceT], bool] | None = None) -> tuple[RejectionRule[SourceT], ...]:
    """Returns the rules about every payment of a source, under a condition."""
    return tuple(RejectionRule(code, check, where) for code, check in _CHECKS)
