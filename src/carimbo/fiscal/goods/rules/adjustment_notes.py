"""Debit and credit notes, and payments of public buyers: which taxes they have."""

from collections.abc import Iterator

from carimbo.fiscal.calendar import DatedRule
from carimbo.fiscal.environment import Environment
from carimbo.fiscal.goods.adjustment_notes import (
    GOVERNMENT_PAID_IN_ADVANCE,
    PAID_IN_ADVANCE,
    has_only_ibs_cbs,
)
from carimbo.fiscal.goods.newer_schema import EXPECTED_ICMS, not_in_schema
from carimbo.fiscal.goods.rules.case import Case
from carimbo.fiscal.goods.rules.rule import NFE, DocumentCheck, GoodsRuleBook
from carimbo.fiscal.layouts.nfe_v4.invoice import Item
from carimbo.fiscal.rules import At

RULES: GoodsRuleBook[DocumentCheck] = GoodsRuleBook()

_CONTRIBUTIONS = frozenset({"pis", "pisSt", "cofins", "cofinsSt"})


@RULES.rule(
    "1001",
    "NT 2026.008, B25-80",
    "Esta nota de débito, de crédito ou de pagamento de ente público só informa IBS e CBS.",
    models=(NFE,),
)
def only_ibs_cbs(case: Case) -> Iterator[At]:
    """Refuses other taxes; a note of a payment in advance may have IPI, and in 2026 PIS and COFINS."""
    notes = case.invoice.identification
    if not has_only_ibs_cbs(case.purpose, notes.debit_type, notes.credit_type, notes.government_purchase):
        return
    taken: frozenset[str] = frozenset()
    if notes.debit_type == PAID_IN_ADVANCE:
        ended = DatedRule.PIS_COFINS_ENDED in case.rules_in_force
        taken = frozenset({"ipi"}) if ended else _CONTRIBUTIONS | {"ipi"}
    for position, item in enumerate(case.invoice.items):
        refused = [name for name in _other_taxes(item) if name not in taken]
        if refused and item.taxes.ibs_cbs is None:
            yield At(f"items[{position}].ibsCbs", "Informe-os neste item.")
        else:
            yield from (At(f"items[{position}].{name}") for name in refused)


def _other_taxes(item: Item) -> Iterator[str]:
    """Yields the names of the taxes of an item that are not of the reform."""
    taxes = item.taxes
    groups = {
        "icms": taxes.icms,
        "ipi": taxes.ipi,
        "importTax": taxes.import_tax,
        "pis": taxes.pis,
        "pisSt": taxes.pis_st,
        "cofins": taxes.cofins,
        "cofinsSt": taxes.cofins_st,
        "stateShare": taxes.state_share,
        "returnedIpi": item.returned_ipi,
    }
    return (name for name, group in groups.items() if group)


@RULES.rule(
    "1281",
    "NT 2026.008, NB01-30",
    f"O pagamento antecipado precisa informar em cada item {not_in_schema(*EXPECTED_ICMS)}",
    models=(NFE,),
)
def expected_icms_is_informed(case: Case) -> At | None:
    """Refuses every payment in advance from a day on: no field can hold the ICMS that the note asks for."""
    in_production = case.environment is Environment.PRODUCTION
    required = (
        DatedRule.EXPECTED_ICMS_REQUIRED
        if in_production
        else DatedRule.EXPECTED_ICMS_REQUIRED_IN_HOMOLOGATION
    )
    if required not in case.rules_in_force:
        return None
    identification = case.invoice.identification
    if identification.debit_type == PAID_IN_ADVANCE:
        return At("debitType")
    purchase = identification.government_purchase
    if purchase and purchase.operation_type == GOVERNMENT_PAID_IN_ADVANCE:
        return At("governmentPurchase.operationType")
    return None
