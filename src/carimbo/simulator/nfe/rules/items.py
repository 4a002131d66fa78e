"""Rules about the products of items: position, bar codes, NCM, CFOP, prices and batches."""

from itertools import cycle
from operator import mul

from carimbo.fiscal.tables.goods_codes import CFOPS, NCMS
from carimbo.simulator.nfe.dialect import NFE
from carimbo.simulator.nfe.judged import JudgedInvoice, JudgedLine
from carimbo.simulator.nfe.rules.facts import (
    ABROAD,
    ADJUSTMENT,
    COMPLEMENT,
    CREDIT,
    DEBIT,
    EXTERIOR,
    MEI,
    NORMAL,
    RETURN,
    TO_ANOTHER_STATE,
    WITHIN_THE_STATE,
    destination,
    document_rule,
    in_nfe,
    is_outbound,
    item_rule,
    purpose,
    regime,
)
from carimbo.simulator.sefaz.rules.amounts import differs

_WITHOUT_CODE = frozenset({"", "SEM GTIN"})
_NO_GOODS, _UNCLASSIFIED = "00", "00000000"
_SPECIAL_FOR_EXPORTS = "99"
_NOTES_OF_THE_REFORM = frozenset({CREDIT, DEBIT})
_OTHER_ENTRIES = frozenset({"1949", "2949"})
_OTHER_EXITS, _NATURAL_GAS = frozenset({"5949", "6949"}), "27112100"
# Refused deliveries, and reductions of the amount, of documents with such a CFOP (NT 2025.002, I08-144).
_GIVEN_BACK_CREDITS = frozenset({"03", "06"})
_CREDITS_WITH_RETURN_CFOP = _GIVEN_BACK_CREDITS | {"04"}


def out_of_order(invoice: JudgedInvoice) -> bool:
    """MOC 7.0, H02-10: items are numbered from 1."""
    return any(line.number != str(position) for position, line in enumerate(invoice.lines, start=1))


def wrong_gtin(line: JudgedLine, invoice: JudgedInvoice) -> bool:
    """MOC 7.0, I03-10."""
    return _has_wrong_digit(line.product.text("cEAN"))


def wrong_taxable_gtin(line: JudgedLine, invoice: JudgedInvoice) -> bool:
    """MOC 7.0, I12-10."""
    return _has_wrong_digit(line.product.text("cEANTrib"))


def _has_wrong_digit(code: str) -> bool:
    """GS1: from the right, digits have the weights 1 and 3, and the sum is a multiple of ten."""
    if code in _WITHOUT_CODE:
        return False
    if not code.isdecimal():
        return True
    weighed: int = sum(map(mul, map(int, reversed(code)), cycle((1, 3))))
    return weighed % 10 != 0


def gtin_empty(line: JudgedLine, invoice: JudgedInvoice) -> bool:
    """MOC 7.0, I03-30; NT 2024.001 exempts the MEI."""
    return not line.product.text("cEAN") and regime(invoice) != MEI


def taxable_gtin_empty(line: JudgedLine, invoice: JudgedInvoice) -> bool:
    """MOC 7.0, I12-60; NT 2024.001 exempts the MEI."""
    return not line.product.text("cEANTrib") and regime(invoice) != MEI


def only_gtin(line: JudgedLine, invoice: JudgedInvoice) -> bool:
    """MOC 7.0, I12-30."""
    return line.product.text("cEAN") not in _WITHOUT_CODE and line.product.text("cEANTrib") in _WITHOUT_CODE


def only_taxable_gtin(line: JudgedLine, invoice: JudgedInvoice) -> bool:
    """MOC 7.0, I12-40."""
    return line.product.text("cEAN") in _WITHOUT_CODE and line.product.text("cEANTrib") not in _WITHOUT_CODE


def ncm_incomplete(line: JudgedLine, invoice: JudgedInvoice) -> bool:
    """MOC 7.0, I05-10; NT 2024.001 exempts the MEI within the state."""
    if len(line.ncm) == len(_UNCLASSIFIED) or line.ncm == _NO_GOODS:
        return False
    return regime(invoice) != MEI or destination(invoice) != WITHIN_THE_STATE


def ncm_unknown(line: JudgedLine, invoice: JudgedInvoice) -> bool:
    """MOC 7.0, I05-20; customs have special codes for exports."""
    if len(line.ncm) != len(_UNCLASSIFIED) or line.ncm == _UNCLASSIFIED or line.ncm in NCMS.rows:
        return False
    is_special = line.ncm.startswith(_SPECIAL_FOR_EXPORTS) and destination(invoice) == ABROAD
    return not (is_special and invoice.model == NFE)


def ncm_of_no_goods(line: JudgedLine, invoice: JudgedInvoice) -> bool:
    """MOC 7.0, I05-24; the later credit and debit notes are exempt."""
    if line.ncm != _NO_GOODS or line.is_service or regime(invoice) == MEI:
        return False
    return purpose(invoice) != ADJUSTMENT and purpose(invoice) not in _NOTES_OF_THE_REFORM


def cfop_unknown(line: JudgedLine, invoice: JudgedInvoice) -> bool:
    """MOC 7.0, I08-04."""
    cfop = CFOPS.rows.get(line.cfop)
    return cfop is None or not cfop.is_for_nfe


def cfop_comes_in(line: JudgedLine, invoice: JudgedInvoice) -> bool:
    """MOC 7.0, I08-10."""
    return line.cfop.startswith(("1", "2", "3")) and is_outbound(invoice)


def cfop_goes_out(line: JudgedLine, invoice: JudgedInvoice) -> bool:
    """MOC 7.0, I08-20."""
    return line.cfop.startswith(("5", "6", "7")) and not is_outbound(invoice)


def cfop_crosses_the_border(line: JudgedLine, invoice: JudgedInvoice) -> bool:
    """MOC 7.0, I08-30."""
    if not line.cfop.startswith(("3", "7")) or destination(invoice) == ABROAD:
        return False
    return line.cfop.startswith("3") or line.consumed_in != EXTERIOR


def cfop_changes_states(line: JudgedLine, invoice: JudgedInvoice) -> bool:
    """MOC 7.0, I08-40."""
    return line.cfop.startswith(("2", "6")) and destination(invoice) != TO_ANOTHER_STATE


def cfop_stays_in_the_state(line: JudgedLine, invoice: JudgedInvoice) -> bool:
    """MOC 7.0, I08-50."""
    return line.cfop.startswith(("1", "5")) and destination(invoice) != WITHIN_THE_STATE


def cfop_of_no_return(line: JudgedLine, invoice: JudgedInvoice) -> bool:
    """NT 2025.002, I08-140; NT 2026.009: returns have their own codes, or come in as other entries."""
    cfop = CFOPS.rows.get(line.cfop)
    if not _gives_back(invoice) or cfop is None or cfop.is_return or line.cfop in _OTHER_ENTRIES:
        return False
    return not (line.cfop in _OTHER_EXITS and line.ncm == _NATURAL_GAS)


def cfop_of_a_return(line: JudgedLine, invoice: JudgedInvoice) -> bool:
    """NT 2025.002, I08-144."""
    cfop = CFOPS.rows.get(line.cfop)
    if cfop is None or not cfop.is_return or purpose(invoice) in (COMPLEMENT, RETURN):
        return False
    return invoice.text("ide/tpNFCredito") not in _CREDITS_WITH_RETURN_CFOP


def _gives_back(invoice: JudgedInvoice) -> bool:
    if purpose(invoice) == RETURN:
        return True
    return purpose(invoice) == CREDIT and invoice.text("ide/tpNFCredito") in _GIVEN_BACK_CREDITS


def wrong_price(line: JudgedLine, invoice: JudgedInvoice) -> bool:
    """MOC 7.0, I11-10."""
    return _is_wrong_price(line, invoice, "vUnCom", "qCom")


def wrong_taxable_price(line: JudgedLine, invoice: JudgedInvoice) -> bool:
    """MOC 7.0, I11-20."""
    return _is_wrong_price(line, invoice, "vUnTrib", "qTrib")


def _is_wrong_price(line: JudgedLine, invoice: JudgedInvoice, unit: str, quantity: str) -> bool:
    if purpose(invoice) != NORMAL:
        return False
    product = line.product
    return differs(product.amount("vProd"), product.amount(unit) * product.amount(quantity))


def discount_above_price(line: JudgedLine, invoice: JudgedInvoice) -> bool:
    """MOC 7.0, I17-10."""
    return "vDesc" in line.product.texts and line.product.amount("vDesc") > line.product.amount("vProd")


def export_within_the_country(line: JudgedLine, invoice: JudgedInvoice) -> bool:
    """MOC 7.0, I50-10."""
    return "detExport" in line.product.groups and destination(invoice) != ABROAD


def made_in_the_future(line: JudgedLine, invoice: JudgedInvoice) -> bool:
    """MOC 7.0, I83-10."""
    if "rastro" not in line.product.groups:
        return False
    today = invoice.context.now.astimezone(invoice.issued_at.tzinfo).date().isoformat()
    return any(batch.text("dFab") > today for batch in line.product.all("rastro"))


def expired_before_made(line: JudgedLine, invoice: JudgedInvoice) -> bool:
    """MOC 7.0, I84-10."""
    return any(batch.text("dVal") < batch.text("dFab") for batch in line.product.all("rastro"))


ITEM_RULES = (
    document_rule("927", out_of_order),
    item_rule("611", wrong_gtin),
    item_rule("883", gtin_empty),
    item_rule("777", ncm_incomplete),
    item_rule("778", ncm_unknown),
    item_rule("471", ncm_of_no_goods),
    item_rule("770", cfop_unknown),
    item_rule("518", cfop_comes_in, in_nfe),
    item_rule("519", cfop_goes_out, in_nfe),
    item_rule("731", cfop_crosses_the_border, in_nfe),
    item_rule("732", cfop_changes_states, in_nfe),
    item_rule("733", cfop_stays_in_the_state, in_nfe),
    item_rule("327", cfop_of_no_return, in_nfe),
    item_rule("328", cfop_of_a_return, in_nfe),
    item_rule("629", wrong_price),
    item_rule("630", wrong_taxable_price),
    item_rule("612", wrong_taxable_gtin),
    item_rule("885", only_gtin),
    item_rule("886", only_taxable_gtin),
    item_rule("888", taxable_gtin_empty),
    item_rule("483", discount_above_price),
    item_rule("336", export_within_the_country),
    item_rule("877", made_in_the_future),
    item_rule("870", expired_before_made),
)
