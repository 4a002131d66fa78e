"""Debit and credit notes, which adjust IBS and CBS of other documents (`finNFe` 5 and 6)."""

from carimbo.fiscal.layouts.nfe_v4.identification import GovernmentPurchase

PAID_IN_ADVANCE = "06"
"""`tpNFDebito`: the price is paid before the goods are delivered."""
GOVERNMENT_PAID_IN_ADVANCE = "4"
"""`tpOperGov`: a public buyer pays before the goods are delivered."""

_CREDIT, _DEBIT = "5", "6"
_GOVERNMENT_PAID = "2"
# Refused deliveries and reduced amounts repeat the taxes of a sale, lost stock those of a purchase.
_CREDITS_WITH_OTHER_TAXES = frozenset({"03", "04", "06"})
_DEBITS_WITH_OTHER_TAXES = frozenset({"07"})


def has_only_ibs_cbs(
    purpose: str, debit_type: str | None, credit_type: str | None, purchase: GovernmentPurchase | None
) -> bool:
    """Returns whether a document leaves out all taxes but those of the reform (NT 2025.002, B25-80).

    `purpose` is the code of the layout (`finNFe`).
    """
    if purchase and purchase.operation_type == _GOVERNMENT_PAID:
        return True
    repeats_taxes = credit_type in _CREDITS_WITH_OTHER_TAXES or debit_type in _DEBITS_WITH_OTHER_TAXES
    return purpose in (_CREDIT, _DEBIT) and not repeats_taxes
