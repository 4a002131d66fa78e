"""Rules about IBS and CBS of items (situation, classification, groups), and their totals (NT 2025.002)."""

from decimal import Decimal

from carimbo.fiscal.tables.ibs_cbs import IBS_CBS_CLASSES, IBS_CBS_SITUATIONS, IbsCbsGroup
from carimbo.simulator.calendar import Milestone
from carimbo.simulator.family import HOMOLOGATION
from carimbo.simulator.identifiers import KEY_MONTH, KEY_YEAR
from carimbo.simulator.nfe.judged import JudgedInvoice, JudgedLine
from carimbo.simulator.nfe.rules.facts import (
    COMPLEMENT,
    NORMAL_REGIME,
    RETURN,
    Where,
    document_rule,
    has_reform_taxes,
    in_nfce,
    in_nfe,
    item_rule,
    purpose,
    referred_key,
    referred_keys,
    regime,
)
from carimbo.simulator.nfe.rules.reform_shares import SHARE_RULES, SHARES, class_of, situation_of
from carimbo.simulator.rules import RejectionRule

_CORRECTIONS = frozenset({COMPLEMENT, RETURN})
_MONTH_IN_KEY = slice(KEY_YEAR.start, KEY_MONTH.stop)
_LOSS_OF_STOCK = "07"
_TOLERANCE_OF_PURCHASES = Decimal("0.04")
_TOTALS = "total/IBSCBSTot"


def has_reform_taxes_in_nfe(invoice: JudgedInvoice) -> bool:
    """Returns whether it is model 55 with IBS and CBS."""
    return in_nfe(invoice) and has_reform_taxes(invoice)


def has_reform_taxes_in_nfce(invoice: JudgedInvoice) -> bool:
    """Returns whether it is model 65 with IBS and CBS."""
    return in_nfce(invoice) and has_reform_taxes(invoice)


def reform_taxes_missing(line: JudgedLine, invoice: JudgedInvoice) -> bool:
    """NT 2025.002, UB12-10; fuels, some of which are exempt, are not checked."""
    if line.reform.tag or regime(invoice) != NORMAL_REGIME or "comb" in line.product.groups:
        return False
    required = Milestone.GROUP_REQUIRED_IN_PRODUCTION
    if invoice.text("ide/tpAmb") == HOMOLOGATION:
        required = Milestone.GROUP_REQUIRED_IN_HOMOLOGATION
    return invoice.follows(required) and not _corrects_a_note_without_taxes(line, invoice)


def _corrects_a_note_without_taxes(line: JudgedLine, invoice: JudgedInvoice) -> bool:
    """Whether a complement or return refers to a note of a month in which the group was optional."""
    if purpose(invoice) not in _CORRECTIONS:
        return False
    since = invoice.calendar.first_day(Milestone.CORRECTED_NOTES_HAVE_GROUP)
    own = referred_key(line)
    keys = [own] if own else referred_keys(invoice)
    return since is None or any(key[_MONTH_IN_KEY] < f"{since:%y%m}" for key in keys)


def situation_unknown(line: JudgedLine, invoice: JudgedInvoice) -> bool:
    """NT 2025.002, UB13-10."""
    return bool(line.reform.tag) and situation_of(line) is None


def class_unknown(line: JudgedLine, invoice: JudgedInvoice) -> bool:
    """NT 2025.002, UB14-10."""
    return situation_of(line) is not None and class_of(line) is None


def class_of_another_situation(line: JudgedLine, invoice: JudgedInvoice) -> bool:
    """NT 2025.002, UB14-20."""
    situation, tax_class = situation_of(line), class_of(line)
    return situation is not None and tax_class is not None and tax_class.cst != situation.code


def class_of_another_model(line: JudgedLine, invoice: JudgedInvoice) -> bool:
    """NT 2025.002, UB14-25."""
    tax_class = class_of(line)
    return tax_class is not None and invoice.model not in tax_class.models


def _out_of_place(code: str, tag: str, group: IbsCbsGroup, where: Where) -> RejectionRule[JudgedInvoice]:
    """Returns a rule: a group that the situation does not have."""

    def is_out_of_place(line: JudgedLine, invoice: JudgedInvoice) -> bool:
        situation = situation_of(line)
        return tag in line.reform.groups and situation is not None and situation.group is not group

    return item_rule(code, is_out_of_place, where)


def _missing(code: str, tag: str, group: IbsCbsGroup, where: Where) -> RejectionRule[JudgedInvoice]:
    """Returns a rule: a group that the situation requires; losses of stock have none (UB13-30)."""

    def is_missing(line: JudgedLine, invoice: JudgedInvoice) -> bool:
        situation = situation_of(line)
        if situation is None or situation.group is not group or tag in line.reform.groups:
            return False
        return invoice.text("ide/tpNFDebito") != _LOSS_OF_STOCK

    return item_rule(code, is_missing, where)


def refund_of_the_state(line: JudgedLine, invoice: JudgedInvoice) -> bool:
    """NT 2025.002, UB24-10: documents have no refund of the IBS."""
    return line.rated.group("gIBSUF/gDevTrib") is not None


def refund_of_the_city(line: JudgedLine, invoice: JudgedInvoice) -> bool:
    """NT 2025.002, UB43-10."""
    return line.rated.group("gIBSMun/gDevTrib") is not None


def refund_by_receipt(line: JudgedLine, invoice: JudgedInvoice) -> bool:
    """NT 2025.002, UB62-10."""
    return line.rated.group("gCBS/gDevTrib") is not None


def wrong_ibs(line: JudgedLine, invoice: JudgedInvoice) -> bool:
    """NT 2025.002, UB54a-10: the sum of both shares, less some presumed credits."""
    if not line.rated.tag:
        return False
    amount, credit = line.rated.amount("vIBS"), line.reform.amount("gCredPresOper/gIBSCredPres/vCredPres")
    both = line.rated.amount("gIBSUF/vIBSUF") + line.rated.amount("gIBSMun/vIBSMun")
    return amount not in (both, both - credit)


def regular_taxation_missing(line: JudgedLine, invoice: JudgedInvoice) -> bool:
    """NT 2025.002, UB68-10."""
    tax_class = class_of(line)
    if not line.rated.tag or tax_class is None:
        return False
    return tax_class.has_regular_taxation and "gTribRegular" not in line.rated.groups


def regular_taxation_out_of_place(line: JudgedLine, invoice: JudgedInvoice) -> bool:
    """NT 2025.002, UB68-11."""
    tax_class = class_of(line)
    return (
        "gTribRegular" in line.rated.groups and tax_class is not None and not tax_class.has_regular_taxation
    )


def regular_situation_unknown(line: JudgedLine, invoice: JudgedInvoice) -> bool:
    """NT 2025.002, UB69-10."""
    situation = line.rated.text("gTribRegular/CSTReg")
    return bool(situation) and situation not in IBS_CBS_SITUATIONS.rows


def regular_class_unknown(line: JudgedLine, invoice: JudgedInvoice) -> bool:
    """NT 2025.002, UB70-10."""
    tax_class = line.rated.text("gTribRegular/cClassTribReg")
    return bool(tax_class) and tax_class not in IBS_CBS_CLASSES.rows


def public_purchase_missing(line: JudgedLine, invoice: JudgedInvoice) -> bool:
    """NT 2025.002, UB82a-10."""
    is_purchase = invoice.content.group("ide/gCompraGov") is not None
    return is_purchase and bool(line.rated.tag) and "gTribCompraGov" not in line.rated.groups


def wrong_public_purchase(line: JudgedLine, invoice: JudgedInvoice) -> bool:
    """NT 2025.002, UB82a-20: a public buyer changes who gets the taxes, not their sum."""
    purchase = line.rated.group("gTribCompraGov")
    if purchase is None:
        return False
    beyond = Decimal(0)
    for share in SHARES:
        beyond += purchase.amount(f"vTrib{share.name}") - line.rated.amount(f"{share.group}/v{share.name}")
    return abs(beyond) > _TOLERANCE_OF_PURCHASES


def public_purchase_out_of_place(line: JudgedLine, invoice: JudgedInvoice) -> bool:
    """NT 2025.002, UB82a-30."""
    return "gTribCompraGov" in line.rated.groups and invoice.content.group("ide/gCompraGov") is None


REFORM_RULES: tuple[RejectionRule[JudgedInvoice], ...] = (
    item_rule("1115", reform_taxes_missing),
    item_rule("1020", situation_unknown, has_reform_taxes),
    item_rule("1023", class_unknown, has_reform_taxes),
    item_rule("1024", class_of_another_situation, has_reform_taxes),
    item_rule("1025", class_of_another_model, has_reform_taxes),
    _out_of_place("1021", "gIBSCBS", IbsCbsGroup.RATE, has_reform_taxes),
    _missing("1022", "gIBSCBS", IbsCbsGroup.RATE, has_reform_taxes),
    _out_of_place("1131", "gTransfCred", IbsCbsGroup.CREDIT_TRANSFER, has_reform_taxes),
    _missing("1132", "gTransfCred", IbsCbsGroup.CREDIT_TRANSFER, has_reform_taxes),
    _out_of_place("1169", "gAjusteCompet", IbsCbsGroup.PERIOD_ADJUSTMENT, has_reform_taxes),
    _missing("1170", "gAjusteCompet", IbsCbsGroup.PERIOD_ADJUSTMENT, has_reform_taxes_in_nfe),
    _out_of_place("1134", "gCredPresIBSZFM", IbsCbsGroup.FREE_ZONE_CREDIT, has_reform_taxes_in_nfe),
    _missing("1135", "gCredPresIBSZFM", IbsCbsGroup.FREE_ZONE_CREDIT, has_reform_taxes_in_nfe),
    *SHARE_RULES,
    item_rule("1111", refund_of_the_state, has_reform_taxes),
    item_rule("1112", refund_of_the_city, has_reform_taxes),
    item_rule("1187", refund_by_receipt, has_reform_taxes_in_nfce),
    item_rule("1150", wrong_ibs, has_reform_taxes),
    item_rule("1065", regular_taxation_missing, has_reform_taxes),
    item_rule("1114", regular_taxation_out_of_place, has_reform_taxes),
    item_rule("1066", regular_situation_unknown, has_reform_taxes),
    item_rule("1067", regular_class_unknown, has_reform_taxes),
    item_rule("1141", public_purchase_missing, has_reform_taxes_in_nfe),
    item_rule("1142", wrong_public_purchase, has_reform_taxes_in_nfe),
    item_rule("1144", public_purchase_out_of_place, has_reform_taxes_in_nfe),
)


def totals_without_taxes(invoice: JudgedInvoice) -> bool:
    """NT 2025.002, W34-10."""
    return _has_totals(invoice) and not has_reform_taxes(invoice)


def totals_missing(invoice: JudgedInvoice) -> bool:
    """NT 2025.002, W34-20."""
    return not _has_totals(invoice)


def _has_totals(invoice: JudgedInvoice) -> bool:
    return invoice.content.group(_TOTALS) is not None


def _sum_rule(code: str, total: str, of_item: str) -> RejectionRule[JudgedInvoice]:
    """Returns the rule of a total, by its path and that of the item's part; a missing total is valid."""

    def is_wrong(invoice: JudgedInvoice) -> bool:
        total_text = invoice.text(f"{_TOTALS}/{total}")
        if not total_text:
            return False
        return Decimal(total_text) != sum((line.reform.amount(of_item) for line in invoice.lines), Decimal(0))

    return document_rule(code, is_wrong, has_reform_taxes)


REFORM_TOTAL_RULES: tuple[RejectionRule[JudgedInvoice], ...] = (
    document_rule("1118", totals_without_taxes),
    document_rule("1119", totals_missing, has_reform_taxes),
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
