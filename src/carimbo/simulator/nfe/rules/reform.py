"""IBS and CBS of items: situation, classification, and the groups that both ask for."""

from decimal import Decimal

from carimbo.fiscal.tables.ibs_cbs import IBS_CBS_CLASSES, IBS_CBS_SITUATIONS, IbsCbsGroup
from carimbo.simulator.calendar import Milestone
from carimbo.simulator.nfe.case import Case
from carimbo.simulator.nfe.line import Line
from carimbo.simulator.nfe.rules.facts import (
    COMPLEMENT,
    NORMAL_REGIME,
    RETURN,
    purpose,
    referred_key,
    referred_keys,
    regime,
)
from carimbo.simulator.nfe.rules.reform_shares import SHARE_RULES, SHARES, class_of, situation_of
from carimbo.simulator.nfe.rules.scope import Where, are_taxes_told, in_nfce, in_nfe, item_rule
from carimbo.simulator.place import HOMOLOGATION
from carimbo.simulator.rule import Rule
from carimbo.simulator.sefaz.key_parts import MONTH, YEAR

_CORRECTIONS = frozenset({COMPLEMENT, RETURN})
_MONTH_IN_KEY = slice(YEAR.start, MONTH.stop)
_LOSS_OF_STOCK = "07"
_TOLERANCE_OF_PURCHASES = Decimal("0.04")


def told_in_nfe(case: Case) -> bool:
    """Model 55 with IBS and CBS."""
    return in_nfe(case) and are_taxes_told(case)


def told_in_nfce(case: Case) -> bool:
    """Model 65 with IBS and CBS."""
    return in_nfce(case) and are_taxes_told(case)


def taxes_untold(line: Line, case: Case) -> bool:
    """NT 2025.002, UB12-10; of fuels, some of which it spares, none are looked at."""
    if line.reform.tag or regime(case) != NORMAL_REGIME or "comb" in line.product.groups:
        return False
    required = Milestone.GROUP_REQUIRED_IN_PRODUCTION
    if case.text("ide/tpAmb") == HOMOLOGATION:
        required = Milestone.GROUP_REQUIRED_IN_HOMOLOGATION
    return case.follows(required) and not _corrects_a_note_without_taxes(line, case)


def _corrects_a_note_without_taxes(line: Line, case: Case) -> bool:
    """Returns whether a complement or return refers to a note of a month in which the group was optional."""
    if purpose(case) not in _CORRECTIONS:
        return False
    since = case.calendar.first_day(Milestone.CORRECTED_NOTES_HAVE_GROUP)
    own = referred_key(line)
    keys = [own] if own else referred_keys(case)
    return since is None or any(key[_MONTH_IN_KEY] < f"{since:%y%m}" for key in keys)


def situation_unknown(line: Line, case: Case) -> bool:
    """NT 2025.002, UB13-10."""
    return bool(line.reform.tag) and situation_of(line) is None


def class_unknown(line: Line, case: Case) -> bool:
    """NT 2025.002, UB14-10."""
    return situation_of(line) is not None and class_of(line) is None


def class_of_another_situation(line: Line, case: Case) -> bool:
    """NT 2025.002, UB14-20."""
    situation, known = situation_of(line), class_of(line)
    return situation is not None and known is not None and known.cst != situation.code


def class_of_another_model(line: Line, case: Case) -> bool:
    """NT 2025.002, UB14-25."""
    known = class_of(line)
    return known is not None and case.model not in known.models


def _out_of_place(code: str, tag: str, kind: IbsCbsGroup, where: Where) -> Rule[Case]:
    """A group that the situation has not."""

    def is_out_of_place(line: Line, case: Case) -> bool:
        situation = situation_of(line)
        return tag in line.reform.groups and situation is not None and situation.group is not kind

    return item_rule(code, is_out_of_place, where)


def _missing(code: str, tag: str, kind: IbsCbsGroup, where: Where) -> Rule[Case]:
    """A group that the situation has; a loss of stock tells none (UB13-30)."""

    def is_missing(line: Line, case: Case) -> bool:
        situation = situation_of(line)
        if situation is None or situation.group is not kind or tag in line.reform.groups:
            return False
        return case.text("ide/tpNFDebito") != _LOSS_OF_STOCK

    return item_rule(code, is_missing, where)


def refund_of_the_state(line: Line, case: Case) -> bool:
    """NT 2025.002, UB24-10: of the IBS nothing goes back by a document."""
    return line.rated.group("gIBSUF/gDevTrib") is not None


def refund_of_the_city(line: Line, case: Case) -> bool:
    """NT 2025.002, UB43-10."""
    return line.rated.group("gIBSMun/gDevTrib") is not None


def refund_by_receipt(line: Line, case: Case) -> bool:
    """NT 2025.002, UB62-10."""
    return line.rated.group("gCBS/gDevTrib") is not None


def wrong_ibs(line: Line, case: Case) -> bool:
    """NT 2025.002, UB54a-10: the sum of both shares, and some presumed credits are taken off it."""
    if not line.rated.tag:
        return False
    told, credit = line.rated.amount("vIBS"), line.reform.amount("gCredPresOper/gIBSCredPres/vCredPres")
    both = line.rated.amount("gIBSUF/vIBSUF") + line.rated.amount("gIBSMun/vIBSMun")
    return told not in (both, both - credit)


def regular_taxation_missing(line: Line, case: Case) -> bool:
    """NT 2025.002, UB68-10."""
    known = class_of(line)
    if not line.rated.tag or known is None:
        return False
    return known.has_regular_taxation and "gTribRegular" not in line.rated.groups


def regular_taxation_out_of_place(line: Line, case: Case) -> bool:
    """NT 2025.002, UB68-11."""
    known = class_of(line)
    return "gTribRegular" in line.rated.groups and known is not None and not known.has_regular_taxation


def regular_situation_unknown(line: Line, case: Case) -> bool:
    """NT 2025.002, UB69-10."""
    told = line.rated.text("gTribRegular/CSTReg")
    return bool(told) and told not in IBS_CBS_SITUATIONS.rows


def regular_class_unknown(line: Line, case: Case) -> bool:
    """NT 2025.002, UB70-10."""
    told = line.rated.text("gTribRegular/cClassTribReg")
    return bool(told) and told not in IBS_CBS_CLASSES.rows


def purchase_untold(line: Line, case: Case) -> bool:
    """NT 2025.002, UB82a-10."""
    is_purchase = case.content.group("ide/gCompraGov") is not None
    return is_purchase and bool(line.rated.tag) and "gTribCompraGov" not in line.rated.groups


def wrong_purchase(line: Line, case: Case) -> bool:
    """NT 2025.002, UB82a-20: who gets the taxes of a public buyer does not change their sum."""
    purchase = line.rated.group("gTribCompraGov")
    if purchase is None:
        return False
    beyond = Decimal(0)
    for share in SHARES:
        beyond += purchase.amount(f"vTrib{share.name}") - line.rated.amount(f"{share.group}/v{share.name}")
    return abs(beyond) > _TOLERANCE_OF_PURCHASES


def purchase_of_nobody(line: Line, case: Case) -> bool:
    """NT 2025.002, UB82a-30."""
    return "gTribCompraGov" in line.rated.groups and case.content.group("ide/gCompraGov") is None


REFORM_RULES: tuple[Rule[Case], ...] = (
    item_rule("1115", taxes_untold),
    item_rule("1020", situation_unknown, are_taxes_told),
    item_rule("1023", class_unknown, are_taxes_told),
    item_rule("1024", class_of_another_situation, are_taxes_told),
    item_rule("1025", class_of_another_model, are_taxes_told),
    _out_of_place("1021", "gIBSCBS", IbsCbsGroup.RATE, are_taxes_told),
    _missing("1022", "gIBSCBS", IbsCbsGroup.RATE, are_taxes_told),
    _out_of_place("1131", "gTransfCred", IbsCbsGroup.CREDIT_TRANSFER, are_taxes_told),
    _missing("1132", "gTransfCred", IbsCbsGroup.CREDIT_TRANSFER, are_taxes_told),
    _out_of_place("1169", "gAjusteCompet", IbsCbsGroup.PERIOD_ADJUSTMENT, are_taxes_told),
    _missing("1170", "gAjusteCompet", IbsCbsGroup.PERIOD_ADJUSTMENT, told_in_nfe),
    _out_of_place("1134", "gCredPresIBSZFM", IbsCbsGroup.FREE_ZONE_CREDIT, told_in_nfe),
    _missing("1135", "gCredPresIBSZFM", IbsCbsGroup.FREE_ZONE_CREDIT, told_in_nfe),
    *SHARE_RULES,
    item_rule("1111", refund_of_the_state, are_taxes_told),
    item_rule("1112", refund_of_the_city, are_taxes_told),
    item_rule("1187", refund_by_receipt, told_in_nfce),
    item_rule("1150", wrong_ibs, are_taxes_told),
    item_rule("1065", regular_taxation_missing, are_taxes_told),
    item_rule("1114", regular_taxation_out_of_place, are_taxes_told),
    item_rule("1066", regular_situation_unknown, are_taxes_told),
    item_rule("1067", regular_class_unknown, are_taxes_told),
    item_rule("1141", purchase_untold, told_in_nfe),
    item_rule("1142", wrong_purchase, told_in_nfe),
    item_rule("1144", purchase_of_nobody, told_in_nfe),
)
