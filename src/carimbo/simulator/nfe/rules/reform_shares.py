"""Rules about the three shares of IBS and CBS of an item: rates, deferrals, reductions and amounts."""

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
from carimbo.simulator.nfe.judged import JudgedInvoice, JudgedLine
from carimbo.simulator.nfe.rules.facts import (
    RETURN,
    has_reform_taxes,
    item_rule,
    purpose,
    seller_state,
)
from carimbo.simulator.rules import RejectionRule
from carimbo.simulator.sefaz.rules.amounts import CENT, HUNDRED, differs

_RATE_STEP = Decimal("0.0001")
# These repeat the rates of the corrected document (NT 2025.002, UB18-10).
_CORRECTING_CREDITS = frozenset({"03", "04", "06"})
# States with free areas, where the CBS can be zero; the city is not checked (UB56-10).
_STATES_WITH_FREE_AREAS = frozenset({"AC", "AM", "AP", "RO", "RR"})
_FREE_AREA = "gALCZFMCBS"
_PUBLIC_REDUCTION = "ide/gCompraGov/pRedutor"


@dataclass(frozen=True, slots=True, kw_only=True)
class TaxShare:
    """A share: its official names, and the code of each rule under the name of its check."""

    group: str
    name: str
    """Suffix of its field names."""
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

    def rate(self, group: Group) -> Decimal:
        """Returns the rate in a group, after reductions."""
        path = "gRed/pAliqEfet" if "gRed" in group.groups else f"p{self.name}"
        return group.amount(path)


SHARES = (
    TaxShare(
        group="gIBSUF",
        name="IBSUF",
        law=lambda rates: rates.state,
        reduction=lambda tax_class: tax_class.ibs_reduction,
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
    TaxShare(
        group="gIBSMun",
        name="IBSMun",
        law=lambda rates: rates.city,
        reduction=lambda tax_class: tax_class.ibs_reduction,
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
    TaxShare(
        group="gCBS",
        name="CBS",
        law=lambda rates: rates.cbs,
        reduction=lambda tax_class: tax_class.cbs_reduction,
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

_Check = Callable[[TaxShare, Group, JudgedLine, JudgedInvoice], bool]


def situation_of(line: JudgedLine) -> IbsCbsSituation | None:
    """Returns the CST of an item from the official table."""
    return IBS_CBS_SITUATIONS.rows.get(line.reform.texts.get("CST", ""))


def class_of(line: JudgedLine) -> IbsCbsClass | None:
    """Returns the cClassTrib of an item from the official table."""
    return IBS_CBS_CLASSES.rows.get(line.reform.texts.get("cClassTrib", ""))


def wrong_rate(share: TaxShare, group: Group, line: JudgedLine, invoice: JudgedInvoice) -> bool:
    """Expects the rate of the day, or zero if the tax has a regular-taxation group of its own."""
    rates, tax_class = invoice.calendar.rates_on(invoice.issued_on), class_of(line)
    if rates is None or tax_class is None or _repeats_rates(invoice):
        return False
    rate = group.amount(f"p{share.name}")
    is_right = rate == (0 if tax_class.has_regular_taxation else share.law(rates))
    return not is_right and not _may_be_free(group, rate, invoice)


def _repeats_rates(invoice: JudgedInvoice) -> bool:
    """Corrections have the rates of the corrected document."""
    return purpose(invoice) == RETURN or invoice.text("ide/tpNFCredito") in _CORRECTING_CREDITS


def _may_be_free(group: Group, rate: Decimal, invoice: JudgedInvoice) -> bool:
    if rate or group.tag != "gCBS":
        return False
    return _FREE_AREA in group.groups or seller_state(invoice) in _STATES_WITH_FREE_AREAS


def deferral_out_of_place(share: TaxShare, group: Group, line: JudgedLine, invoice: JudgedInvoice) -> bool:
    """A deferral in a situation that has none."""
    situation = situation_of(line)
    return "gDif" in group.groups and situation is not None and not situation.has_deferral


def deferral_missing(share: TaxShare, group: Group, line: JudgedLine, invoice: JudgedInvoice) -> bool:
    """No deferral in a situation that requires one."""
    situation = situation_of(line)
    return "gDif" not in group.groups and situation is not None and situation.has_deferral


def wrong_deferral(share: TaxShare, group: Group, line: JudgedLine, invoice: JudgedInvoice) -> bool:
    """The deferred amount is its percentage of the whole tax."""
    if "gDif" not in group.groups:
        return False
    whole = line.rated.amount("vBC") * share.rate(group) * CENT
    return differs(group.amount("gDif/vDif"), whole * group.amount("gDif/pDif") * CENT)


def reduction_out_of_place(share: TaxShare, group: Group, line: JudgedLine, invoice: JudgedInvoice) -> bool:
    """A reduction in a situation that has none; a public buyer has its own, beside one of zero."""
    situation = situation_of(line)
    if "gRed" not in group.groups or situation is None or situation.has_reduction:
        return False
    return not _is_public(invoice) or bool(group.amount("gRed/pRedAliq"))


def reduction_missing(share: TaxShare, group: Group, line: JudgedLine, invoice: JudgedInvoice) -> bool:
    """No reduction although the situation or a public buyer requires one."""
    situation = situation_of(line)
    if "gRed" in group.groups or situation is None:
        return False
    return situation.has_reduction or _is_public(invoice)


def wrong_reduction(share: TaxShare, group: Group, line: JudgedLine, invoice: JudgedInvoice) -> bool:
    """The classification determines the reduction."""
    tax_class = class_of(line)
    if "gRed" not in group.groups or tax_class is None:
        return False
    expected = share.reduction(tax_class)
    return expected is not None and group.amount("gRed/pRedAliq") != expected


def wrong_effective_rate(share: TaxShare, group: Group, line: JudgedLine, invoice: JudgedInvoice) -> bool:
    """The reduced rate with four decimals, with a tolerance of one in the last."""
    if "gRed" not in group.groups:
        return False
    left = (HUNDRED - group.amount("gRed/pRedAliq")) * (HUNDRED - invoice.content.amount(_PUBLIC_REDUCTION))
    rate = group.amount(f"p{share.name}") * left * CENT * CENT
    return abs(group.amount("gRed/pAliqEfet") - rate.quantize(_RATE_STEP, ROUND_HALF_UP)) > _RATE_STEP


def _is_public(invoice: JudgedInvoice) -> bool:
    return invoice.content.group("ide/gCompraGov") is not None


def wrong_amount(share: TaxShare, group: Group, line: JudgedLine, invoice: JudgedInvoice) -> bool:
    """The tax due is the whole tax less deferral and refund."""
    due = line.rated.amount("vBC") * share.rate(group) * CENT
    if group.groups:
        due -= group.amount("gDif/vDif") + group.amount("gDevTrib/vDevTrib")
    return differs(group.amount(f"v{share.name}"), due)


def wrong_regular_amount(share: TaxShare, group: Group, line: JudgedLine, invoice: JudgedInvoice) -> bool:
    """The tax without the suspension is the base times its rate."""
    regular = line.rated.group("gTribRegular")
    if regular is None:
        return False
    whole = line.rated.amount("vBC") * regular.amount(f"pAliqEfetReg{share.name}") * CENT
    return differs(regular.amount(f"vTribReg{share.name}"), whole)


def _rules() -> Iterator[RejectionRule[JudgedInvoice]]:
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
            yield item_rule(getattr(share, check.__name__), _check_on(share, check), has_reform_taxes)


def _check_on(share: TaxShare, check: _Check) -> Callable[[JudgedLine, JudgedInvoice], bool]:
    def broken(line: JudgedLine, invoice: JudgedInvoice) -> bool:
        group = line.rated.group(share.group)
        return group is not None and check(share, group, line, invoice)

    return broken


SHARE_RULES = tuple(_rules())
