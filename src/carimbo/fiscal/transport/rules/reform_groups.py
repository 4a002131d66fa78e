"""Rules about which groups of IBS and CBS a service has, and how large their amounts may be."""

from collections.abc import Iterator

from carimbo.fiscal.money import percent
from carimbo.fiscal.rules import At, RuleBook
from carimbo.fiscal.tables.ibs_cbs import IBS_CBS_SITUATIONS, IbsCbsGroup
from carimbo.fiscal.taxes.checks import due_rate
from carimbo.fiscal.transport.rules.reform import TABLE, class_in_force, shares_of
from carimbo.fiscal.transport.rules.rule import TransportCheck, TransportInput

RULES: RuleBook[TransportCheck] = RuleBook(when=lambda document: document.request.ibs_cbs is not None)

IBS_CBS_GROUP, IBS_CBS_BASE, IBS_CBS_REFUND = "IBS_CBS_GROUP", "IBS_CBS_BASE", "IBS_CBS_REFUND"
IBS_CBS_PUBLIC, CBS_FREE_ZONE = "IBS_CBS_PUBLIC", "CBS_FREE_ZONE"


@RULES.rule(
    IBS_CBS_GROUP,
    TABLE,
    "A classificação tributária (cClassTrib) não admite {}.",
    hint="Retire o grupo, ou corrija ibsCbs.taxClassCode.",
)
def groups_of_the_class(document: TransportInput) -> Iterator[At]:
    """Refuses groups that the classification does not have."""
    group, tax_class = document.waybill.taxes.ibs_cbs, class_in_force(document)
    situation = IBS_CBS_SITUATIONS.rows.get(group.cst) if group else None
    rated = group.by_rate if group else None
    if rated is None or tax_class is None or situation is None:
        return
    if situation.group is not IbsCbsGroup.RATE:
        yield At("ibsCbs", values=("base, alíquotas nem valores",))
        return
    for share in shares_of(group):
        if share.taxed.deferral and not situation.has_deferral:
            yield At(f"ibsCbs.{share.name}.deferral", values=("diferimento",))
    if rated.regular_taxation and not tax_class.has_regular_taxation:
        yield At("ibsCbs.regularTaxation", values=("tributação regular",))


@RULES.rule(
    IBS_CBS_BASE,
    "LC 214/2025, art. 12",
    "A base do IBS e da CBS é maior que o valor da prestação.",
    hint="Corrija ibsCbs.base, ou retire-a para que seja calculada.",
)
def base_above_the_price(document: TransportInput) -> At | None:
    """Refuses a base above the price."""
    group = document.waybill.taxes.ibs_cbs
    rated = group.by_rate if group else None
    is_above = rated is not None and rated.base > document.waybill.price.amount
    return At("ibsCbs.base") if is_above else None


@RULES.rule(
    IBS_CBS_REFUND,
    "LC 214/2025, art. 112",
    "A devolução é maior que o tributo.",
    hint="Corrija refund.amount, ou retire refund.",
)
def refund_above_the_tax(document: TransportInput) -> Iterator[At]:
    """Refuses a refund of more than the tax."""
    group = document.waybill.taxes.ibs_cbs
    rated = group.by_rate if group else None
    for share in shares_of(group) if rated else ():
        refund = share.taxed.refund
        if rated and refund and refund.amount > percent(rated.base, due_rate(share.taxed)):
            yield At(f"ibsCbs.{share.name}.refund.amount")


@RULES.rule(
    IBS_CBS_PUBLIC,
    "LC 214/2025, art. 473",
    "Só o serviço a ente público tem os tributos sem a redução.",
    hint="Informe governmentPurchase, ou retire ibsCbs.governmentPurchase.",
)
def taxes_of_a_public_taker(document: TransportInput) -> At | None:
    """Refuses taxes before the reduction for public takers in other services."""
    group, public = document.waybill.taxes.ibs_cbs, document.identification.government_purchase
    rated = group.by_rate if group else None
    is_given = rated is not None and rated.government_purchase is not None
    return At("ibsCbs.governmentPurchase") if is_given and public is None else None


@RULES.rule(
    CBS_FREE_ZONE,
    "LC 214/2025, art. 451",
    "Na área de livre comércio a alíquota da CBS é zero.",
    hint="Informe ibsCbs.cbs.rate 0, ou retire ibsCbs.cbs.freeZone.",
)
def rate_within_a_free_zone(document: TransportInput) -> At | None:
    """Refuses the values of a free trade area beside a CBS that is due."""
    group = document.waybill.taxes.ibs_cbs
    cbs = group.by_rate.cbs if group and group.by_rate else None
    is_due = cbs is not None and cbs.free_zone is not None and bool(cbs.rate)
    return At("ibsCbs.cbs.freeZone") if is_due else None
