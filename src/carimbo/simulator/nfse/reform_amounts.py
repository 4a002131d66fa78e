"""IBS and CBS of a note (notes of infNFSe/IBSCBS, layout 1.01): three shares of one base."""

from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal

from carimbo.fiscal.tables.ibs_cbs import (
    IBS_CBS_CLASSES,
    IBS_CBS_SITUATIONS,
    IbsCbsClass,
    IbsCbsGroup,
)
from carimbo.simulator.calendar import Milestone, Rates
from carimbo.simulator.nfse.amounts import (
    WHOLE,
    ZERO,
    city_tax,
    net_amount,
    passed_on,
    rounded,
    service_amount,
    share,
    unconditional_discount,
)
from carimbo.simulator.nfse.case import NoteCase
from carimbo.simulator.nfse.regimes import FEDERAL

SITUATION = "IBSCBS/valores/trib/gIBSCBS"
_SUSPENDED = "550"

# cIndOp of what counts as done where the buyer is, and where the recipient is (Anexo VII).
AT_BUYER = frozenset({"090102", "100101", "100301", "100501", "110201", "130201"})
AT_RECIPIENT = frozenset({"030103", "050103", "100102", "100201", "100302", "100401", "100502", "100601"})


@dataclass(frozen=True, slots=True)
class Kind:
    """One of the three shares, by its names."""

    rate: Callable[[Rates], Decimal]
    reduction: Callable[[IbsCbsClass], Decimal | None]
    deferral: str
    """The percentage of the deferral, in `gDif`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Share:
    """The IBS of the state, that of the city, or the CBS."""

    rate: Decimal
    reduction: Decimal | None
    """In percent of the rate; None where the classification reduces none."""
    effective: Decimal
    amount: Decimal
    deferred: Decimal | None
    """The part of the amount that is due later; None where nothing is deferred."""
    regular: Decimal | None
    """The rate that would be due without the benefit, where that has to be told."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReformTax:
    """The taxes of the reform, of one note."""

    base: Decimal
    state: Share
    city: Share
    cbs: Share
    total: Decimal
    """Of the note, `vTotNF`."""

    @property
    def ibs(self) -> Decimal:
        """Both shares."""
        return self.state.amount + self.city.amount


def reform_tax(case: NoteCase) -> ReformTax | None:
    """What is due of the reform; None where the declaration says nothing of it."""
    if not case.has("IBSCBS"):
        return None
    base = _base(case)
    state, city, cbs = (_share(case, base, kind) for kind in (_STATE, _CITY, _CBS))
    taxes = state.amount + city.amount + cbs.amount if case.follows(Milestone.NFSE_TOTAL_ADDS_TAXES) else ZERO
    return ReformTax(base=base, state=state, city=city, cbs=cbs, total=net_amount(case) + taxes)


def place_of_operation(case: NoteCase) -> str:
    """The city where the operation counts as done (LC 214/2025, art. 11)."""
    indicator = case.text("IBSCBS/cIndOp")
    recipient = case.text("IBSCBS/dest/end/endNac/cMun")
    buyer = case.text("toma/end/endNac/cMun")
    here = case.city_of_service or case.text("cLocEmi")
    if indicator in AT_RECIPIENT:
        return recipient or buyer or here
    return (buyer or here) if indicator in AT_BUYER else here


def _base(case: NoteCase) -> Decimal:
    tax = city_tax(case)
    base = service_amount(case) - unconditional_discount(case) - passed_on(case)
    base -= tax.amount if tax else ZERO
    if not case.follows(Milestone.NFSE_BASE_WITHOUT_PIS_COFINS):
        base -= case.amount(f"{FEDERAL}/piscofins/vPis") + case.amount(f"{FEDERAL}/piscofins/vCofins")
    return max(base, ZERO)


def _share(case: NoteCase, base: Decimal, kind: Kind) -> Share:
    told = case.group(SITUATION)
    rate = _rate(case, kind) if _is_due(told.text("CST")) else ZERO
    reduction = _reduction(told.text("cClassTrib"), kind)
    effective = _reduced(rate, reduction)
    amount = share(base, effective)
    return Share(
        rate=rate,
        reduction=reduction,
        effective=effective,
        amount=amount,
        deferred=share(amount, told.amount(f"gDif/{kind.deferral}")) if "gDif" in told.groups else None,
        regular=_regular(case, kind) if "gTribRegular" in told.groups else None,
    )


def _regular(case: NoteCase, kind: Kind) -> Decimal:
    told = case.group(f"{SITUATION}/gTribRegular")
    rate = _rate(case, kind) if _is_due(told.text("CSTReg")) else ZERO
    return _reduced(rate, _reduction(told.text("cClassTribReg"), kind))


def _rate(case: NoteCase, kind: Kind) -> Decimal:
    """Returns the rate of the day of competence; zero in years of which none is known."""
    rates = case.calendar.rates_on(case.competence)
    return kind.rate(rates) if rates else ZERO


def _reduced(rate: Decimal, reduction: Decimal | None) -> Decimal:
    return rounded(rate * (WHOLE - (reduction or ZERO)) / WHOLE)


def _is_due(situation: str) -> bool:
    """Tell whether a situation has rates, and they are not suspended."""
    found = IBS_CBS_SITUATIONS.rows.get(situation)
    return found is not None and found.group is IbsCbsGroup.RATE and situation != _SUSPENDED


def _reduction(code: str, kind: Kind) -> Decimal | None:
    found = IBS_CBS_CLASSES.rows.get(code)
    return kind.reduction(found) if found else None


_STATE = Kind(lambda rates: rates.state, lambda found: found.ibs_reduction, "pDifUF")
_CITY = Kind(lambda rates: rates.city, lambda found: found.ibs_reduction, "pDifMun")
_CBS = Kind(lambda rates: rates.cbs, lambda found: found.cbs_reduction, "pDifCBS")
