"""Rules of the CST and classification (cClassTrib) of IBS and CBS of an item, and of their groups."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from carimbo.fiscal.calendar import DatedRule, rules_on
from carimbo.fiscal.environment import Environment
from carimbo.fiscal.goods.rules.rule import (
    BOTH,
    COMPLEMENT,
    NFE,
    NORMAL_REGIME,
    RETURN,
    GoodsRuleBook,
    ItemCheck,
    RuleInput,
)
from carimbo.fiscal.layouts.dfe_v1.ibs_cbs import GovernmentPurchaseTaxes, RegularTaxation
from carimbo.fiscal.layouts.nfe_v4.ibs_cbs import (
    CreditTransfer,
    FreeZoneCredit,
    IbsCbs,
    PeriodAdjustment,
    SinglePhase,
    TaxedByRate,
)
from carimbo.fiscal.layouts.nfe_v4.invoice import Item
from carimbo.fiscal.rules import At, Severity
from carimbo.fiscal.tables.ibs_cbs import IBS_CBS_CLASSES, IBS_CBS_SITUATIONS, IbsCbsGroup
from carimbo.fiscal.taxes.trade import day_of_key

DUTY_RULES: GoodsRuleBook[ItemCheck] = GoodsRuleBook(when=lambda document: document.regime == NORMAL_REGIME)
RULES: GoodsRuleBook[ItemCheck] = GoodsRuleBook()

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
    on: type = IbsCbs,
) -> Callable[[ItemCheck], ItemCheck]:
    """Adds the decorated check to a book, for items with a group of IBS and CBS."""
    source = f"NT 2025.002, {rule}"
    return book.rule(code, source, message, models=models, severity=severity, on=(on,))


_MISSING_GROUP = "Falta o grupo de IBS e CBS, que o emitente do regime normal informa em cada item."


@DUTY_RULES.rule("1115", "NT 2025.002, UB12-10", _MISSING_GROUP)
def group_is_required(item: Item, document: RuleInput) -> At | None:
    """Refuses items of the normal regime without IBS and CBS; production has no date for this rule yet."""
    is_missing = item.taxes.ibs_cbs is None and not _is_exempt_item(item, document)
    return At("ibsCbs") if is_missing and _is_refused(document) else None


@DUTY_RULES.rule("1115", "NT 2025.002, UB12-10", _MISSING_GROUP, severity=Severity.WARNS)
def group_will_be_required(item: Item, document: RuleInput) -> At | None:
    """Warns of missing IBS and CBS while the law demands them but the authorities do not refuse yet."""
    is_missing = item.taxes.ibs_cbs is None and not _is_exempt_item(item, document)
    return At("ibsCbs") if is_missing and not _is_refused(document) else None


def _is_refused(document: RuleInput) -> bool:
    in_homologation = document.environment is Environment.HOMOLOGATION
    return (_IN_HOMOLOGATION if in_homologation else _IN_PRODUCTION) in document.rules_in_force


def _is_exempt_item(item: Item, document: RuleInput) -> bool:
    """Returns whether the rule may exempt an item.

    It exempts fuels of a table that we do not have, so any fuel may be exempt, and corrections of documents
    that were issued before prices included IBS and CBS.
    """
    if item.product.fuel is not None:
        return True
    if document.purpose not in (COMPLEMENT, RETURN):
        return False
    references = document.invoice.identification.references
    keys = [reference.access_key for reference in references if reference.access_key]
    if item.referenced_item:
        keys.append(item.referenced_item.access_key)
    days = [day for day in map(day_of_key, keys) if day is not None]
    return not keys or any(
        DatedRule.PRICE_HOLDS_IBS_CBS not in rules_on(day, document.document_type) for day in days
    )


@reform_rule("1020", "UB13-10", "O CST do IBS e da CBS não existe.")
def known_situation(item: Item, document: RuleInput) -> At | None:
    """Refuses a CST that is not in the table."""
    taxed: Any = item.taxes.ibs_cbs
    if taxed.cst not in IBS_CBS_SITUATIONS.rows:
        return At("ibsCbs.taxClassCode" if taxed.tax_class.startswith(taxed.cst) else "ibsCbs.cst")
    return None


# The authorities add classifications every few months, so our table may be older.
@reform_rule(
    "1023",
    "UB14-10",
    "A classificação tributária (cClassTrib) não está na tabela do IBS e da CBS.",
    severity=Severity.WARNS,
)
def known_class(item: Item, document: RuleInput) -> At | None:
    """Warns of a classification that is not in our table."""
    taxed: Any = item.taxes.ibs_cbs
    if taxed.tax_class not in IBS_CBS_CLASSES.rows and taxed.cst in IBS_CBS_SITUATIONS.rows:
        return At("ibsCbs.taxClassCode")
    return None


@reform_rule("1024", "UB14-20", "A classificação tributária (cClassTrib) não pertence ao CST informado.")
def class_of_the_situation(item: Item, document: RuleInput) -> At | None:
    """Refuses a classification that does not begin with the CST."""
    taxed: Any = item.taxes.ibs_cbs
    if not taxed.tax_class.startswith(taxed.cst) and taxed.cst in IBS_CBS_SITUATIONS.rows:
        return At("ibsCbs.taxClassCode", f"O CST informado é {taxed.cst}.")
    return None


@reform_rule(
    "1025", "UB14-25", "A classificação tributária (cClassTrib) não é admitida neste modelo de documento."
)
def class_of_the_model(item: Item, document: RuleInput) -> At | None:
    """Refuses a classification that is not allowed in the model, such as one for services."""
    taxed: Any = item.taxes.ibs_cbs
    tax_class = IBS_CBS_CLASSES.rows.get(taxed.tax_class)
    if tax_class and document.model not in tax_class.models:
        return At("ibsCbs.taxClassCode")
    return None


@dataclass(frozen=True, slots=True)
class _Group:
    """A group that some CST demand and all others forbid."""

    group: IbsCbsGroup
    layout: type
    field: str
    path: str
    name: str

    def is_out_of_place(self, item: Item, document: RuleInput) -> At | None:
        """Refuses the group if the CST does not allow it."""
        taxed: Any = item.taxes.ibs_cbs
        situation = IBS_CBS_SITUATIONS.rows.get(taxed.cst)
        return At(self.path) if situation and situation.group is not self.group else None

    def is_missing(self, item: Item, document: RuleInput) -> At | None:
        """Refuses a missing group that the CST demands, except in losses of stock (UB13-30)."""
        taxed: Any = item.taxes.ibs_cbs
        if getattr(taxed, self.field) is not None:
            return None
        situation = IBS_CBS_SITUATIONS.rows.get(taxed.cst)
        if situation is None or situation.group is not self.group:
            return None
        return None if document.invoice.identification.debit_type == _LOSS_OF_STOCK else At(self.path)


_BY_RATE = _Group(
    IbsCbsGroup.RATE, TaxedByRate, "by_rate", "ibsCbs.base", "tributação por alíquotas (gIBSCBS)"
)
_SINGLE_PHASE = _Group(
    IbsCbsGroup.SINGLE_PHASE,
    SinglePhase,
    "single_phase",
    "ibsCbs.singlePhase",
    "tributação monofásica (gIBSCBSMono)",
)
_TRANSFER = _Group(
    IbsCbsGroup.CREDIT_TRANSFER,
    CreditTransfer,
    "credit_transfer",
    "ibsCbs.creditTransfer",
    "transferência de crédito (gTransfCred)",
)
_ADJUSTMENT = _Group(
    IbsCbsGroup.PERIOD_ADJUSTMENT,
    PeriodAdjustment,
    "period_adjustment",
    "ibsCbs.periodAdjustment",
    "ajuste de competência (gAjusteCompet)",
)
_FREE_ZONE = _Group(
    IbsCbsGroup.FREE_ZONE_CREDIT,
    FreeZoneCredit,
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
    reform_rule(_code, _rule, _message, models=_models, on=_group.layout)(_group.is_out_of_place)

# The rule for the single phase (1116) is not in force in any environment (NT 2025.002 v1.52, UB13-40).
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
    on=TaxedByRate,
)
def purchase_that_is_missing(item: Item, document: RuleInput) -> At | None:
    """Refuses public purchases without the taxes before their reduction."""
    taxed: Any = item.taxes.ibs_cbs
    is_purchase = document.invoice.identification.government_purchase is not None
    is_missing = taxed.by_rate.government_purchase is None
    return At("ibsCbs.governmentPurchase") if is_purchase and is_missing else None


@reform_rule(
    "1144",
    "UB82a-30",
    "Só a compra governamental tem os tributos sem a redução (gTribCompraGov).",
    on=GovernmentPurchaseTaxes,
)
def purchase_out_of_place(item: Item, document: RuleInput) -> At | None:
    """Refuses taxes before the reduction in documents that are not public purchases."""
    is_purchase = document.invoice.identification.government_purchase is not None
    return None if is_purchase else At("ibsCbs.governmentPurchase")


@reform_rule(
    "1065",
    "UB68-10",
    "A classificação tributária (cClassTrib) exige a tributação regular (gTribRegular).",
    on=TaxedByRate,
)
def regular_taxation_that_is_missing(item: Item, document: RuleInput) -> At | None:
    """Refuses a missing regular taxation (the tax without the suspension) that the class demands."""
    taxed: Any = item.taxes.ibs_cbs
    tax_class = IBS_CBS_CLASSES.rows.get(taxed.tax_class)
    is_demanded = tax_class is not None and tax_class.has_regular_taxation
    is_missing = taxed.by_rate.regular_taxation is None
    return At("ibsCbs.regularTaxation") if is_demanded and is_missing else None


@reform_rule(
    "1114",
    "UB68-11",
    "A classificação tributária (cClassTrib) não admite a tributação regular (gTribRegular).",
    on=RegularTaxation,
)
def regular_taxation_out_of_place(item: Item, document: RuleInput) -> At | None:
    """Refuses a regular taxation that the class does not allow."""
    taxed: Any = item.taxes.ibs_cbs
    tax_class = IBS_CBS_CLASSES.rows.get(taxed.tax_class)
    is_allowed = tax_class is None or tax_class.has_regular_taxation
    return None if is_allowed else At("ibsCbs.regularTaxation")


@reform_rule("1066", "UB69-10", "O CST da tributação regular do IBS e da CBS não existe.", on=RegularTaxation)
def known_regular_situation(item: Item, document: RuleInput) -> At | None:
    """Refuses a CST of the regular taxation that is not in the table."""
    taxed: Any = item.taxes.ibs_cbs
    is_known = taxed.by_rate.regular_taxation.cst in IBS_CBS_SITUATIONS.rows
    return None if is_known else At("ibsCbs.regularTaxation.cst")


@reform_rule(
    "1067",
    "UB70-10",
    "A classificação (cClassTrib) da tributação regular não está na tabela do IBS e da CBS.",
    on=RegularTaxation,
    severity=Severity.WARNS,
)
def known_regular_class(item: Item, document: RuleInput) -> At | None:
    """Warns of a classification of the regular taxation that is not in our table."""
    taxed: Any = item.taxes.ibs_cbs
    is_known = taxed.by_rate.regular_taxation.tax_class in IBS_CBS_CLASSES.rows
    return None if is_known else At("ibsCbs.regularTaxation.taxClassCode")
