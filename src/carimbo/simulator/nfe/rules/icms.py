"""The ICMS of items: which situation goes with which regime, recipient and CFOP."""

from collections.abc import Callable

from carimbo.fiscal.tables.cfop import CFOPS
from carimbo.simulator.nfe.case import Case
from carimbo.simulator.nfe.line import Line
from carimbo.simulator.nfe.rules.facts import (
    ABROAD,
    MEI,
    NO_CONTRIBUTOR,
    RETURN,
    SIMPLES,
    TO_ANOTHER_STATE,
    WITHIN_THE_STATE,
    contribution,
    destination,
    is_outbound,
    is_petroleum,
    purpose,
    regime,
    seller_state,
)
from carimbo.simulator.nfe.rules.scope import in_nfe, in_receipts, item_rule

_BY_CSOSN = frozenset({SIMPLES, MEI})
# Of single-phase fuels and of shares between states everybody tells a CST (NT 2023.001).
_CST_OF_ALL = frozenset({"ICMS02", "ICMS15", "ICMS53", "ICMS61", "ICMSPart", "ICMSST"})
_NOT_TAXED_EXPORTS = frozenset({"41", "300", "02", "15", "53", "61"})
_EXPORTS_WITHIN_BRAZIL = frozenset({"7501", "7552", "7667"})
_CST_OF_CONSUMERS = frozenset({"00", "20", "40", "41", "60", "61"})
_CSOSN_OF_CONSUMERS = frozenset({"102", "103", "300", "400", "500"})
_REPAIRS_AND_DEMONSTRATIONS = frozenset({"5915", "5916", "6915", "6916", "5912", "5913"})
_OTHER_EXITS = frozenset({"5949", "6949"})
_DELIVERED_LATER = frozenset({"5123", "6123", "5922", "6922"})
_ELECTRICITY = "27160000"
_SUBSTITUTED_SALES_OF_CEARA = frozenset({"5403", "5405"})
_SUBSTITUTED = frozenset({"10", "30", "60", "70", "201", "202", "203", "500"})
_OTHERS = frozenset({"90", "900"})
_SOLD_BY_A_MEI_BESIDES = frozenset({"5904", "6904", "5551", "6551"})
_MEI_RECEIPT = "5102"
_MEI_RETURNS = frozenset({"1202", "1553", "2202", "2553", "5202", "6202"})
_MEI_ENTRIES = ("202", "501", "503", "504", "505", "506", "553", "904")
_MEI_EXITS = ("202", "501", "502", "504", "505", "551", "904", "933")
_MEI_CFOPS = {
    "102": frozenset({"5102", "6102"}),
    "900": frozenset(
        [first + rest for first in "12" for rest in _MEI_ENTRIES]
        + [first + rest for first in "56" for rest in _MEI_EXITS]
    ),
}
_MEI_RECEIPT_CSOSN, _MEI_CSOSN = frozenset({"102", "300"}), frozenset({"102", "300", "400", "900"})


def cst_of_the_simples(line: Line, case: Case) -> bool:
    """NT 2024.001, N12-20."""
    return "CST" in line.icms.texts and line.icms.tag not in _CST_OF_ALL and regime(case) in _BY_CSOSN


def csosn_of_others(line: Line, case: Case) -> bool:
    """NT 2024.001, N12a-10."""
    return "CSOSN" in line.icms.texts and regime(case) not in _BY_CSOSN


def taxed_export(line: Line, case: Case) -> bool:
    """MOC 7.0, N12-10; NT 2022.002."""
    if not line.cfop.startswith("7") or purpose(case) == RETURN or line.cfop in _EXPORTS_WITHIN_BRAZIL:
        return False
    return bool(line.situation) and line.situation not in _NOT_TAXED_EXPORTS


def cst_of_contributors(line: Line, case: Case) -> bool:
    """NT 2023.003, N12-70; what its exceptions leave to the states is let through."""
    if contribution(case) != NO_CONTRIBUTOR or not is_outbound(case) or "CST" not in line.icms.texts:
        return False
    if line.icms.tag in _CST_OF_ALL or line.situation in _CST_OF_CONSUMERS or _has_vehicles(case):
        return False
    is_excepted = _EXCEPTIONS.get(line.situation)
    return is_excepted is None or not is_excepted(line, case)


def _stays_within(line: Line, case: Case) -> bool:
    return destination(case) == WITHIN_THE_STATE


def _energy_for_another_state(line: Line, case: Case) -> bool:
    is_energy = is_petroleum(line) or line.ncm == _ELECTRICITY
    return destination(case) == TO_ANOTHER_STATE and is_energy


def _sent_or_returned(line: Line, case: Case) -> bool:
    known = CFOPS.rows.get(line.cfop)
    is_moved = known is None or known.is_coming_back or known.is_shipment
    return is_moved or purpose(case) == RETURN or line.cfop in _OTHER_EXITS


def _deferred(line: Line, case: Case) -> bool:
    return _stays_within(line, case) or purpose(case) == RETURN or line.cfop in _DELIVERED_LATER


def _substituted_in_ceara(line: Line, case: Case) -> bool:
    return seller_state(case) == "CE" and line.cfop in _SUBSTITUTED_SALES_OF_CEARA


_EXCEPTIONS: dict[str, Callable[[Line, Case], bool]] = {
    "10": _stays_within,
    "30": _energy_for_another_state,
    "50": _sent_or_returned,
    "51": _deferred,
    "90": _substituted_in_ceara,
}


def csosn_of_contributors(line: Line, case: Case) -> bool:
    """NT 2024.003, N12a-70."""
    if contribution(case) != NO_CONTRIBUTOR or not is_outbound(case) or "CSOSN" not in line.icms.texts:
        return False
    if line.situation in _CSOSN_OF_CONSUMERS or line.cfop in _REPAIRS_AND_DEMONSTRATIONS:
        return False
    is_of_a_mei = regime(case) == MEI and line.situation == "900" and line.cfop in _SOLD_BY_A_MEI_BESIDES
    return not is_of_a_mei and not _has_vehicles(case)


def _has_vehicles(case: Case) -> bool:
    return any("veicProd" in line.product.groups for line in case.lines)


def cest_untold(line: Line, case: Case) -> bool:
    """MOC 7.0, N23-10."""
    if "CEST" in line.product.texts or line.icms.tag == "ICMSPart":
        return False
    is_other = line.situation in _OTHERS and bool(line.icms.amount("vICMSST"))
    return line.situation in _SUBSTITUTED or is_other


def return_of_a_mei(line: Line, case: Case) -> bool:
    """NT 2025.002, I08-141."""
    return _is_mei_within_brazil(case) and purpose(case) == RETURN and line.cfop not in _MEI_RETURNS


def cfop_no_mei_has(line: Line, case: Case) -> bool:
    """NT 2024.001, N12a-90; NT 2026.002, N12a-91."""
    if not _is_mei_within_brazil(case):
        return False
    if in_receipts(case):
        return line.cfop != _MEI_RECEIPT
    allowed = _MEI_CFOPS.get(line.situation)
    return allowed is not None and line.cfop not in allowed


def csosn_no_mei_has(line: Line, case: Case) -> bool:
    """NT 2024.001, N12a-80; NT 2026.002, N12a-81."""
    if not _is_mei_within_brazil(case) or "CSOSN" not in line.icms.texts:
        return False
    return line.situation not in (_MEI_RECEIPT_CSOSN if in_receipts(case) else _MEI_CSOSN)


def _is_mei_within_brazil(case: Case) -> bool:
    return regime(case) == MEI and destination(case) != ABROAD


ICMS_RULES = (
    item_rule("1179", return_of_a_mei, in_nfe),
    item_rule("527", taxed_export, in_nfe),
    item_rule("590", cst_of_the_simples),
    item_rule("508", cst_of_contributors, in_nfe),
    item_rule("591", csosn_of_others),
    item_rule("600", csosn_of_contributors, in_nfe),
    item_rule("782", csosn_no_mei_has),
    item_rule("337", cfop_no_mei_has),
    item_rule("806", cest_untold, in_nfe),
)
