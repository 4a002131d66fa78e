"""Rules about the buyer's share of the ICMS (`ICMSUFDest`), IPI, PIS, COFINS and returned taxes."""

from carimbo.fiscal.tables.geography import STATES
from carimbo.fiscal.tables.goods_codes import CFOPS
from carimbo.simulator.nfe.judged import JudgedInvoice, JudgedLine
from carimbo.simulator.nfe.rules.facts import (
    CREDIT,
    DEBIT,
    MEI,
    NO_CONTRIBUTOR,
    NORMAL,
    RETURN,
    SIMPLES,
    TO_ANOTHER_STATE,
    buyer_state,
    contribution,
    destination,
    in_nfe,
    is_coming_back,
    is_for_consumption,
    is_outbound,
    is_petroleum,
    item_rule,
    pays_for_the_government,
    purpose,
    references,
    regime,
    seller_state,
)
from carimbo.simulator.nfe.rules.icms import FOREIGN_ORIGINS, interstate_rate, moves_elsewhere
from carimbo.simulator.sefaz.rules.amounts import HUNDRED, differs_from_percent

_SHARE = "ICMSUFDest"
_WITHOUT_SHARE = frozenset({SIMPLES, MEI})
_SHARED_PURPOSES = frozenset({NORMAL, RETURN})
# Transfers of assets, sales invoiced before delivery, and sales recorded by a receipt.
_NO_SALES = frozenset({"6552", "6922", "6929"})
_NOT_TAXED = frozenset({"40", "41", "103", "300", "400"})
_FIRST_YEAR, _YEAR_IN_KEY = "16", slice(2, 4)
_FOREIGN_RATE = 4
_NATIONAL_RATES = (7, 12)
_NOTES_OF_THE_REFORM = frozenset({CREDIT, DEBIT})
_MAY_GIVE_BACK = frozenset({RETURN, CREDIT})
_EXEMPT, _IMMUNE, _SUSPENDED = range(301, 400), range(1, 100), range(101, 200)
_FRAMES = {
    **dict.fromkeys(("02", "52"), _EXEMPT),
    **dict.fromkeys(("04", "54"), _IMMUNE),
    **dict.fromkeys(("05", "55"), _SUSPENDED),
}
"""Legal frames (`cEnq`) that match a situation of the IPI."""


def state_share_missing(line: JudgedLine, invoice: JudgedInvoice) -> bool:
    """NT 2025.002, NA01-20."""
    return not _has_share(line) and not line.is_service and not _is_free(line)


def _owes_a_share(invoice: JudgedInvoice) -> bool:
    """Scope of rule 694."""
    if not in_nfe(invoice) or not is_outbound(invoice) or purpose(invoice) not in _SHARED_PURPOSES:
        return False
    return _is_sold_to_a_consumer_elsewhere(invoice) and not _owes_none(invoice)


def _is_sold_to_a_consumer_elsewhere(invoice: JudgedInvoice) -> bool:
    is_consumer = is_for_consumption(invoice) and contribution(invoice) == NO_CONTRIBUTOR
    return is_consumer and destination(invoice) == TO_ANOTHER_STATE


def _owes_none(invoice: JudgedInvoice) -> bool:
    """Issuers of the Simples or without a registration, goods that stay in the state, and old returns."""
    if regime(invoice) in _WITHOUT_SHARE or not invoice.text("emit/IE") or pays_for_the_government(invoice):
        return True
    if invoice.text("entrega/UF") == seller_state(invoice):
        return True
    keys = (reference.texts.get("refNFe", "") for reference in references(invoice))
    return purpose(invoice) == RETURN and any(key and key[_YEAR_IN_KEY] < _FIRST_YEAR for key in keys)


def _is_free(line: JudgedLine) -> bool:
    if line.icms.tag == "ICMSPart" or line.situation in _NOT_TAXED or line.cfop in _NO_SALES:
        return True
    cfop = CFOPS.rows.get(line.cfop)
    return is_petroleum(line) or (cfop is not None and (cfop.is_coming_back or cfop.is_shipment))


def state_share_out_of_place(line: JudgedLine, invoice: JudgedInvoice) -> bool:
    """MOC 7.0, NA01-30."""
    if not _has_share(line) or invoice.text("entrega/UF") not in ("", seller_state(invoice)):
        return False
    return not _is_sold_to_a_consumer_elsewhere(invoice) or line.is_service or is_petroleum(line)


def rate_of_another_origin(line: JudgedLine, invoice: JudgedInvoice) -> bool:
    """MOC 7.0, NA09-10 and NA09-20."""
    if not _has_share(line):
        return False
    rate, is_foreign = line.taxes.amount(f"{_SHARE}/pICMSInter"), line.icms.text("orig") in FOREIGN_ORIGINS
    return rate in _NATIONAL_RATES if is_foreign else rate == _FOREIGN_RATE


def rate_of_other_states(line: JudgedLine, invoice: JudgedInvoice) -> bool:
    """MOC 7.0, NA09-30."""
    if not _has_share(line) or not is_outbound(invoice) or purpose(invoice) != NORMAL:
        return False
    rate = line.taxes.amount(f"{_SHARE}/pICMSInter")
    if (
        rate not in _NATIONAL_RATES
        or rate == interstate_rate(invoice)
        or buyer_state(invoice) not in STATES.rows
    ):
        return False
    return not is_coming_back(line) and not moves_elsewhere(invoice)


def state_share_divided(line: JudgedLine, invoice: JudgedInvoice) -> bool:
    """MOC 7.0, NA11-10: since 2019 the buyer's state gets all of it."""
    if not _has_share(line) or purpose(invoice) != NORMAL or is_coming_back(line):
        return False
    return line.taxes.amount(f"{_SHARE}/pICMSInterPart") != HUNDRED


def wrong_fund_of_the_buyer(line: JudgedLine, invoice: JudgedInvoice) -> bool:
    """MOC 7.0, NA13-10."""
    share = line.taxes.group(_SHARE)
    if share is None or not {"vFCPUFDest", "vBCFCPUFDest", "pFCPUFDest"} <= share.texts.keys():
        return False
    base, rate = share.amount("vBCFCPUFDest"), share.amount("pFCPUFDest")
    return differs_from_percent(share.amount("vFCPUFDest"), base, rate)


def _has_share(line: JudgedLine) -> bool:
    return _SHARE in line.taxes.groups


STATE_SHARE_RULES = (
    item_rule("694", state_share_missing, _owes_a_share),
    item_rule("695", state_share_out_of_place, in_nfe),
    item_rule("697", rate_of_another_origin, in_nfe),
    item_rule("698", rate_of_other_states, in_nfe),
    item_rule("699", state_share_divided, in_nfe),
    item_rule("793", wrong_fund_of_the_buyer, in_nfe),
)


def ipi_of_another_frame(line: JudgedLine, invoice: JudgedInvoice) -> bool:
    """MOC 7.0, O09-10."""
    ipi = line.taxes.group("IPI")
    frames = _FRAMES.get(ipi.text("IPINT/CST")) if ipi else None
    if ipi is None or frames is None:
        return False
    frame = ipi.text("cEnq")
    return not frame.isdecimal() or int(frame) not in frames


def pis_missing(line: JudgedLine, invoice: JudgedInvoice) -> bool:
    """NT 2025.002, Q01-20."""
    return "PIS" not in line.taxes.groups and _must_have_contributions(invoice)


def cofins_missing(line: JudgedLine, invoice: JudgedInvoice) -> bool:
    """NT 2025.002, S01-20."""
    return "COFINS" not in line.taxes.groups and _must_have_contributions(invoice)


def _must_have_contributions(invoice: JudgedInvoice) -> bool:
    return purpose(invoice) not in _NOTES_OF_THE_REFORM and not pays_for_the_government(invoice)


def returned_tax_without_return(line: JudgedLine, invoice: JudgedInvoice) -> bool:
    """MOC 7.0, UA01-10; credit notes for returned goods were added later."""
    return "impostoDevol" in line.item.groups and purpose(invoice) not in _MAY_GIVE_BACK


FEDERAL_RULES = (
    item_rule("388", ipi_of_another_frame, in_nfe),
    item_rule("745", pis_missing, in_nfe),
    item_rule("748", cofins_missing, in_nfe),
    item_rule("354", returned_tax_without_return, in_nfe),
)
