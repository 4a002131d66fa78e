"""Rules of totals: they are the sums of the items, and no discount exceeds its price."""

from collections.abc import Callable, Iterator
from decimal import Decimal
from operator import attrgetter
from typing import Any

from pydantic.alias_generators import to_camel

from carimbo.fiscal.goods.rules.rule import BOTH, NFE, DocumentCheck, GoodsRuleBook, RuleInput
from carimbo.fiscal.goods.rules.sums import ReformSums
from carimbo.fiscal.money import ZERO, total
from carimbo.fiscal.rules import At

EXTERNAL_RULES: GoodsRuleBook[DocumentCheck] = GoodsRuleBook(external=True)
RULES: GoodsRuleBook[DocumentCheck] = GoodsRuleBook()

_TOLERANCE = Decimal("0.50")
_IMPORT = "3"
_INVOICED_DIRECTLY = "2"
_YES = "1"


def _sum_rule(code: str, source: str, name: str, label: str, models: tuple[str, ...] = BOTH) -> None:
    """Adds the rule that a total is the exact sum of the items."""
    path = f"totals.{to_camel(name)}"

    @EXTERNAL_RULES.rule(code, source, f"O total {label} não é a soma dos itens.", models=models)
    def check(document: RuleInput) -> At | None:
        expected = getattr(document.sums, name)
        actual = getattr(document.invoice.totals.invoice, name) or ZERO
        if expected is not None and actual != expected:
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


@EXTERNAL_RULES.rule("610", "NT 2023.004, W16-10", "O valor total do documento não é a soma das partes.")
def amount(document: RuleInput) -> At | None:
    """Refuses a total that differs from its parts by more than half a real; imports have other rules."""
    actual, expected = document.invoice.totals.invoice.amount, _amount(document)
    has_imports = any(item.product.cfop.startswith(_IMPORT) for item in document.invoice.items)
    if abs(actual - expected) <= _TOLERANCE or has_imports:
        return None
    if all(abs(actual - other) > _TOLERANCE for other in _other_amounts(document, expected)):
        return At("totals.amount", f"Esperado: {expected - _deducted(document)}.")
    return None


def _amount(document: RuleInput) -> Decimal:
    """Returns the sum of all charges, before exempted ICMS is deducted."""
    totals = document.invoice.totals.invoice
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
    pairs = ((item.taxes.pis_st, item.taxes.cofins_st) for item in document.invoice.items)
    substitutions = total(
        group.amount for pair in pairs for group in pair if group and group.adds_to_total == _YES
    )
    return charged + withheld + substitutions - totals.discount


def _other_amounts(document: RuleInput, expected: Decimal) -> Iterator[Decimal]:
    """Yields other accepted totals: minus exempted ICMS, and minus substitution in direct vehicle sales."""
    totals, items = document.invoice.totals.invoice, document.invoice.items
    vehicles = (item.product.vehicle for item in items)
    is_direct = any(vehicle and vehicle.operation_type == _INVOICED_DIRECTLY for vehicle in vehicles)
    left_out = totals.st_amount + totals.st_fcp_amount + totals.returned_ipi_amount
    for benefit in (ZERO, totals.exempted_amount, _deducted(document)):
        yield expected - benefit
        if is_direct:
            yield expected - benefit - left_out


def _deducted(document: RuleInput) -> Decimal:
    groups = (item.taxes.icms for item in document.invoice.items)
    return total(
        getattr(icms, "exempted_amount", None)
        for icms in groups
        if getattr(icms, "exemption_is_deducted", None) == _YES
    )


@RULES.rule("483", "MOC 7.0, I17-10", "O desconto é maior que o valor do produto.")
def discount_within_the_price(document: RuleInput) -> Iterator[At]:
    """Refuses a discount above the price of an item; a discount of the document is reported once."""
    for position, item in enumerate(document.invoice.items):
        product = item.product
        if product.discount and product.discount > product.amount:
            if document.request.discount:
                yield At("discount")
                return
            yield At(f"items[{position}].discount", f"No máximo: {product.amount}.")


REFORM_RULES: GoodsRuleBook[DocumentCheck] = GoodsRuleBook(external=True)

_PATH = "totals.ibsCbs"


@REFORM_RULES.rule(
    "1118", "NT 2025.002, W34-10", "O documento tem totais de IBS e CBS, e nenhum item informa os tributos."
)
def totals_of_nothing(document: RuleInput) -> At | None:
    """Refuses totals of IBS and CBS if no item has these taxes."""
    if document.invoice.totals.ibs_cbs and not document.reform_sums.has_items:
        return At(_PATH)
    return None


@REFORM_RULES.rule("1119", "NT 2025.002, W34-20", "Faltam os totais do IBS e da CBS que os itens informam.")
def totals_that_are_missing(document: RuleInput) -> At | None:
    """Refuses missing totals, even if the items have only a classification."""
    if document.invoice.totals.ibs_cbs is None and any(item.taxes.ibs_cbs for item in document.invoice.items):
        return At(_PATH)
    return None


def _sum_of_the_items(name: str) -> DocumentCheck:
    """Returns the check of one total; an absent total is not checked."""
    *groups, amount = name.split(".")
    path = ".".join((_PATH, *map(to_camel, name.split("."))))
    sum_of: Callable[[ReformSums], Decimal] = attrgetter(name)

    def check(document: RuleInput) -> At | None:
        actual: Any = document.invoice.totals.ibs_cbs
        for group in groups:
            actual = actual and getattr(actual, group)
        if actual is None:
            return None
        expected = sum_of(document.reform_sums)
        if getattr(actual, amount) != expected:
            return At(path, f"Esperado: {expected}.")
        return None

    return check


for _code, _rule, _name, _of_what in (
    ("1076", "W35-10", "base", "da base de cálculo do IBS e da CBS"),
    ("1077", "W38-10", "ibs.state.deferred_amount", "diferido do IBS do estado"),
    ("1078", "W39-10", "ibs.state.refunded_amount", "devolvido do IBS do estado"),
    ("1080", "W41-10", "ibs.state.amount", "do IBS do estado"),
    ("1081", "W43-10", "ibs.city.deferred_amount", "diferido do IBS do município"),
    ("1082", "W44-10", "ibs.city.refunded_amount", "devolvido do IBS do município"),
    ("1084", "W46-10", "ibs.city.amount", "do IBS do município"),
    ("1085", "W47-10", "ibs.amount", "do IBS"),
    ("1086", "W48-10", "ibs.presumed_credit", "do crédito presumido do IBS"),
    ("1088", "W53-10", "cbs.deferred_amount", "diferido da CBS"),
    ("1089", "W54-10", "cbs.refunded_amount", "devolvido da CBS"),
    ("1091", "W56-10", "cbs.amount", "da CBS"),
    ("1087", "W56a-10", "cbs.presumed_credit", "do crédito presumido da CBS"),
    ("1092", "W58-10", "single_phase.ibs_amount", "do IBS monofásico"),
    ("1093", "W59-10", "single_phase.cbs_amount", "da CBS monofásica"),
    ("1120", "W59a-10", "single_phase.ibs_withholding_amount", "do IBS monofásico sujeito a retenção"),
    ("1121", "W59b-10", "single_phase.cbs_withholding_amount", "da CBS monofásica sujeita a retenção"),
    ("1122", "W59c-10", "single_phase.ibs_retained_amount", "do IBS monofásico retido anteriormente"),
    ("1123", "W59d-10", "single_phase.cbs_retained_amount", "da CBS monofásica retida anteriormente"),
    ("1176", "W59f-10", "credit_reversal.ibs_amount", "do IBS estornado"),
    ("1177", "W59g-10", "credit_reversal.cbs_amount", "da CBS estornada"),
):
    _message = f"O total {_of_what} não é a soma dos itens."
    REFORM_RULES.rule(_code, f"NT 2025.002, {_rule}", _message)(_sum_of_the_items(_name))
