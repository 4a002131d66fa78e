"""The three shares of IBS and CBS of an item: rates, deferrals, reductions, refunds and amounts due."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal

from carimbo.fiscal.tables.ibs_cbs import (
    IBS_CBS_CLASSES,
    IBS_CBS_SITUATIONS,
    IbsCbsClass,
    IbsCbsSituation,
)
from carimbo.simulator.calendar import Rates
from carimbo.simulator.group import Group
from carimbo.simulator.nfe.case import Case
from carimbo.simulator.nfe.line import Line
from carimbo.simulator.nfe.rules.amounts import CENT, HUNDRED, differs
from carimbo.simulator.nfe.rules.facts import RETURN, purpose, seller_state
from carimbo.simulator.nfe.rules.scope import are_taxes_told, item_rule
from carimbo.simulator.rule import Rule

_RATE_STEP = Decimal("0.0001")
# They repeat the rates of what they correct (NT 2025.002, UB18-10).
_CORRECTING_CREDITS = frozenset({"03", "04", "06"})
# Where free areas are, within which the CBS may be zero; which cities they are is not looked at (UB56-10).
_STATES_WITH_FREE_AREAS = frozenset({"AC", "AM", "AP", "RO", "RR"})
_FREE_AREA = "gALCZFMCBS"
_PUBLIC_REDUCTION = "ide/gCompraGov/pRedutor"


@dataclass(frozen=True, slots=True, kw_only=True)
class Share:
    """One of the three: its official names, and the codes of its rules under the names of the checks."""

    group: str
    name: str
    """What the names of its fields end with."""
    law: Callable[[Rates], Decimal]
    reduction: Callable[[IbsCbsClass], Decimal | None]
    wrong_rate: str
    deferral_out_of_place: str
    deferral_missing: str
    wrong_deferral: str
    reduction_out_of_place: str
    reduction_missing: str
    wrong_reduction: str
    wrong_effective_rate: str
    wrong_amount: str
    wrong_regular_amount: str

    def rate(self, told: Group) -> Decimal:
        """What it says the rate is, after reductions."""
        path = "gRed/pAliqEfet" if "gRed" in told.groups else f"p{self.name}"
        return told.amount(path)


SHARES = (
    Share(
        group="gIBSUF",
        name="IBSUF",
        law=lambda rates: rates.state,
        reduction=lambda known: known.ibs_reduction,
        wrong_rate="1026",
        deferral_out_of_place="1029",
        deferral_missing="1030",
        wrong_deferral="1031",
        reduction_out_of_place="1032",
        reduction_missing="1033",
        wrong_reduction="1034",
        wrong_effective_rate="1035",
        wrong_amount="1041",
        wrong_regular_amount="1040",
    ),
    Share(
        group="gIBSMun",
        name="IBSMun",
        law=lambda rates: rates.city,
        reduction=lambda known: known.ibs_reduction,
        wrong_rate="1036",
        deferral_out_of_place="1083",
        deferral_missing="1044",
        wrong_deferral="1045",
        reduction_out_of_place="1007",
        reduction_missing="1074",
        wrong_reduction="1046",
        wrong_effective_rate="1047",
        wrong_amount="1052",
        wrong_regular_amount="1051",
    ),
    Share(
        group="gCBS",
        name="CBS",
        law=lambda rates: rates.cbs,
        reduction=lambda known: known.cbs_reduction,
        wrong_rate="1037",
        deferral_out_of_place="1090",
        deferral_missing="1061",
        wrong_deferral="1062",
        reduction_out_of_place="1028",
        reduction_missing="1079",
        wrong_reduction="1063",
        wrong_effective_rate="1064",
        wrong_amount="1069",
        wrong_regular_amount="1068",
    ),
)
"""NT 2025.002: UB17 to UB35, UB36 to UB54, UB55 to UB67, and UB72."""

_Check = Callable[[Share, Group, Line, Case], bool]


def situation_of(line: Line) -> IbsCbsSituation | None:
    """The CST of an item in the official table."""
    return IBS_CBS_SITUATIONS.rows.get(line.reform.texts.get("CST", ""))


def class_of(line: Line) -> IbsCbsClass | None:
    """The cClassTrib of an item in the official table."""
    return IBS_CBS_CLASSES.rows.get(line.reform.texts.get("cClassTrib", ""))


def wrong_rate(share: Share, told: Group, line: Line, case: Case) -> bool:
    """Expects the rate of the day, or zero where the tax that would be due has a group of its own."""
    rates, tax_class = case.calendar.rates_on(case.issued_on), class_of(line)
    if rates is None or tax_class is None or _repeats_rates(case):
        return False
    rate = told.amount(f"p{share.name}")
    is_right = rate == (0 if tax_class.has_regular_taxation else share.law(rates))
    return not is_right and not _may_be_free(told, rate, case)


def _repeats_rates(case: Case) -> bool:
    """Corrections have the rates of what they correct."""
    return purpose(case) == RETURN or case.text("ide/tpNFCredito") in _CORRECTING_CREDITS


def _may_be_free(told: Group, rate: Decimal, case: Case) -> bool:
    if rate or told.tag != "gCBS":
        return False
    return _FREE_AREA in told.groups or seller_state(case) in _STATES_WITH_FREE_AREAS


def deferral_out_of_place(share: Share, told: Group, line: Line, case: Case) -> bool:
    """A part of the tax is left for later where the situation has none of it."""
    situation = situation_of(line)
    return "gDif" in told.groups and situation is not None and not situation.has_deferral


def deferral_missing(share: Share, told: Group, line: Line, case: Case) -> bool:
    """The situation leaves a part for later, and it is not told which."""
    situation = situation_of(line)
    return "gDif" not in told.groups and situation is not None and situation.has_deferral


def wrong_deferral(share: Share, told: Group, line: Line, case: Case) -> bool:
    """What is left for later is its percentage of the whole tax."""
    if "gDif" not in told.groups:
        return False
    whole = line.rated.amount("vBC") * share.rate(told) * CENT
    return differs(told.amount("gDif/vDif"), whole * told.amount("gDif/pDif") * CENT)


def reduction_out_of_place(share: Share, told: Group, line: Line, case: Case) -> bool:
    """The situation has no reduction; a public buyer brings its own, beside one of zero."""
    situation = situation_of(line)
    if "gRed" not in told.groups or situation is None or situation.has_reduction:
        return False
    return not _is_public(case) or bool(told.amount("gRed/pRedAliq"))


def reduction_missing(share: Share, told: Group, line: Line, case: Case) -> bool:
    """The situation or a public buyer reduces the rate, and it is not told how much."""
    situation = situation_of(line)
    if "gRed" in told.groups or situation is None:
        return False
    return situation.has_reduction or _is_public(case)


def wrong_reduction(share: Share, told: Group, line: Line, case: Case) -> bool:
    """The classification says how much is taken off."""
    known = class_of(line)
    if "gRed" not in told.groups or known is None:
        return False
    expected = share.reduction(known)
    return expected is not None and told.amount("gRed/pRedAliq") != expected


def wrong_effective_rate(share: Share, told: Group, line: Line, case: Case) -> bool:
    """What is left of the rate, to four places, give or take one of the last."""
    if "gRed" not in told.groups:
        return False
    left = (HUNDRED - told.amount("gRed/pRedAliq")) * (HUNDRED - case.content.amount(_PUBLIC_REDUCTION))
    rate = told.amount(f"p{share.name}") * left * CENT * CENT
    return abs(told.amount("gRed/pAliqEfet") - rate.quantize(_RATE_STEP, ROUND_HALF_UP)) > _RATE_STEP


def _is_public(case: Case) -> bool:
    return case.content.group("ide/gCompraGov") is not None


def wrong_amount(share: Share, told: Group, line: Line, case: Case) -> bool:
    """What is due is the tax without what is left for later and what goes back."""
    due = line.rated.amount("vBC") * share.rate(told) * CENT
    if told.groups:
        due -= told.amount("gDif/vDif") + told.amount("gDevTrib/vDevTrib")
    return differs(told.amount(f"v{share.name}"), due)


def wrong_regular_amount(share: Share, told: Group, line: Line, case: Case) -> bool:
    """What would be due without the suspension is the base times its rate."""
    regular = line.rated.group("gTribRegular")
    if regular is None:
        return False
    whole = line.rated.amount("vBC") * regular.amount(f"pAliqEfetReg{share.name}") * CENT
    return differs(regular.amount(f"vTribReg{share.name}"), whole)


def _rules() -> Iterator[Rule[Case]]:
    checks: tuple[_Check, ...] = (
        wrong_rate,
        deferral_out_of_place,
        deferral_missing,
        wrong_deferral,
        reduction_out_of_place,
        reduction_missing,
        wrong_reduction,
        wrong_effective_rate,
        wrong_amount,
        wrong_regular_amount,
    )
    for share in SHARES:
        for check in checks:
            yield item_rule(getattr(share, check.__name__), _on(share, check), are_taxes_told)


def _on(share: Share, check: _Check) -> Callable[[Line, Case], bool]:
    def broken(line: Line, case: Case) -> bool:
        told = line.rated.group(share.group)
        return told is not None and check(share, told, line, case)

    return broken


SHARE_RULES = tuple(_rules())
