"""ICMS: operation value, bases, rates between states, deferral, and the share of the buyer's state."""

from dataclasses import dataclass
from decimal import Decimal

from carimbo.fiscal.layouts.filling import missing_value
from carimbo.fiscal.money import ZERO, percent
from carimbo.fiscal.problems import Findings, Incomplete
from carimbo.fiscal.tables.geography import STATES
from carimbo.fiscal.tables.taxes import ICMS_BASES, IcmsBase, IcmsRate, internal_icms

FOREIGN_ORIGINS = frozenset("1238")
"""Foreign goods, and national goods with more than 40 % foreign content (Resolução do Senado 13/2012)."""

_FOREIGN_RATE, _FAVOURED_RATE, _USUAL_RATE = Decimal(4), Decimal(7), Decimal(12)
_RICH_REGIONS = frozenset({"S", "SE"})
_FAVOURED_EXCEPTION = "ES"
_HUNDRED = Decimal(100)


def interstate_rate(seller_state: str, buyer_state: str, origin: str) -> Decimal:
    """Returns the rate between two states (Resolução do Senado 22/1989; 13/2012 for foreign goods)."""
    if origin in FOREIGN_ORIGINS:
        return _FOREIGN_RATE
    return _FAVOURED_RATE if _is_rich(seller_state) and not _is_rich(buyer_state) else _USUAL_RATE


def _is_rich(state: str) -> bool:
    row = STATES.rows.get(state)
    return row is not None and state != _FAVOURED_EXCEPTION and row.region in _RICH_REGIONS


def reduced_base(value: Decimal, reduction: Decimal | None) -> Decimal:
    """Returns the base after a reduction in percent (MOC 7.0, N14 and N15)."""
    return value if reduction is None else percent(value, _HUNDRED - reduction)


@dataclass(frozen=True, slots=True)
class DeferredIcms:
    """ICMS of an operation: the whole amount, the deferred part, and the part due now."""

    operation_amount: Decimal
    deferral_amount: Decimal
    amount: Decimal


def deferred_icms(base: Decimal, rate: Decimal, deferral_rate: Decimal) -> DeferredIcms:
    """Divides the tax of an operation into the deferred part and the part due (MOC 7.0, N16a to N17)."""
    operation_amount = percent(base, rate)
    deferral_amount = percent(operation_amount, deferral_rate)
    return DeferredIcms(operation_amount, deferral_amount, operation_amount - deferral_amount)


def destination_amount(base: Decimal, internal_rate: Decimal, rate_between_states: Decimal) -> Decimal:
    """Returns the share of the buyer's state: the difference of the rates, on a single base.

    LC 87/1996, art. 13, X, and Convênio ICMS 236/2021, clause 2. The price is assumed to include the tax, as
    consumer prices do.
    """
    return max(ZERO, percent(base, internal_rate - rate_between_states))


def icms_base_warning(base: IcmsBase) -> str:
    """Returns the warning whether the ICMS base of a state includes IBS and CBS, which no law has settled."""
    how = "com IBS e CBS na base" if base.holds_ibs_cbs else "sem IBS e CBS na base"
    why = base.source or "não há norma conhecida do estado"
    return (
        f"O ICMS foi calculado {how} ({base.state}: {why}). Quem opera o carimbo muda isso na tabela"
        f" {ICMS_BASES.name}.csv."
    )


def assumed_icms_rate(
    state: str, path: str, findings: Findings, *, with_fund: bool, of: str = "produto", prefix: str = ""
) -> IcmsRate:
    """Returns the general rate of a state, and warns: the right one depends on the product or service.

    `prefix` names the field in the warning, in a document with a single such rate.
    """
    usual = internal_icms(state)
    if usual is None:
        raise Incomplete(missing_value(path, f"o estado {state}, que não está na tabela de alíquotas"))
    fund = f" e {_percent_text(usual.fcp)} de FCP" if usual.fcp and with_fund else ""
    rate = _percent_text(usual.rate)
    findings.add_warning(
        f"{prefix}Alíquota interna do ICMS não informada: usada a geral de {state}, {rate}{fund}. Confira"
        f" a do {of}."
    )
    return usual


def _percent_text(rate: Decimal) -> str:
    return f"{rate:f}%".replace(".", ",")


def operation_value(
    goods: Decimal, *, charges: tuple[Decimal | None, ...] = (), discount: Decimal | None = None
) -> Decimal:
    """Returns the value of the operation: goods and charges less the discount, at least zero.

    It is the base of ICMS (LC 87/1996, art. 13, § 1º, II) and of IPI (RIPI/2010, art. 190, § 1º; discounts:
    STF, theme 84).
    """
    value = goods
    for charge in charges:
        if charge:
            value += charge
    return max(ZERO, value - discount) if discount else value
