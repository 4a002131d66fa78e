"""IBS and CBS of an item: its situation (CST), its classification (cClassTrib), and the groups of both."""

from collections.abc import Callable, Hashable
from dataclasses import dataclass
from typing import Any

from carimbo.fiscal.calendar import DatedRule, rules_on
from carimbo.fiscal.environment import Environment
from carimbo.fiscal.goods.rules.case import Case
from carimbo.fiscal.goods.rules.rule import BOTH, NFE, GoodsRuleBook, ItemCheck
from carimbo.fiscal.goods.tax_day import day_of_key
from carimbo.fiscal.layouts.nfe_v4.ibs_cbs import IbsCbs
from carimbo.fiscal.layouts.nfe_v4.invoice import Item
from carimbo.fiscal.rules import At, Severity
from carimbo.fiscal.tables.ibs_cbs import IBS_CBS_CLASSES, IBS_CBS_SITUATIONS, IbsCbsGroup


def _looked_at(item: Item) -> Hashable:
    taxed: Any = item.taxes.ibs_cbs
    rated = taxed.by_rate
    return (
        taxed.cst,
        taxed.tax_class,
        rated is None,
        rated and rated.regular_taxation,
        rated is None or rated.government_purchase is None,
        taxed.single_phase is None,
        taxed.credit_transfer is None,
        taxed.period_adjustment is None,
        taxed.free_zone_credit is None,
    )


DUTY_RULES: GoodsRuleBook[ItemCheck] = GoodsRuleBook(when=lambda case: case.regime == _NORMAL_REGIME)
RULES: GoodsRuleBook[ItemCheck] = GoodsRuleBook(like=_looked_at)

_NORMAL_REGIME = "3"
_COMPLEMENT, _RETURN = "2", "4"
_LOSS_OF_STOCK = "07"
_IN_HOMOLOGATION = DatedRule.IBS_CBS_GROUP_REQUIRED_IN_HOMOLOGATION
_IN_PRODUCTION = DatedRule.IBS_CBS_GROUP_REQUIRED


def reform_rule(
    code: str,
    rule: str,
    message: str,
    *,
    book: GoodsRuleBook[ItemCheck] = RULES,
    models: tuple[str, ...] = BOTH,
    severity: Severity = Severity.REFUSES,
) -> Callable[[ItemCheck], ItemCheck]:
    """Write the decorated check, of items that tell IBS and CBS, into a book."""
    source = f"NT 2025.002, {rule}"
    return book.rule(code, source, message, models=models, severity=severity, on=(IbsCbs,))


_NOTHING_TOLD = "Falta o grupo de IBS e CBS, que o emitente do regime normal informa em cada item."


@DUTY_RULES.rule("1115", "NT 2025.002, UB12-10", _NOTHING_TOLD)
def told_where_it_is_refused(item: Item, case: Case) -> At | None:
    """Companies of the normal regime inform IBS and CBS; production has no date for this rule yet."""
    is_missing = item.taxes.ibs_cbs is None and not _is_spared(item, case)
    return At("ibsCbs") if is_missing and _is_refused(case) else None


@DUTY_RULES.rule("1115", "NT 2025.002, UB12-10", _NOTHING_TOLD, severity=Severity.WARNS)
def told_before_it_is_refused(item: Item, case: Case) -> At | None:
    """The law already asks for what the authorities do not refuse yet."""
    is_missing = item.taxes.ibs_cbs is None and not _is_spared(item, case)
    return At("ibsCbs") if is_missing and not _is_refused(case) else None


def _is_refused(case: Case) -> bool:
    in_homologation = case.environment is Environment.HOMOLOGATION
    return (_IN_HOMOLOGATION if in_homologation else _IN_PRODUCTION) in case.rules_in_force


def _is_spared(item: Item, case: Case) -> bool:
    """The rule spares the fuels of a table of the authorities, which any fuel may be among."""
    return item.product.fuel is not None or _corrects_a_document_without_duty(item, case)


def _corrects_a_document_without_duty(item: Item, case: Case) -> bool:
    if case.purpose not in (_COMPLEMENT, _RETURN):
        return False
    keys = [one.access_key for one in case.invoice.identification.references if one.access_key]
    if item.referenced_item:
        keys.append(item.referenced_item.access_key)
    return not keys or any(_is_without_duty(key, case) for key in keys)


def _is_without_duty(access_key: str, case: Case) -> bool:
    """Returns whether a document was issued before its price held IBS and CBS."""
    day = day_of_key(access_key)
    return day is not None and DatedRule.PRICE_HOLDS_IBS_CBS not in rules_on(day, case.document)


@reform_rule("1020", "UB13-10", "O CST do IBS e da CBS não existe.")
def known_situation(item: Item, case: Case) -> At | None:
    """The situation is one of the table."""
    taxed = item.taxes.ibs_cbs
    if taxed and taxed.cst not in IBS_CBS_SITUATIONS.rows:
        return At("ibsCbs.taxClassCode" if taxed.tax_class.startswith(taxed.cst) else "ibsCbs.cst")
    return None


# The authorities add classifications every few months, so ours may be the older table.
@reform_rule(
    "1023",
    "UB14-10",
    "A classificação tributária (cClassTrib) não está na tabela do IBS e da CBS.",
    severity=Severity.WARNS,
)
def known_class(item: Item, case: Case) -> At | None:
    """The classification is one of the table."""
    taxed = item.taxes.ibs_cbs
    if taxed and taxed.tax_class not in IBS_CBS_CLASSES.rows and taxed.cst in IBS_CBS_SITUATIONS.rows:
        return At("ibsCbs.taxClassCode")
    return None


@reform_rule("1024", "UB14-20", "A classificação tributária (cClassTrib) não pertence ao CST informado.")
def class_of_the_situation(item: Item, case: Case) -> At | None:
    """A classification begins with its situation."""
    taxed = item.taxes.ibs_cbs
    if taxed and not taxed.tax_class.startswith(taxed.cst) and taxed.cst in IBS_CBS_SITUATIONS.rows:
        return At("ibsCbs.taxClassCode", f"O CST informado é {taxed.cst}.")
    return None


@reform_rule(
    "1025", "UB14-25", "A classificação tributária (cClassTrib) não é admitida neste modelo de documento."
)
def class_of_the_model(item: Item, case: Case) -> At | None:
    """Some classifications are of services, others of wholesale alone."""
    taxed = item.taxes.ibs_cbs
    known = IBS_CBS_CLASSES.rows.get(taxed.tax_class) if taxed else None
    if known and case.model not in known.models:
        return At("ibsCbs.taxClassCode")
    return None


@dataclass(frozen=True, slots=True)
class _Group:
    """A group that some situations ask for and the others don't admit."""

    kind: IbsCbsGroup
    field: str
    path: str
    name: str

    def is_out_of_place(self, item: Item, case: Case) -> At | None:
        """The situation doesn't admit the group."""
        taxed = item.taxes.ibs_cbs
        if taxed is None or getattr(taxed, self.field) is None:
            return None
        situation = IBS_CBS_SITUATIONS.rows.get(taxed.cst)
        return At(self.path) if situation and situation.group is not self.kind else None

    def is_missing(self, item: Item, case: Case) -> At | None:
        """The situation asks for the group; a loss of stock tells none (UB13-30)."""
        taxed = item.taxes.ibs_cbs
        if taxed is None or getattr(taxed, self.field) is not None:
            return None
        situation = IBS_CBS_SITUATIONS.rows.get(taxed.cst)
        if situation is None or situation.group is not self.kind:
            return None
        return None if case.invoice.identification.debit_type == _LOSS_OF_STOCK else At(self.path)


_BY_RATE = _Group(IbsCbsGroup.RATE, "by_rate", "ibsCbs.base", "tributação por alíquotas (gIBSCBS)")
_SINGLE_PHASE = _Group(
    IbsCbsGroup.SINGLE_PHASE, "single_phase", "ibsCbs.singlePhase", "tributação monofásica (gIBSCBSMono)"
)
_TRANSFER = _Group(
    IbsCbsGroup.CREDIT_TRANSFER,
    "credit_transfer",
    "ibsCbs.creditTransfer",
    "transferência de crédito (gTransfCred)",
)
_ADJUSTMENT = _Group(
    IbsCbsGroup.PERIOD_ADJUSTMENT,
    "period_adjustment",
    "ibsCbs.periodAdjustment",
    "ajuste de competência (gAjusteCompet)",
)
_FREE_ZONE = _Group(
    IbsCbsGroup.FREE_ZONE_CREDIT,
    "free_zone_credit",
    "ibsCbs.freeZoneCredit",
    "crédito presumido da Zona Franca (gCredPresIBSZFM)",
)

for _code, _rule, _group, _models in (
    ("1021", "UB13-20", _BY_RATE, BOTH),
    ("1151", "UB13-39", _SINGLE_PHASE, BOTH),
    ("1131", "UB13-44", _TRANSFER, BOTH),
    ("1169", "UB112-10", _ADJUSTMENT, BOTH),
    ("1134", "UB131-20", _FREE_ZONE, (NFE,)),
):
    _message = f"O CST do IBS e da CBS não admite {_group.name}."
    reform_rule(_code, _rule, _message, models=_models)(_group.is_out_of_place)

# That of a single phase (1116) is not in force in either environment (NT 2025.002 v1.52, UB13-40).
for _code, _rule, _group, _models in (
    ("1022", "UB13-30", _BY_RATE, BOTH),
    ("1132", "UB13-45", _TRANSFER, BOTH),
    ("1170", "UB112-20", _ADJUSTMENT, (NFE,)),
    ("1135", "UB131-30", _FREE_ZONE, (NFE,)),
):
    _message = f"O CST do IBS e da CBS exige {_group.name}."
    reform_rule(_code, _rule, _message, models=_models)(_group.is_missing)


@reform_rule(
    "1141",
    "UB82a-10",
    "A compra governamental exige os tributos sem a redução (gTribCompraGov).",
)
def purchase_that_is_missing(item: Item, case: Case) -> At | None:
    """What a public buyer does not pay is told all the same."""
    rated = item.taxes.ibs_cbs.by_rate if item.taxes.ibs_cbs else None
    is_missing = rated is not None and rated.government_purchase is None
    is_purchase = case.invoice.identification.government_purchase is not None
    return At("ibsCbs.governmentPurchase") if is_missing and is_purchase else None


@reform_rule(
    "1144",
    "UB82a-30",
    "Só a compra governamental tem os tributos sem a redução (gTribCompraGov).",
)
def purchase_out_of_place(item: Item, case: Case) -> At | None:
    """Other buyers have no reduction of their own."""
    rated = item.taxes.ibs_cbs.by_rate if item.taxes.ibs_cbs else None
    is_told = rated is not None and rated.government_purchase is not None
    is_purchase = case.invoice.identification.government_purchase is not None
    return At("ibsCbs.governmentPurchase") if is_told and not is_purchase else None


@reform_rule(
    "1065", "UB68-10", "A classificação tributária (cClassTrib) exige a tributação regular (gTribRegular)."
)
def regular_taxation_that_is_missing(item: Item, case: Case) -> At | None:
    """What would be due without the suspension is told where the classification asks for it."""
    return _regular_taxation(item, is_asked_for=True)


@reform_rule(
    "1114",
    "UB68-11",
    "A classificação tributária (cClassTrib) não admite a tributação regular (gTribRegular).",
)
def regular_taxation_out_of_place(item: Item, case: Case) -> At | None:
    """What would be due otherwise is told nowhere else."""
    return _regular_taxation(item, is_asked_for=False)


def _regular_taxation(item: Item, *, is_asked_for: bool) -> At | None:
    taxed = item.taxes.ibs_cbs
    if taxed is None or taxed.by_rate is None:
        return None
    if (taxed.by_rate.regular_taxation is None) is not is_asked_for:
        return None
    known = IBS_CBS_CLASSES.rows.get(taxed.tax_class)
    wrong = known is not None and known.has_regular_taxation is is_asked_for
    return At("ibsCbs.regularTaxation") if wrong else None


@reform_rule("1066", "UB69-10", "O CST da tributação regular do IBS e da CBS não existe.")
def known_regular_situation(item: Item, case: Case) -> At | None:
    """What would be due otherwise has a situation of the same table."""
    regular = _regular(item)
    if regular and regular.cst not in IBS_CBS_SITUATIONS.rows:
        return At("ibsCbs.regularTaxation.cst")
    return None


@reform_rule(
    "1067",
    "UB70-10",
    "A classificação (cClassTrib) da tributação regular não está na tabela do IBS e da CBS.",
    severity=Severity.WARNS,
)
def known_regular_class(item: Item, case: Case) -> At | None:
    """And a classification, be it one that our table does not have yet."""
    regular = _regular(item)
    if regular and regular.tax_class not in IBS_CBS_CLASSES.rows:
        return At("ibsCbs.regularTaxation.taxClassCode")
    return None


def _regular(item: Item) -> Any:
    taxed = item.taxes.ibs_cbs
    return taxed.by_rate.regular_taxation if taxed and taxed.by_rate else None
