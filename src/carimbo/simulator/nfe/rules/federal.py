"""IPI, PIS, COFINS and taxes that are given back."""

from carimbo.simulator.nfe.case import Case
from carimbo.simulator.nfe.line import Line
from carimbo.simulator.nfe.rules.facts import CREDIT, DEBIT, RETURN, pays_for_the_government, purpose
from carimbo.simulator.nfe.rules.scope import in_nfe, item_rule

_NOTES_OF_THE_REFORM = frozenset({CREDIT, DEBIT})
_MAY_GIVE_BACK = frozenset({RETURN, CREDIT})
_EXEMPT, _IMMUNE, _SUSPENDED = range(301, 400), range(1, 100), range(101, 200)
_FRAMES = {
    **dict.fromkeys(("02", "52"), _EXEMPT),
    **dict.fromkeys(("04", "54"), _IMMUNE),
    **dict.fromkeys(("05", "55"), _SUSPENDED),
}
"""Which legal frames (`cEnq`) go with a situation of the IPI."""


def ipi_of_another_frame(line: Line, case: Case) -> bool:
    """MOC 7.0, O09-10."""
    ipi = line.taxes.group("IPI")
    frames = _FRAMES.get(ipi.text("IPINT/CST")) if ipi else None
    if ipi is None or frames is None:
        return False
    told = ipi.text("cEnq")
    return not told.isdecimal() or int(told) not in frames


def pis_untold(line: Line, case: Case) -> bool:
    """NT 2025.002, Q01-20."""
    return "PIS" not in line.taxes.groups and _tells_contributions(case)


def cofins_untold(line: Line, case: Case) -> bool:
    """NT 2025.002, S01-20."""
    return "COFINS" not in line.taxes.groups and _tells_contributions(case)


def _tells_contributions(case: Case) -> bool:
    return purpose(case) not in _NOTES_OF_THE_REFORM and not pays_for_the_government(case)


def given_back_without_return(line: Line, case: Case) -> bool:
    """MOC 7.0, UA01-10; credit notes of goods that come back were invented later."""
    return "impostoDevol" in line.item.groups and purpose(case) not in _MAY_GIVE_BACK


FEDERAL_RULES = (
    item_rule("388", ipi_of_another_frame, in_nfe),
    item_rule("745", pis_untold, in_nfe),
    item_rule("748", cofins_untold, in_nfe),
    item_rule("354", given_back_without_return, in_nfe),
)
