"""Rules about the ICMS of items: tax situations, interstate rates and amounts."""

from collections.abc import Callable

from carimbo.fiscal.tables.geography import STATES, Region
from carimbo.fiscal.tables.goods_codes import CFOPS
from carimbo.simulator.nfe.judged import JudgedInvoice, JudgedLine
from carimbo.simulator.nfe.rules.facts import (
    ABROAD,
    MEI,
    NO_CONTRIBUTOR,
    NORMAL,
    RETURN,
    SIMPLES,
    TO_ANOTHER_STATE,
    WITHIN_THE_STATE,
    buyer_state,
    contribution,
    destination,
    in_nfe,
    in_receipts,
    is_coming_back,
    is_for_consumption,
    is_outbound,
    is_petroleum,
    item_rule,
    purpose,
    regime,
    seller_state,
)
from carimbo.simulator.sefaz.rules.amounts import differs, differs_from_percent

_BY_CSOSN = frozenset({SIMPLES, MEI})
# Single-phase fuels and shares between states have a CST in every regime (NT 2023.001).
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
FOREIGN_ORIGINS = frozenset("1238")
_FOREIGN_RATE, _NORTHERN_RATE, _USUAL_RATE = 4, 7, 12
_BY_ORDER = frozenset({"6118", "6119", "6122", "6123"})
_SOLD_DIRECTLY = frozenset("23")
_TAXED = frozenset({"ICMS00", "ICMS10", "ICMS20", "ICMS70"})
_OTHER = "ICMS90"
_DEFERRED = "ICMS51"
_ONE_BASE = "ICMS00"
_WITH_FUND = _TAXED | {_DEFERRED, _OTHER}


def cst_of_the_simples(line: JudgedLine, invoice: JudgedInvoice) -> bool:
    """NT 2024.001, N12-20."""
    return "CST" in line.icms.texts and line.icms.tag not in _CST_OF_ALL and regime(invoice) in _BY_CSOSN


def csosn_of_others(line: JudgedLine, invoice: JudgedInvoice) -> bool:
    """NT 2024.001, N12a-10."""
    return "CSOSN" in line.icms.texts and regime(invoice) not in _BY_CSOSN


def taxed_export(line: JudgedLine, invoice: JudgedInvoice) -> bool:
    """MOC 7.0, N12-10; NT 2022.002."""
    if not line.cfop.startswith("7") or purpose(invoice) == RETURN or line.cfop in _EXPORTS_WITHIN_BRAZIL:
        return False
    return bool(line.situation) and line.situation not in _NOT_TAXED_EXPORTS


def cst_of_contributors(line: JudgedLine, invoice: JudgedInvoice) -> bool:
    """NT 2023.003, N12-70; exceptions that are left to the states are accepted."""
    if contribution(invoice) != NO_CONTRIBUTOR or not is_outbound(invoice) or "CST" not in line.icms.texts:
        return False
    if line.icms.tag in _CST_OF_ALL or line.situation in _CST_OF_CONSUMERS or _has_vehicles(invoice):
        return False
    is_excepted = _EXCEPTIONS.get(line.situation)
    return is_excepted is None or not is_excepted(line, invoice)


def _stays_within(line: JudgedLine, invoice: JudgedInvoice) -> bool:
    return destination(invoice) == WITHIN_THE_STATE


def _energy_for_another_state(line: JudgedLine, invoice: JudgedInvoice) -> bool:
    is_energy = is_petroleum(line) or line.ncm == _ELECTRICITY
    return destination(invoice) == TO_ANOTHER_STATE and is_energy


def _sent_or_returned(line: JudgedLine, invoice: JudgedInvoice) -> bool:
    cfop = CFOPS.rows.get(line.cfop)
    is_moved = cfop is None or cfop.is_coming_back or cfop.is_shipment
    return is_moved or purpose(invoice) == RETURN or line.cfop in _OTHER_EXITS


def _deferred(line: JudgedLine, invoice: JudgedInvoice) -> bool:
    return _stays_within(line, invoice) or purpose(invoice) == RETURN or line.cfop in _DELIVERED_LATER


def _substituted_in_ceara(line: JudgedLine, invoice: JudgedInvoice) -> bool:
    return seller_state(invoice) == "CE" and line.cfop in _SUBSTITUTED_SALES_OF_CEARA


_EXCEPTIONS: dict[str, Callable[[JudgedLine, JudgedInvoice], bool]] = {
    "10": _stays_within,
    "30": _energy_for_another_state,
    "50": _sent_or_returned,
    "51": _deferred,
    "90": _substituted_in_ceara,
}


def csosn_of_contributors(line: JudgedLine, invoice: JudgedInvoice) -> bool:
    """NT 2024.003, N12a-70."""
    if contribution(invoice) != NO_CONTRIBUTOR or not is_outbound(invoice) or "CSOSN" not in line.icms.texts:
        return False
    if line.situation in _CSOSN_OF_CONSUMERS or line.cfop in _REPAIRS_AND_DEMONSTRATIONS:
        return False
    is_of_a_mei = regime(invoice) == MEI and line.situation == "900" and line.cfop in _SOLD_BY_A_MEI_BESIDES
    return not is_of_a_mei and not _has_vehicles(invoice)


def _has_vehicles(invoice: JudgedInvoice) -> bool:
    return any("veicProd" in line.product.groups for line in invoice.lines)


def cest_missing(line: JudgedLine, invoice: JudgedInvoice) -> bool:
    """MOC 7.0, N23-10."""
    if "CEST" in line.product.texts or line.icms.tag == "ICMSPart":
        return False
    is_other = line.situation in _OTHERS and bool(line.icms.amount("vICMSST"))
    return line.situation in _SUBSTITUTED or is_other


def return_of_a_mei(line: JudgedLine, invoice: JudgedInvoice) -> bool:
    """NT 2025.002, I08-141."""
    return _is_mei_within_brazil(invoice) and purpose(invoice) == RETURN and line.cfop not in _MEI_RETURNS


def cfop_not_for_mei(line: JudgedLine, invoice: JudgedInvoice) -> bool:
    """NT 2024.001, N12a-90; NT 2026.002, N12a-91."""
    if not _is_mei_within_brazil(invoice):
        return False
    if in_receipts(invoice):
        return line.cfop != _MEI_RECEIPT
    allowed = _MEI_CFOPS.get(line.situation)
    return allowed is not None and line.cfop not in allowed


def csosn_not_for_mei(line: JudgedLine, invoice: JudgedInvoice) -> bool:
    """NT 2024.001, N12a-80; NT 2026.002, N12a-81."""
    if not _is_mei_within_brazil(invoice) or "CSOSN" not in line.icms.texts:
        return False
    return line.situation not in (_MEI_RECEIPT_CSOSN if in_receipts(invoice) else _MEI_CSOSN)


def _is_mei_within_brazil(invoice: JudgedInvoice) -> bool:
    return regime(invoice) == MEI and destination(invoice) != ABROAD


ICMS_RULES = (
    item_rule("1179", return_of_a_mei, in_nfe),
    item_rule("527", taxed_export, in_nfe),
    item_rule("590", cst_of_the_simples),
    item_rule("508", cst_of_contributors, in_nfe),
    item_rule("591", csosn_of_others),
    item_rule("600", csosn_of_contributors, in_nfe),
    item_rule("782", csosn_not_for_mei),
    item_rule("337", cfop_not_for_mei),
    item_rule("806", cest_missing, in_nfe),
)


def foreign_goods_above_4_percent(line: JudgedLine, invoice: JudgedInvoice) -> bool:
    """MOC 7.0, N16-04."""
    if line.icms.text("orig") not in FOREIGN_ORIGINS or line.icms.tag not in _TAXED | {_OTHER}:
        return False
    return line.icms.amount("pICMS") > _FOREIGN_RATE and not _is_sold_otherwise(line)


def rate_above_interstate(line: JudgedLine, invoice: JudgedInvoice) -> bool:
    """MOC 7.0, N16-20."""
    if line.icms.text("orig") in FOREIGN_ORIGINS or line.icms.amount("pICMS") <= interstate_rate(invoice):
        return False
    cfop = CFOPS.rows.get(line.cfop)
    is_annulment = cfop is not None and cfop.is_annulment
    return not is_annulment and not _is_sold_otherwise(line) and not moves_elsewhere(invoice)


def _sold_between_states(invoice: JudgedInvoice) -> bool:
    """Scope of both rules: not vehicles that are sold directly."""
    if not in_nfe(invoice) or destination(invoice) != TO_ANOTHER_STATE or not is_outbound(invoice):
        return False
    if purpose(invoice) != NORMAL or buyer_state(invoice) not in STATES.rows:
        return False
    return not any(line.product.text("veicProd/tpOp") in _SOLD_DIRECTLY for line in invoice.lines)


def _is_sold_otherwise(line: JudgedLine) -> bool:
    return is_coming_back(line) or line.cfop in _BY_ORDER


def interstate_rate(invoice: JudgedInvoice) -> int:
    """Returns the rate of national goods between the states of the parties (Resolução do Senado 22/1989)."""
    is_southern = _is_southern(seller_state(invoice))
    return _NORTHERN_RATE if is_southern and not _is_southern(buyer_state(invoice)) else _USUAL_RATE


def _is_southern(state: str) -> bool:
    """South and southeast, except Espírito Santo."""
    row = STATES.rows.get(state)
    return row is not None and row.region in (Region.SOUTH, Region.SOUTHEAST) and state != "ES"


def moves_elsewhere(invoice: JudgedInvoice) -> bool:
    """Returns whether goods are delivered outside the seller's state, or picked up outside the buyer's."""
    delivery, pickup = invoice.text("entrega/UF"), invoice.text("retirada/UF")
    return delivery not in ("", seller_state(invoice)) or pickup not in ("", buyer_state(invoice))


def wrong_amount(line: JudgedLine, invoice: JudgedInvoice) -> bool:
    """MOC 7.0, N17-20."""
    if line.icms.tag not in _TAXED or purpose(invoice) != NORMAL:
        return False
    icms = line.icms
    return differs_from_percent(icms.amount("vICMS"), icms.amount("vBC"), icms.amount("pICMS"))


def wrong_amount_before_deferral(line: JudgedLine, invoice: JudgedInvoice) -> bool:
    """MOC 7.0, N16a-10."""
    icms = line.icms
    if icms.tag != _DEFERRED or "vICMSOp" not in icms.texts:
        return False
    return differs_from_percent(icms.amount("vICMSOp"), icms.amount("vBC"), icms.amount("pICMS"))


def wrong_deferral(line: JudgedLine, invoice: JudgedInvoice) -> bool:
    """MOC 7.0, N16c-10."""
    icms = line.icms
    if icms.tag != _DEFERRED or "vICMSDif" not in icms.texts:
        return False
    return differs_from_percent(icms.amount("vICMSDif"), icms.amount("vICMSOp"), icms.amount("pDif"))


def wrong_rest_of_deferral(line: JudgedLine, invoice: JudgedInvoice) -> bool:
    """MOC 7.0, N17-10."""
    icms = line.icms
    if icms.tag != _DEFERRED or "vICMSOp" not in icms.texts or "vICMS" not in icms.texts:
        return False
    return differs(icms.amount("vICMS"), icms.amount("vICMSOp") - icms.amount("vICMSDif"))


def no_fund(line: JudgedLine, invoice: JudgedInvoice) -> bool:
    """MOC 7.0, N17b-10: states without a poverty fund have no rate of it."""
    return "pFCP" in line.icms.texts and not line.icms.amount("pFCP")


def no_fund_of_substitution(line: JudgedLine, invoice: JudgedInvoice) -> bool:
    """MOC 7.0, N23b-10 and N27b-10."""
    rates = ("pFCPST", "pFCPSTRet")
    return any(rate in line.icms.texts and not line.icms.amount(rate) for rate in rates)


def wrong_fund(line: JudgedLine, invoice: JudgedInvoice) -> bool:
    """MOC 7.0, N17c-10: CST 00 has the same base for both."""
    icms = line.icms
    if "vFCP" not in icms.texts or icms.tag not in _WITH_FUND or purpose(invoice) != NORMAL:
        return False
    base = icms.amount("vBC" if icms.tag == _ONE_BASE else "vBCFCP")
    return differs_from_percent(icms.amount("vFCP"), base, icms.amount("pFCP"))


def fund_of_the_sellers_state(line: JudgedLine, invoice: JudgedInvoice) -> bool:
    """MOC 7.0, N17c-20: for consumers of another state, the fund is that state's."""
    if destination(invoice) != TO_ANOTHER_STATE or contribution(invoice) != NO_CONTRIBUTOR:
        return False
    return is_for_consumption(invoice) and "vFCP" in line.icms.texts


def nothing_exempted(line: JudgedLine, invoice: JudgedInvoice) -> bool:
    """MOC 7.0, N28-30."""
    return "motDesICMS" in line.icms.texts and not line.icms.amount("vICMSDeson")


ICMS_AMOUNT_RULES = (
    item_rule("663", foreign_goods_above_4_percent, _sold_between_states),
    item_rule("693", rate_above_interstate, _sold_between_states),
    item_rule("351", wrong_amount_before_deferral, in_nfe),
    item_rule("352", wrong_deferral, in_nfe),
    item_rule("353", wrong_rest_of_deferral, in_nfe),
    item_rule("528", wrong_amount),
    item_rule("880", no_fund),
    item_rule("860", wrong_fund),
    item_rule("876", fund_of_the_sellers_state, in_nfe),
    item_rule("881", no_fund_of_substitution),
    item_rule("627", nothing_exempted),
)
