"""What items say of their products: position, bar codes, NCM, CFOP, prices and batches."""

from itertools import cycle
from operator import mul

from carimbo.fiscal.tables.cfop import CFOPS
from carimbo.fiscal.tables.ncm import NCMS
from carimbo.simulator.nfe.case import Case
from carimbo.simulator.nfe.line import Line
from carimbo.simulator.nfe.models import NFE
from carimbo.simulator.nfe.rules.amounts import differs
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
    is_outbound,
    purpose,
    regime,
)
from carimbo.simulator.nfe.rules.scope import document_rule, in_nfe, item_rule

_WITHOUT_CODE = frozenset({"", "SEM GTIN"})
_NO_GOODS, _UNCLASSIFIED = "00", "00000000"
_SPECIAL_FOR_EXPORTS = "99"
_NOTES_OF_THE_REFORM = frozenset({CREDIT, DEBIT})
_OTHER_ENTRIES = frozenset({"1949", "2949"})
_OTHER_EXITS, _NATURAL_GAS = frozenset({"5949", "6949"}), "27112100"
# Refused deliveries, and reductions of the amount, of documents with such a CFOP (NT 2025.002, I08-144).
_GIVEN_BACK_CREDITS = frozenset({"03", "06"})
_CREDITS_WITH_RETURN_CFOP = _GIVEN_BACK_CREDITS | {"04"}


def out_of_order(case: Case) -> bool:
    """MOC 7.0, H02-10: items are numbered from 1 on."""
    return any(line.number != str(position) for position, line in enumerate(case.lines, start=1))


def wrong_gtin(line: Line, case: Case) -> bool:
    """MOC 7.0, I03-10."""
    return _has_wrong_digit(line.product.text("cEAN"))


def wrong_taxable_gtin(line: Line, case: Case) -> bool:
    """MOC 7.0, I12-10."""
    return _has_wrong_digit(line.product.text("cEANTrib"))


def _has_wrong_digit(code: str) -> bool:
    """GS1: from the right, digits weigh 3 and 1 in turn, and the last makes the sum a multiple of ten."""
    if code in _WITHOUT_CODE:
        return False
    if not code.isdecimal():
        return True
    weighed: int = sum(map(mul, map(int, reversed(code)), cycle((1, 3))))
    return weighed % 10 != 0


def gtin_empty(line: Line, case: Case) -> bool:
    """MOC 7.0, I03-30; NT 2024.001 spares the MEI."""
    return not line.product.text("cEAN") and regime(case) != MEI


def taxable_gtin_empty(line: Line, case: Case) -> bool:
    """MOC 7.0, I12-60; NT 2024.001 spares the MEI."""
    return not line.product.text("cEANTrib") and regime(case) != MEI


def only_gtin(line: Line, case: Case) -> bool:
    """MOC 7.0, I12-30."""
    return line.product.text("cEAN") not in _WITHOUT_CODE and line.product.text("cEANTrib") in _WITHOUT_CODE


def only_taxable_gtin(line: Line, case: Case) -> bool:
    """MOC 7.0, I12-40."""
    return line.product.text("cEAN") in _WITHOUT_CODE and line.product.text("cEANTrib") not in _WITHOUT_CODE


def ncm_incomplete(line: Line, case: Case) -> bool:
    """MOC 7.0, I05-10; NT 2024.001 spares the MEI within the state."""
    if len(line.ncm) == len(_UNCLASSIFIED) or line.ncm == _NO_GOODS:
        return False
    return regime(case) != MEI or destination(case) != WITHIN_THE_STATE


def ncm_unknown(line: Line, case: Case) -> bool:
    """MOC 7.0, I05-20; customs have codes of their own for exports."""
    if len(line.ncm) != len(_UNCLASSIFIED) or line.ncm == _UNCLASSIFIED or line.ncm in NCMS.rows:
        return False
    is_special = line.ncm.startswith(_SPECIAL_FOR_EXPORTS) and destination(case) == ABROAD
    return not (is_special and case.model == NFE)


def ncm_of_no_goods(line: Line, case: Case) -> bool:
    """MOC 7.0, I05-24; notes of credit and debit came after it."""
    if line.ncm != _NO_GOODS or line.is_service or regime(case) == MEI:
        return False
    return purpose(case) != ADJUSTMENT and purpose(case) not in _NOTES_OF_THE_REFORM


def cfop_unknown(line: Line, case: Case) -> bool:
    """MOC 7.0, I08-04."""
    known = CFOPS.rows.get(line.cfop)
    return known is None or not known.is_for_nfe


def cfop_comes_in(line: Line, case: Case) -> bool:
    """MOC 7.0, I08-10."""
    return line.cfop.startswith(("1", "2", "3")) and is_outbound(case)


def cfop_goes_out(line: Line, case: Case) -> bool:
    """MOC 7.0, I08-20."""
    return line.cfop.startswith(("5", "6", "7")) and not is_outbound(case)


def cfop_crosses_the_border(line: Line, case: Case) -> bool:
    """MOC 7.0, I08-30."""
    if not line.cfop.startswith(("3", "7")) or destination(case) == ABROAD:
        return False
    return line.cfop.startswith("3") or line.consumed_in != EXTERIOR


def cfop_changes_states(line: Line, case: Case) -> bool:
    """MOC 7.0, I08-40."""
    return line.cfop.startswith(("2", "6")) and destination(case) != TO_ANOTHER_STATE


def cfop_stays_in_the_state(line: Line, case: Case) -> bool:
    """MOC 7.0, I08-50."""
    return line.cfop.startswith(("1", "5")) and destination(case) != WITHIN_THE_STATE


def cfop_of_no_return(line: Line, case: Case) -> bool:
    """NT 2025.002, I08-140; NT 2026.009: what is given back has codes of its own, or comes in by another."""
    known = CFOPS.rows.get(line.cfop)
    if not _gives_back(case) or known is None or known.is_return or line.cfop in _OTHER_ENTRIES:
        return False
    return not (line.cfop in _OTHER_EXITS and line.ncm == _NATURAL_GAS)


def cfop_of_a_return(line: Line, case: Case) -> bool:
    """NT 2025.002, I08-144."""
    known = CFOPS.rows.get(line.cfop)
    if known is None or not known.is_return or purpose(case) in (COMPLEMENT, RETURN):
        return False
    return case.text("ide/tpNFCredito") not in _CREDITS_WITH_RETURN_CFOP


def _gives_back(case: Case) -> bool:
    if purpose(case) == RETURN:
        return True
    return purpose(case) == CREDIT and case.text("ide/tpNFCredito") in _GIVEN_BACK_CREDITS


def wrong_price(line: Line, case: Case) -> bool:
    """MOC 7.0, I11-10."""
    return _is_wrong_price(line, case, "vUnCom", "qCom")


def wrong_taxable_price(line: Line, case: Case) -> bool:
    """MOC 7.0, I11-20."""
    return _is_wrong_price(line, case, "vUnTrib", "qTrib")


def _is_wrong_price(line: Line, case: Case, unit: str, quantity: str) -> bool:
    if purpose(case) != NORMAL:
        return False
    product = line.product
    return differs(product.amount("vProd"), product.amount(unit) * product.amount(quantity))


def discount_above_price(line: Line, case: Case) -> bool:
    """MOC 7.0, I17-10."""
    return "vDesc" in line.product.texts and line.product.amount("vDesc") > line.product.amount("vProd")


def export_within_the_country(line: Line, case: Case) -> bool:
    """MOC 7.0, I50-10."""
    return "detExport" in line.product.groups and destination(case) != ABROAD


def made_in_the_future(line: Line, case: Case) -> bool:
    """MOC 7.0, I83-10."""
    if "rastro" not in line.product.groups:
        return False
    today = case.world.now.astimezone(case.issued_at.tzinfo).date().isoformat()
    return any(one.text("dFab") > today for one in line.product.all("rastro"))


def expired_before_made(line: Line, case: Case) -> bool:
    """MOC 7.0, I84-10."""
    return any(one.text("dVal") < one.text("dFab") for one in line.product.all("rastro"))


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
