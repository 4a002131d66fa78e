"""ICMS: bases, rates between states, deferral, and the share of the buyer's state."""

from dataclasses import dataclass
from decimal import Decimal

from carimbo.fiscal.money import ZERO, percent
from carimbo.fiscal.tables.states import STATES

FOREIGN_ORIGINS = frozenset("1238")
"""Foreign goods, and national ones with more than 40 % of foreign content (Resolução do Senado 13/2012)."""

_FOREIGN_RATE, _FAVOURED_RATE, _USUAL_RATE = Decimal(4), Decimal(7), Decimal(12)
_RICH_REGIONS = frozenset({"S", "SE"})
_FAVOURED_EXCEPTION = "ES"
_HUNDRED = Decimal(100)


def interstate_rate(seller_state: str, buyer_state: str, origin: str) -> Decimal:
    """The rate between two states (Resolução do Senado 22/1989; 13/2012 for foreign goods)."""
    if origin in FOREIGN_ORIGINS:
        return _FOREIGN_RATE
    return _FAVOURED_RATE if _is_rich(seller_state) and not _is_rich(buyer_state) else _USUAL_RATE


def _is_rich(state: str) -> bool:
    known = STATES.rows.get(state)
    return known is not None and state != _FAVOURED_EXCEPTION and known.region in _RICH_REGIONS


def reduced_base(value: Decimal, reduction: Decimal | None) -> Decimal:
    """The base after a reduction in percent (MOC 7.0, N14 and N15)."""
    return value if reduction is None else percent(value, _HUNDRED - reduction)


@dataclass(frozen=True, slots=True)
class DeferredIcms:
    """ICMS of an operation, the part that is paid later, and what is due now."""

    operation_amount: Decimal
    deferral_amount: Decimal
    amount: Decimal


def deferred(base: Decimal, rate: Decimal, deferral_rate: Decimal) -> DeferredIcms:
    """Part the tax of an operation in what is deferred and what is due (MOC 7.0, N16a to N17)."""
    operation_amount = percent(base, rate)
    deferral_amount = percent(operation_amount, deferral_rate)
    return DeferredIcms(operation_amount, deferral_amount, operation_amount - deferral_amount)


def destination_amount(base: Decimal, internal_rate: Decimal, rate_between_states: Decimal) -> Decimal:
    """What the buyer's state gets: the difference of the rates on the one base.

    LC 87/1996, art. 13, X, and Convênio ICMS 236/2021, clause 2. The price charged is taken to hold the tax
    already, as it does wherever a consumer is told one price.
    """
    return max(ZERO, percent(base, internal_rate - rate_between_states))
