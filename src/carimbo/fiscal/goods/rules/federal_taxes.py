"""Rules of federal taxes: PIS and COFINS after their end, and the legal framework of IPI."""

from collections.abc import Iterator

from carimbo.fiscal.calendar import DatedRule
from carimbo.fiscal.goods.rules.rule import NFE, NORMAL, DocumentCheck, GoodsRuleBook, ItemCheck, RuleInput
from carimbo.fiscal.layouts.nfe_v4.federal_taxes import CofinsNotTaxed, PisNotTaxed
from carimbo.fiscal.layouts.nfe_v4.invoice import Item
from carimbo.fiscal.rules import At, Severity
from carimbo.fiscal.taxes.pis_cofins import PIS_COFINS_ENDED

ENDED_CONTRIBUTION_RULES: GoodsRuleBook[DocumentCheck] = GoodsRuleBook(
    when=lambda document: DatedRule.PIS_COFINS_ENDED in document.rules_in_force
)

_SOURCE = "LC 214/2025, arts. 542 e 544"


@ENDED_CONTRIBUTION_RULES.rule(
    PIS_COFINS_ENDED, _SOURCE, "PIS e COFINS acabaram: a nota não pode ter valores deles."
)
def normal_document_has_no_contributions(document: RuleInput) -> Iterator[At]:
    """Refuses amounts of PIS and COFINS in a normal document; zero is accepted."""
    return _amounts(document) if document.purpose == NORMAL else iter(())


@ENDED_CONTRIBUTION_RULES.rule(
    PIS_COFINS_ENDED,
    _SOURCE,
    "PIS e COFINS acabaram: a nota só pode ter valores deles porque corrige outra. Confira.",
    severity=Severity.WARNS,
)
def correction_may_have_contributions(document: RuleInput) -> Iterator[At]:
    """Warns of amounts of PIS and COFINS in a correction, which may repeat those of the first document."""
    return _amounts(document) if document.purpose != NORMAL else iter(())


def _amounts(document: RuleInput) -> Iterator[At]:
    for position, item in enumerate(document.invoice.items):
        taxes = item.taxes
        for name, group in (("pis", taxes.pis), ("cofins", taxes.cofins)):
            if group and not isinstance(group, PisNotTaxed | CofinsNotTaxed) and group.amount:
                yield At(f"items[{position}].{name}")
        if taxes.pis_st and taxes.pis_st.amount:
            yield At(f"items[{position}].pisSt")
        if taxes.cofins_st and taxes.cofins_st.amount:
            yield At(f"items[{position}].cofinsSt")
    withheld = document.invoice.totals.withheld_taxes
    if withheld and withheld.pis_amount:
        yield At("withheldTaxes.pisAmount")
    if withheld and withheld.cofins_amount:
        yield At("withheldTaxes.cofinsAmount")


_EXEMPT = ("301", "399")
_IMMUNE = ("001", "099")
_SUSPENDED = ("101", "199")
_FRAMEWORK_CODES = {
    "02": _EXEMPT,
    "52": _EXEMPT,
    "04": _IMMUNE,
    "54": _IMMUNE,
    "05": _SUSPENDED,
    "55": _SUSPENDED,
}


def _has_ipi(document: RuleInput) -> bool:
    return any(item.taxes.ipi for item in document.invoice.items)


IPI_RULES: GoodsRuleBook[ItemCheck] = GoodsRuleBook(when=_has_ipi)


@IPI_RULES.rule("388", "MOC 7.0, O09-10", "O enquadramento legal do IPI não é o da situação.", models=(NFE,))
def legal_framework(item: Item, document: RuleInput) -> At | None:
    """Refuses a framework code outside the range of its CST: exemption, immunity or suspension."""
    ipi = item.taxes.ipi
    codes = _FRAMEWORK_CODES.get(ipi.taxation.cst) if ipi else None
    if ipi is None or codes is None or codes[0] <= ipi.framework_code <= codes[1]:
        return None
    return At("ipi.frameworkCode", f"Esperado: de {codes[0]} a {codes[1]}.")
