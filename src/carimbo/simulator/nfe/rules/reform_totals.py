"""Totals of IBS and CBS are what the items say, to the cent (NT 2025.002, W34 to W59g)."""

from decimal import Decimal

from carimbo.simulator.nfe.case import Case
from carimbo.simulator.nfe.rules.scope import are_taxes_told, document_rule
from carimbo.simulator.rule import Rule

_TOTALS = "total/IBSCBSTot"


def totals_of_nothing(case: Case) -> bool:
    """NT 2025.002, W34-10."""
    return _has_totals(case) and not are_taxes_told(case)


def totals_missing(case: Case) -> bool:
    """NT 2025.002, W34-20."""
    return not _has_totals(case)


def _has_totals(case: Case) -> bool:
    return case.content.group(_TOTALS) is not None


def _sum_rule(code: str, total: str, of_item: str) -> Rule[Case]:
    """The rule of one total, by its path and that of an item's part; what is not told is left alone."""

    def is_wrong(case: Case) -> bool:
        told = case.text(f"{_TOTALS}/{total}")
        if not told:
            return False
        return Decimal(told) != sum((line.reform.amount(of_item) for line in case.lines), Decimal(0))

    return document_rule(code, is_wrong, are_taxes_told)


REFORM_TOTAL_RULES: tuple[Rule[Case], ...] = (
    document_rule("1118", totals_of_nothing),
    document_rule("1119", totals_missing, are_taxes_told),
    _sum_rule("1076", "vBCIBSCBS", "gIBSCBS/vBC"),
    _sum_rule("1077", "gIBS/gIBSUF/vDif", "gIBSCBS/gIBSUF/gDif/vDif"),
    _sum_rule("1078", "gIBS/gIBSUF/vDevTrib", "gIBSCBS/gIBSUF/gDevTrib/vDevTrib"),
    _sum_rule("1080", "gIBS/gIBSUF/vIBSUF", "gIBSCBS/gIBSUF/vIBSUF"),
    _sum_rule("1081", "gIBS/gIBSMun/vDif", "gIBSCBS/gIBSMun/gDif/vDif"),
    _sum_rule("1082", "gIBS/gIBSMun/vDevTrib", "gIBSCBS/gIBSMun/gDevTrib/vDevTrib"),
    _sum_rule("1084", "gIBS/gIBSMun/vIBSMun", "gIBSCBS/gIBSMun/vIBSMun"),
    _sum_rule("1085", "gIBS/vIBS", "gIBSCBS/vIBS"),
    _sum_rule("1086", "gIBS/vCredPres", "gCredPresOper/gIBSCredPres/vCredPres"),
    _sum_rule("1088", "gCBS/vDif", "gIBSCBS/gCBS/gDif/vDif"),
    _sum_rule("1089", "gCBS/vDevTrib", "gIBSCBS/gCBS/gDevTrib/vDevTrib"),
    _sum_rule("1091", "gCBS/vCBS", "gIBSCBS/gCBS/vCBS"),
    _sum_rule("1087", "gCBS/vCredPres", "gCredPresOper/gCBSCredPres/vCredPres"),
    _sum_rule("1176", "gEstornoCred/vIBSEstCred", "gEstornoCred/vIBSEstCred"),
    _sum_rule("1177", "gEstornoCred/vCBSEstCred", "gEstornoCred/vCBSEstCred"),
)
