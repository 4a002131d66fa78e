"""Rules of the rates of IBS and CBS of an item: its three shares, with reductions, deferral and refund."""

from collections.abc import Callable
from decimal import Decimal
from functools import partial
from operator import attrgetter
from typing import Any

from carimbo.fiscal.goods.rules.reform_classes import reform_rule
from carimbo.fiscal.goods.rules.rule import BOTH, NFCE, NFE, RETURN, GoodsRuleBook, ItemCheck, RuleInput
from carimbo.fiscal.layouts.dfe_v1.ibs_cbs import CityIbs, Deferral, RateReduction, Refund, StateIbs
from carimbo.fiscal.layouts.nfe_v4.ibs_cbs import Cbs, IbsCbs, TaxedByRate
from carimbo.fiscal.layouts.nfe_v4.invoice import Item
from carimbo.fiscal.rules import At
from carimbo.fiscal.tables.ibs_cbs import IBS_CBS_CLASSES, IBS_CBS_SITUATIONS
from carimbo.fiscal.taxes.checks import effective_rate_mismatch, expected_rate, reduction_mismatch

_FREE_AREAS = (
    frozenset({"1301902", "1302603", "1303569"}),
    frozenset({"1304062"}),
    frozenset({"1100106"}),
    frozenset({"1400100", "1400159"}),
    frozenset({"1600303", "1600600"}),
    frozenset({"1200104", "1200252", "1200203"}),
)
"""IBGE codes of the cities of the Zona Franca de Manaus and each free trade area (NT 2025.002, UB56-10)."""

# Arms, tobacco, alcoholic drinks and passenger cars.
_NEVER_FREE = ("93", "24", "2203", "2204", "2205", "2206", "2207", "2208", "8703")
_PERFUMERY = "33"
_FREE_PERFUMERY = ("3303", "3304", "3305", "3306", "3307")


def _stays_in_a_free_area(item: Item, document: RuleInput) -> bool:
    """Returns whether seller and buyer are in one free area, and the law includes the goods."""
    buyer, ncm = document.recipient.address if document.recipient else None, item.product.ncm
    if buyer is None or ncm.startswith(_NEVER_FREE):
        return False
    if ncm.startswith(_PERFUMERY) and not ncm.startswith(_FREE_PERFUMERY):
        return False
    seller = document.invoice.issuer.address
    return any(seller.city_code in area and buyer.city_code in area for area in _FREE_AREAS)


AnyShare = StateIbs | CityIbs | Cbs
ShareCheck = Callable[[AnyShare, TaxedByRate, IbsCbs, RuleInput], At | None]
"""Returns the place where a share of the tax breaks a rule; its path is relative to the share."""

SHARES = {"state": "do IBS do estado", "city": "do IBS do município", "cbs": "da CBS"}


def each_share(
    message: str,
    *,
    book: GoodsRuleBook[ItemCheck],
    models: tuple[str, ...] = BOTH,
    on: type = TaxedByRate,
    **codes: tuple[str, str],
) -> Callable[[ShareCheck], ShareCheck]:
    """Adds the decorated check to the book once for each named share, with its code and rule."""

    def write(check: ShareCheck) -> ShareCheck:
        for share, (code, rule) in codes.items():
            text = message.format(share=SHARES[share])
            reform_rule(code, rule, text, book=book, models=models, on=on)(_on_items(share, check))
        return check

    return write


def _on_items(share: str, check: ShareCheck) -> ItemCheck:
    share_of: Callable[[object], AnyShare] = attrgetter(share)

    def on_item(item: Item, document: RuleInput) -> At | None:
        taxed: Any = item.taxes.ibs_cbs
        at = check(share_of(taxed.by_rate), taxed.by_rate, taxed, document)
        return At(f"ibsCbs.{share}.{at.path}", at.detail) if at else None

    return on_item


RULES: GoodsRuleBook[ItemCheck] = GoodsRuleBook(given_taxes=True)

# Refused deliveries and reduced amounts repeat the rates of the corrected document.
_CORRECTING_CREDITS = frozenset({"03", "04", "06"})

_each_share = partial(each_share, book=RULES)


@_each_share("A alíquota {share} não é a vigente.", state=("1026", "UB18-10"), city=("1036", "UB37-10"))
def rate(share: AnyShare, rated: TaxedByRate, taxed: IbsCbs, document: RuleInput) -> At | None:
    """Refuses a rate of IBS that is not in force on the day; suspended tax has rate zero."""
    expected = _expected_rate(share, taxed, document)
    return None if expected is None or share.rate == expected else At("rate", f"Esperado: {expected}.")


@reform_rule("1037", "UB56-10", "A alíquota da CBS não é a vigente.", book=RULES, on=TaxedByRate)
def cbs_rate(item: Item, document: RuleInput) -> At | None:
    """Refuses a rate of CBS that is not in force on the day; it may be zero within a free trade area."""
    taxed: Any = item.taxes.ibs_cbs
    cbs = taxed.by_rate.cbs
    expected = _expected_rate(cbs, taxed, document)
    if expected is None or cbs.rate == expected:
        return None
    if not cbs.rate and (cbs.free_zone or _stays_in_a_free_area(item, document)):
        return None
    return At("ibsCbs.cbs.rate", f"Esperado: {expected}.")


def _expected_rate(share: AnyShare, taxed: IbsCbs, document: RuleInput) -> Decimal | None:
    """Returns the rate in force; None if it can't be known.

    From 2027 on the exceptions of IBS apply to CBS too (UB56-20).
    """
    tax_class = IBS_CBS_CLASSES.rows.get(taxed.tax_class)
    identification = document.invoice.identification
    if tax_class is None or document.purpose == RETURN or identification.credit_type in _CORRECTING_CREDITS:
        return None
    return expected_rate(share, tax_class, document.reform_rates)


@_each_share(
    "O CST do IBS e da CBS não admite diferimento {share}.",
    on=Deferral,
    state=("1029", "UB22-10"),
    city=("1083", "UB40-20"),
    cbs=("1090", "UB59-20"),
)
def deferral_out_of_place(
    share: AnyShare, rated: TaxedByRate, taxed: IbsCbs, document: RuleInput
) -> At | None:
    """Refuses a deferral that the CST does not allow."""
    if share.deferral is None:
        return None
    situation = IBS_CBS_SITUATIONS.rows.get(taxed.cst)
    return At("deferral") if situation and not situation.has_deferral else None


@_each_share(
    "O CST do IBS e da CBS exige o diferimento {share}.",
    state=("1030", "UB22-20"),
    city=("1044", "UB40-10"),
    cbs=("1061", "UB59-10"),
)
def deferral_that_is_missing(
    share: AnyShare, rated: TaxedByRate, taxed: IbsCbs, document: RuleInput
) -> At | None:
    """Refuses a missing deferral that the CST demands."""
    if share.deferral:
        return None
    situation = IBS_CBS_SITUATIONS.rows.get(taxed.cst)
    return At("deferral") if situation and situation.has_deferral else None


# This also covers UB27-10, UB46-10 and UB65-10 for CST without a reduction.
@_each_share(
    "O CST do IBS e da CBS não admite redução da alíquota {share}.",
    on=RateReduction,
    state=("1032", "UB26-10"),
    city=("1007", "UB45-10"),
    cbs=("1028", "UB64-10"),
)
def reduction_out_of_place(
    share: AnyShare, rated: TaxedByRate, taxed: IbsCbs, document: RuleInput
) -> At | None:
    """Refuses a reduction that the CST does not allow, except that of public buyers with its rate of zero."""
    if share.reduction is None:
        return None
    situation = IBS_CBS_SITUATIONS.rows.get(taxed.cst)
    if situation is None or situation.has_reduction:
        return None
    is_of_buyer = document.invoice.identification.government_purchase and not share.reduction.rate
    return None if is_of_buyer else At("reduction")


@_each_share(
    "Falta a redução da alíquota {share}, que o CST ou a compra governamental exige.",
    state=("1033", "UB26-20"),
    city=("1074", "UB45-20"),
    cbs=("1079", "UB64-20"),
)
def reduction_that_is_missing(
    share: AnyShare, rated: TaxedByRate, taxed: IbsCbs, document: RuleInput
) -> At | None:
    """Refuses a missing reduction; all shares need it, even one with rate zero."""
    if share.reduction:
        return None
    situation = IBS_CBS_SITUATIONS.rows.get(taxed.cst)
    if situation and (situation.has_reduction or document.invoice.identification.government_purchase):
        return At("reduction")
    return None


@_each_share(
    "O percentual de redução da alíquota {share} não é o da classificação tributária (cClassTrib).",
    on=RateReduction,
    state=("1034", "UB27-10"),
    city=("1046", "UB46-10"),
    cbs=("1063", "UB65-10"),
)
def reduction_of_the_class(
    share: AnyShare, rated: TaxedByRate, taxed: IbsCbs, document: RuleInput
) -> At | None:
    """Refuses a reduction that is not the one of the classification."""
    return reduction_mismatch(share, IBS_CBS_CLASSES.rows.get(taxed.tax_class))


@_each_share(
    "A alíquota efetiva {share} não é a alíquota menos as reduções.",
    on=RateReduction,
    state=("1035", "UB28-10"),
    city=("1047", "UB47-10"),
    cbs=("1064", "UB66-10"),
)
def rate_after_reductions(
    share: AnyShare, rated: TaxedByRate, taxed: IbsCbs, document: RuleInput
) -> At | None:
    """Refuses an effective rate that is not the rate minus both reductions, of class and public buyer."""
    purchase = document.invoice.identification.government_purchase
    return effective_rate_mismatch(share, purchase.rate_reduction if purchase else None)


@_each_share(
    "A devolução {share} não pode ser informada.",
    on=Refund,
    state=("1111", "UB24-10"),
    city=("1112", "UB43-10"),
)
@_each_share("A NFC-e não admite devolução {share}.", on=Refund, models=(NFCE,), cbs=("1187", "UB62-10"))
def refund_out_of_place(share: AnyShare, rated: TaxedByRate, taxed: IbsCbs, document: RuleInput) -> At | None:
    """Refuses a refund of IBS, or of CBS in an NFC-e: only an NF-e refunds, and only CBS."""
    return At("refund") if share.refund else None


@_each_share("Falta o percentual da devolução {share}.", on=Refund, models=(NFE,), cbs=("1188", "UB62a-10"))
def refund_without_a_rate(
    share: AnyShare, rated: TaxedByRate, taxed: IbsCbs, document: RuleInput
) -> At | None:
    """Refuses a refund without its percentage."""
    return At("refund.rate") if share.refund and share.refund.rate is None else None
