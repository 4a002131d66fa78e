"""Rules of the taxes of debit notes, credit notes, and payments of public buyers."""

from collections.abc import Iterator

from carimbo.fiscal.calendar import DatedRule
from carimbo.fiscal.environment import Environment
from carimbo.fiscal.goods.applicable_taxes import (
    GOVERNMENT_PAID_IN_ADVANCE,
    PAID_IN_ADVANCE,
    has_only_ibs_cbs,
)
from carimbo.fiscal.goods.rules.rule import NFE, DocumentCheck, GoodsRuleBook, RuleInput
from carimbo.fiscal.goods.unsupported_groups import EXPECTED_ICMS, missing_group_text
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
def only_ibs_cbs(document: RuleInput) -> Iterator[At]:
    """Refuses other taxes than IBS and CBS; advance payments may have IPI, and in 2026 PIS and COFINS."""
    notes = document.invoice.identification
    if not has_only_ibs_cbs(document.purpose, notes.debit_type, notes.credit_type, notes.government_purchase):
        return
    allowed: frozenset[str] = frozenset()
    if notes.debit_type == PAID_IN_ADVANCE:
        ended = DatedRule.PIS_COFINS_ENDED in document.rules_in_force
        allowed = frozenset({"ipi"}) if ended else _CONTRIBUTIONS | {"ipi"}
    for position, item in enumerate(document.invoice.items):
        refused = [name for name in _other_taxes(item) if name not in allowed]
        if refused and item.taxes.ibs_cbs is None:
            yield At(f"items[{position}].ibsCbs", "Informe-os neste item.")
        else:
            yield from (At(f"items[{position}].{name}") for name in refused)


def _other_taxes(item: Item) -> Iterator[str]:
    """Returns the names of the taxes of an item that do not belong to the reform."""
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
    f"O pagamento antecipado precisa informar em cada item {missing_group_text(*EXPECTED_ICMS)}",
    models=(NFE,),
)
def expected_icms_is_informed(document: RuleInput) -> At | None:
    """Refuses advance payments from a day on: no field can hold the ICMS that the technical note demands."""
    in_production = document.environment is Environment.PRODUCTION
    required = (
        DatedRule.EXPECTED_ICMS_REQUIRED
        if in_production
        else DatedRule.EXPECTED_ICMS_REQUIRED_IN_HOMOLOGATION
    )
    if required not in document.rules_in_force:
        return None
    identification = document.invoice.identification
    if identification.debit_type == PAID_IN_ADVANCE:
        return At("debitType")
    purchase = identification.government_purchase
    if purchase and purchase.operation_type == GOVERNMENT_PAID_IN_ADVANCE:
        return At("governmentPurchase.operationType")
    return None
