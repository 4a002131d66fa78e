"""Totals are the sums of the items, and no item takes more off than it adds."""

from collections.abc import Iterator
from decimal import Decimal

from pydantic.alias_generators import to_camel

from carimbo.fiscal.goods.rules.case import Case
from carimbo.fiscal.goods.rules.rule import BOTH, NFE, DocumentCheck, GoodsRuleBook
from carimbo.fiscal.layouts.nfe_v4.totals import InvoiceTotals
from carimbo.fiscal.money import ZERO, total
from carimbo.fiscal.rules import At

ELSEWHERE_RULES: GoodsRuleBook[DocumentCheck] = GoodsRuleBook(elsewhere=True)
RULES: GoodsRuleBook[DocumentCheck] = GoodsRuleBook()

_TOLERANCE = Decimal("0.50")
_IMPORT = "3"
_INVOICED_DIRECTLY = "2"
_YES = "1"


def _sum_rule(code: str, source: str, name: str, what: str, models: tuple[str, ...] = BOTH) -> None:
    """Write the rule that a total is what the items add up to, to the cent."""
    path = f"totals.{to_camel(name)}"

    @ELSEWHERE_RULES.rule(code, source, f"O total {what} não é a soma dos itens.", models=models)
    def check(case: Case) -> At | None:
        expected = getattr(case.sums, name)
        told = getattr(case.invoice.totals.invoice, name) or ZERO
        if expected is not None and told != expected:
            return At(path, f"Esperado: {expected}.")
        return None


_sum_rule("531", "MOC 7.0, W03-10", "icms_base", "da base de cálculo do ICMS")
_sum_rule("532", "MOC 7.0, W04-10", "icms_amount", "do ICMS")
_sum_rule("533", "MOC 7.0, W05-10", "st_base", "da base de cálculo do ICMS por substituição")
_sum_rule("534", "MOC 7.0, W06-10", "st_amount", "do ICMS por substituição")
_sum_rule("564", "NT 2025.002, W07-10", "goods_amount", "dos produtos")
_sum_rule("535", "MOC 7.0, W08-10", "freight", "do frete")
_sum_rule("536", "MOC 7.0, W09-10", "insurance", "do seguro")
_sum_rule("537", "MOC 7.0, W10-10", "discount", "do desconto")
_sum_rule("538", "MOC 7.0, W12-10", "ipi_amount", "do IPI", (NFE,))
_sum_rule("602", "MOC 7.0, W13-10", "pis_amount", "do PIS")
_sum_rule("603", "MOC 7.0, W14-10", "cofins_amount", "da COFINS")
_sum_rule("604", "MOC 7.0, W15-10", "other", "das outras despesas")
_sum_rule("685", "MOC 7.0, W16a-10", "approximate_taxes", "dos tributos aproximados")


@ELSEWHERE_RULES.rule("610", "NT 2023.004, W16-10", "O valor total do documento não é a soma das partes.")
def amount(case: Case) -> At | None:
    """The amount is what the parts make, give or take half a real; imports have rules of their own."""
    told, expected = case.invoice.totals.invoice.amount, _amount(case)
    if abs(told - expected) <= _TOLERANCE or _has_imports(case):
        return None
    if all(abs(told - other) > _TOLERANCE for other in _other_amounts(case, expected)):
        return At("totals.amount", f"Esperado: {expected - _deducted(case)}.")
    return None


def _has_imports(case: Case) -> bool:
    return any(item.product.cfop.startswith(_IMPORT) for item in case.invoice.items)


def _amount(case: Case) -> Decimal:
    """The sum of what is charged, before any benefit is taken off."""
    totals = case.invoice.totals.invoice
    charged = (
        totals.goods_amount
        + totals.st_amount
        + totals.st_fcp_amount
        + totals.freight
        + totals.insurance
        + totals.other
        + totals.import_tax_amount
        + totals.ipi_amount
        + totals.returned_ipi_amount
    )
    withheld = totals.single_phase_withholding_amount or ZERO
    return charged + withheld + _substitutions(case) - totals.discount


def _substitutions(case: Case) -> Decimal:
    groups = ((item.taxes.pis_st, item.taxes.cofins_st) for item in case.invoice.items)
    return total(one.amount for pair in groups for one in pair if one and one.adds_to_total == _YES)


def _other_amounts(case: Case, expected: Decimal) -> Iterator[Decimal]:
    """What is accepted too: benefits may be taken off, and vehicles sold directly leave substitution out."""
    totals, items = case.invoice.totals.invoice, case.invoice.items
    vehicles = (item.product.vehicle for item in items)
    is_direct = any(one and one.operation_type == _INVOICED_DIRECTLY for one in vehicles)
    for benefit in (ZERO, totals.exempted_amount, _deducted(case)):
        yield expected - benefit
        if is_direct:
            yield expected - benefit - _left_out(totals)


def _deducted(case: Case) -> Decimal:
    groups = (item.taxes.icms for item in case.invoice.items)
    return total(
        getattr(icms, "exempted_amount", None)
        for icms in groups
        if getattr(icms, "exemption_is_deducted", None) == _YES
    )


def _left_out(totals: InvoiceTotals) -> Decimal:
    return totals.st_amount + totals.st_fcp_amount + totals.returned_ipi_amount


@RULES.rule("483", "MOC 7.0, I17-10", "O desconto é maior que o valor do produto.")
def discount_within_the_price(case: Case) -> Iterator[At]:
    """No item costs less than nothing; a discount of the whole document is told once."""
    for position, item in enumerate(case.invoice.items):
        product = item.product
        if product.discount and product.discount > product.amount:
            if case.request.discount:
                yield At("discount")
                return
            yield At(f"items[{position}].discount", f"No máximo: {product.amount}.")
