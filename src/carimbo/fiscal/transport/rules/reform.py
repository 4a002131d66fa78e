"""Rules about IBS and CBS: the group, its classification, rates, reductions and amounts.

The technical notes name few codes of CT-e for them, so most rules have names of our own.
"""

from collections.abc import Callable, Iterator
from typing import NamedTuple

from carimbo.fiscal.calendar import DatedRule
from carimbo.fiscal.layouts.cte_v4.taxes import FreightIbsCbs, ServiceCbs, ServiceTaxedByRate
from carimbo.fiscal.rules import At, RuleBook, Severity
from carimbo.fiscal.tables.ibs_cbs import IBS_CBS_CLASSES, IbsCbsClass
from carimbo.fiscal.taxes.checks import (
    ReformShare,
    effective_rate_mismatch,
    expected_rate,
    reduction_mismatch,
    share_amount_mismatch,
)
from carimbo.fiscal.taxes.trade import TaxDay, corrected_day
from carimbo.fiscal.transport.rules.rule import (
    NORMAL_REGIME,
    SUBSTITUTION,
    TransportCheck,
    TransportInput,
)

GROUP_RULES: RuleBook[TransportCheck] = RuleBook(
    when=lambda document: document.issuer.tax_regime == NORMAL_REGIME
)
# Values that the request does not give are computed by the same tables and formulas.
RULES: RuleBook[TransportCheck] = RuleBook(when=lambda document: document.request.ibs_cbs is not None)

IBS_CBS_CLASS, IBS_CBS_SITUATION = "IBS_CBS_CLASS", "IBS_CBS_SITUATION"
IBS_CBS_RATE, IBS_CBS_REDUCTION, IBS_SUM = "IBS_CBS_RATE", "IBS_CBS_REDUCTION", "IBS_SUM"
AMOUNT_CODES = {"state": "1051", "city": "1052", "cbs": "1053"}
"""Codes of wrong amounts, by share (NT CT-e 2026.004, block C)."""
_NAMES = {"state": "do IBS do estado", "city": "do IBS do município", "cbs": "da CBS"}
_LAW, _NOTE = "LC 214/2025", "NT CT-e 2026.004"
TABLE = "Tabela cClassTrib (IT 2025.002)"
_MISSING_GROUP = "Falta o grupo de IBS e CBS, que o emitente do regime normal informa."


@GROUP_RULES.rule("310", _NOTE, _MISSING_GROUP)
def group_is_required(document: TransportInput) -> At | None:
    """Refuses a document of the normal regime without IBS and CBS; the rule has no date yet."""
    return At("ibsCbs") if _lacks_group(document) and _is_refused(document) else None


@GROUP_RULES.rule("310", _NOTE, _MISSING_GROUP, severity=Severity.WARNS)
def group_will_be_required(document: TransportInput) -> At | None:
    """Warns of missing IBS and CBS while the law demands them but the authorities do not refuse yet."""
    return At("ibsCbs") if _lacks_group(document) and not _is_refused(document) else None


def _lacks_group(document: TransportInput) -> bool:
    # A complement may leave them out: see `Journey.may_leave_out_reform_taxes`.
    is_missing = document.waybill.taxes.ibs_cbs is None and not document.is_complement
    return is_missing and DatedRule.IBS_CBS_GROUP in document.rules_in_force


def _is_refused(document: TransportInput) -> bool:
    return DatedRule.CTE_GROUP_REQUIRED in document.rules_in_force


def _class_of(document: TransportInput) -> IbsCbsClass | None:
    group = document.waybill.taxes.ibs_cbs
    return IBS_CBS_CLASSES.rows.get(group.tax_class) if group else None


def _is_usable(tax_class: IbsCbsClass | None, document: TransportInput) -> bool:
    """Returns whether a classification is one of CT-e on the day of issue."""
    day = document.identification.issued_at.date()
    if tax_class is None or document.model not in tax_class.models:
        return False
    return tax_class.since <= day and (tax_class.until is None or day <= tax_class.until)


@RULES.rule(
    IBS_CBS_CLASS,
    TABLE,
    "A classificação tributária (cClassTrib) não é admitida no CT-e na data de emissão.",
    hint="Informe em ibsCbs.taxClassCode uma classificação do CT-e em vigor, ou retire-o para usar 000001.",
)
def class_of_the_model(document: TransportInput) -> At | None:
    """Refuses a classification that is unknown, of other documents, or not in force."""
    is_usable = document.waybill.taxes.ibs_cbs is None or _is_usable(_class_of(document), document)
    return None if is_usable else At("ibsCbs.taxClassCode")


@RULES.rule(
    IBS_CBS_SITUATION,
    TABLE,
    "O CST do IBS e da CBS não é o começo da classificação tributária (cClassTrib).",
    hint="Retire ibsCbs.cst, que sai da classificação, ou corrija um dos dois.",
)
def situation_of_the_class(document: TransportInput) -> At | None:
    """Refuses a CST that the classification does not begin with."""
    group = document.waybill.taxes.ibs_cbs
    is_other = group is not None and not group.tax_class.startswith(group.cst)
    return At("ibsCbs.cst") if is_other else None


class _Share(NamedTuple):
    """A share of the tax with its name in our JSON."""

    name: str
    taxed: ReformShare


def shares_of(group: FreightIbsCbs | None) -> tuple[_Share, ...]:
    """Returns the shares of the tax; none if it is not taxed by rates."""
    rated = group.by_rate if group else None
    if rated is None:
        return ()
    return (_Share("state", rated.state), _Share("city", rated.city), _Share("cbs", rated.cbs))


def class_in_force(document: TransportInput) -> IbsCbsClass | None:
    """Returns the classification; None if it is wrong, so that it breaks no other rule."""
    group, tax_class = document.waybill.taxes.ibs_cbs, _class_of(document)
    if group is None or not group.tax_class.startswith(group.cst):
        return None
    return tax_class if _is_usable(tax_class, document) else None


def _rated_by_class(document: TransportInput) -> Iterator[tuple[_Share, IbsCbsClass]]:
    """Yields the shares with their classification."""
    tax_class = class_in_force(document)
    if tax_class:
        yield from ((share, tax_class) for share in shares_of(document.waybill.taxes.ibs_cbs))


@RULES.rule(
    IBS_CBS_RATE,
    f"{_LAW}, arts. 343 a 347",
    "A alíquota não é a vigente.",
    hint="Retire a alíquota para que seja usada a da tabela, ou corrija-a.",
)
def rate_in_force(document: TransportInput) -> Iterator[At]:
    """Refuses rates that are not in force; a substitution has those of the replaced document."""
    rates = _rate_day(document).rates
    for share, tax_class in _rated_by_class(document):
        expected = expected_rate(share.taxed, tax_class, rates)
        if expected in (None, share.taxed.rate) or _is_in_free_zone(share.taxed):
            continue
        yield At(f"ibsCbs.{share.name}.rate", f"Esperado: {expected}.")


def _rate_day(document: TransportInput) -> TaxDay:
    issued, replaced = document.identification.issued_at.date(), document.request.substitution
    is_replacing = document.purpose == SUBSTITUTION and replaced is not None
    return corrected_day(
        TaxDay.of(issued, document.document_type), (replaced.access_key,) if is_replacing and replaced else ()
    )


def _is_in_free_zone(share: ReformShare) -> bool:
    return isinstance(share, ServiceCbs) and share.free_zone is not None and not share.rate


@RULES.rule(
    IBS_CBS_REDUCTION,
    TABLE,
    "A redução da alíquota não é a da classificação tributária (cClassTrib).",
    hint="Retire reduction para que seja usada a da classificação, ou corrija-a.",
)
def reduction_of_the_class(document: TransportInput) -> Iterator[At]:
    """Refuses reductions that the classification does not have, and effective rates that do not follow."""
    public = document.identification.government_purchase
    for share, tax_class in _rated_by_class(document):
        at = _reduction_out_of_place(share.taxed, tax_class, is_public=public is not None)
        at = at or reduction_mismatch(share.taxed, tax_class)
        at = at or effective_rate_mismatch(share.taxed, public.rate_reduction if public else None)
        if at:
            yield At(f"ibsCbs.{share.name}.{at.path}", at.detail)


def _reduction_out_of_place(share: ReformShare, tax_class: IbsCbsClass, *, is_public: bool) -> At | None:
    """Returns the place of a reduction that neither the class nor a public taker gives."""
    if share.reduction is None or tax_class.ibs_reduction is not None or tax_class.cbs_reduction is not None:
        return None
    return None if is_public and not share.reduction.rate else At("reduction")


AmountCheck = Callable[[TransportInput], At | None]


def _amount_rules(share_name: str, code: str) -> None:
    """Adds the rules of an amount: it warns until the authorities refuse wrong ones."""
    message = f"O valor {_NAMES[share_name]} não é a base vezes a alíquota, menos diferimento e devolução."
    hint = f"Ajuste ibsCbs.{share_name}.amount, ou retire-o para ser calculado."
    path = f"ibsCbs.{share_name}.amount"

    def mismatch(document: TransportInput, *, is_checked: bool) -> At | None:
        if (DatedRule.CTE_AMOUNTS_CHECKED in document.rules_in_force) is not is_checked:
            return None
        group = document.waybill.taxes.ibs_cbs
        rated = group.by_rate if group else None
        at = share_amount_mismatch(_share_of(rated, share_name), rated.base) if rated else None
        return At(path, at.detail) if at else None

    @RULES.rule(code, f"{_NOTE}, bloco C", message, hint=hint)
    def amount_is_refused(document: TransportInput) -> At | None:
        return mismatch(document, is_checked=True)

    @RULES.rule(code, f"{_NOTE}, bloco C", message, hint=hint, severity=Severity.WARNS)
    def amount_will_be_refused(document: TransportInput) -> At | None:
        return mismatch(document, is_checked=False)


def _share_of(rated: ServiceTaxedByRate, name: str) -> ReformShare:
    if name == "cbs":
        return rated.cbs
    return rated.state if name == "state" else rated.city


for _share_name, _code in AMOUNT_CODES.items():
    _amount_rules(_share_name, _code)


@RULES.rule(
    IBS_SUM,
    _LAW,
    "O valor do IBS não é a soma das partes do estado e do município.",
    hint="Retire ibsCbs.ibsAmount para ser calculado, ou ajuste-o.",
)
def sum_of_ibs(document: TransportInput) -> At | None:
    """Refuses an IBS that is not the sum of its two shares."""
    group = document.waybill.taxes.ibs_cbs
    rated = group.by_rate if group else None
    if rated is None or rated.ibs_amount == rated.state.amount + rated.city.amount:
        return None
    return At("ibsCbs.ibsAmount", f"Esperado: {rated.state.amount + rated.city.amount}.")
