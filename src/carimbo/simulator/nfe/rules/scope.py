"""Which documents a rule is about, and rules that look at each item."""

from collections.abc import Callable

from carimbo.simulator.nfe.case import Case
from carimbo.simulator.nfe.line import Line
from carimbo.simulator.nfe.models import NFCE, NFE
from carimbo.simulator.rule import Finding, Rule

Where = Callable[[Case], bool]

PRINTED_AS_A_RECEIPT = "6"
"""`tpImp` of an NF-e that stands for an NFC-e (NT 2026.002)."""


def in_nfe(case: Case) -> bool:
    """Model 55."""
    return case.model == NFE


def in_nfce(case: Case) -> bool:
    """Model 65."""
    return case.model == NFCE


def in_receipts(case: Case) -> bool:
    """Model 65, and model 55 with the DANFE Simplificado Tipo 2 (NT 2026.002)."""
    return case.model == NFCE or case.text("ide/tpImp") == PRINTED_AS_A_RECEIPT


def are_taxes_told(case: Case) -> bool:
    """Documents that tell IBS and CBS of at least one item (NT 2025.002)."""
    return any(line.reform.tag for line in case.lines)


def document_rule(code: str, broken: Callable[[Case], Finding], where: Where | None = None) -> Rule[Case]:
    """A rule about some documents."""
    return Rule(code, broken, where)


def item_rule(code: str, broken: Callable[[Line, Case], bool], where: Where | None = None) -> Rule[Case]:
    """A rule about every item of some documents; the answer names the first item that breaks it."""

    def first_wrong_item(case: Case) -> Finding:
        for line in case.lines:
            if broken(line, case):
                return f"[nItem:{line.number}]"
        return None

    return Rule(code, first_wrong_item, where)
