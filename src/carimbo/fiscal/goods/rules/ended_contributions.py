"""PIS and COFINS after their end: amounts are refused, but for documents that correct older ones."""

from collections.abc import Iterator

from carimbo.fiscal.calendar import DatedRule
from carimbo.fiscal.goods.rules.case import Case
from carimbo.fiscal.goods.rules.rule import DocumentCheck, GoodsRuleBook
from carimbo.fiscal.layouts.nfe_v4.federal_taxes import CofinsNotTaxed, PisNotTaxed
from carimbo.fiscal.rules import At, Severity
from carimbo.fiscal.taxes.pis_cofins import PIS_COFINS_ENDED

RULES: GoodsRuleBook[DocumentCheck] = GoodsRuleBook(
    when=lambda case: DatedRule.PIS_COFINS_ENDED in case.rules_in_force
)

_NORMAL = "1"
_SOURCE = "LC 214/2025, arts. 542 e 544"


@RULES.rule(PIS_COFINS_ENDED, _SOURCE, "PIS e COFINS acabaram: a nota não pode ter valores deles.")
def ordinary_document_charges_nothing(case: Case) -> Iterator[At]:
    """An ordinary document has no amounts of PIS and COFINS; zeros pass."""
    return _amounts(case) if case.purpose == _NORMAL else iter(())


@RULES.rule(
    PIS_COFINS_ENDED,
    _SOURCE,
    "PIS e COFINS acabaram: a nota só pode ter valores deles porque corrige outra. Confira.",
    severity=Severity.WARNS,
)
def correction_may_repeat_amounts(case: Case) -> Iterator[At]:
    """A correction repeats what the corrected document had."""
    return _amounts(case) if case.purpose != _NORMAL else iter(())


def _amounts(case: Case) -> Iterator[At]:
    for position, item in enumerate(case.invoice.items):
        taxes = item.taxes
        for name, group in (("pis", taxes.pis), ("cofins", taxes.cofins)):
            if group and not isinstance(group, PisNotTaxed | CofinsNotTaxed) and group.amount:
                yield At(f"items[{position}].{name}")
        if taxes.pis_st and taxes.pis_st.amount:
            yield At(f"items[{position}].pisSt")
        if taxes.cofins_st and taxes.cofins_st.amount:
            yield At(f"items[{position}].cofinsSt")
    withheld = case.invoice.totals.withheld_taxes
    if withheld and withheld.pis_amount:
        yield At("withheldTaxes.pisAmount")
    if withheld and withheld.cofins_amount:
        yield At("withheldTaxes.cofinsAmount")
