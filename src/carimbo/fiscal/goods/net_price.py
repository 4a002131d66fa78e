"""Prices without taxes (`netUnitValue`): from 2027 on, the gross price is computed from them."""

from collections.abc import Sequence
from decimal import ROUND_HALF_UP, Decimal

from carimbo.fiscal.calendar import CALENDAR, DatedRule
from carimbo.fiscal.goods.applicable_taxes import trade_of_item
from carimbo.fiscal.goods.ibs_cbs_body import IbsCbsBody
from carimbo.fiscal.goods.icms_body import IcmsBody
from carimbo.fiscal.goods.item_body import ItemBody
from carimbo.fiscal.goods.item_taxes import ItemTaxation, is_import, taxes_in_price
from carimbo.fiscal.goods.items import Charges, product_of
from carimbo.fiscal.money import ZERO
from carimbo.fiscal.problems import Findings, Incomplete, Problem
from carimbo.fiscal.taxes.trade import Trade

NET_PRICE = "NET_PRICE"
"""The code of a net price that can't be used."""
_STEP = Decimal("0.0000000001")
# So large that rounding to cents doesn't matter: shares of it have more exact decimals than a price.
_TRIAL = Decimal(10) ** 12
_SOURCE = "NT 2026.008"


def with_gross_prices(
    items: Sequence[ItemBody], trade: Trade, cfop: str, findings: Findings
) -> list[ItemBody]:
    """Returns the items; those with a net price get the price that the buyer pays."""
    if all(item.net_unit_value is None for item in items):
        return list(items)
    priced = [
        item
        if item.net_unit_value is None
        else findings.attempt(
            _with_gross_price, item, position, trade_of_item(item.referenced_item, trade), cfop
        )
        for position, item in enumerate(items)
    ]
    return [new or item for new, item in zip(priced, items, strict=True)]


def _with_gross_price(item: ItemBody, position: int, trade: Trade, cfop: str) -> ItemBody:
    """Returns an item with its gross price: computes the taxes of a trial price to learn their share."""
    path = f"items[{position}].netUnitValue"
    _refuse_if_unusable(item, trade, cfop, path)
    trial = item.model_copy(update={"quantity": Decimal(1), "unit_value": _TRIAL, "taxable_quantity": None})
    trial_findings = Findings()
    product = product_of(trial, position, item.ncm, cfop, item.description, Charges())
    within = taxes_in_price(ItemTaxation(trade, trial_findings).taxes_of(trial, product, position))
    if within >= _TRIAL:
        message = "Com estas alíquotas, os tributos tomam o preço inteiro."
        raise Incomplete(Problem(NET_PRICE, path, message, "Confira as alíquotas do item.", _SOURCE))
    net = item.net_unit_value or ZERO
    if item.selective_tax and item.selective_tax.amount and item.quantity:
        net += item.selective_tax.amount / item.quantity
    # If the trial has problems they are reported when the item is composed, so any price will do.
    price = net
    if not trial_findings.problems:
        price = (net * _TRIAL / (_TRIAL - within)).quantize(_STEP, ROUND_HALF_UP)
    prices = {"unit_value": price}
    if item.taxable_quantity and item.taxable_unit_value is None:
        taxable = price * item.quantity / item.taxable_quantity
        prices["taxable_unit_value"] = taxable.quantize(_STEP, ROUND_HALF_UP)
    return item.model_copy(update=prices)


def _refuse_if_unusable(item: ItemBody, trade: Trade, cfop: str, path: str) -> None:
    if item.unit_value is not None:
        message = (
            "Informe unitValue ou netUnitValue, não os dois: o preço líquido na nota (vUnComLiq e vProdLiq)"
            " ainda não está no pacote de esquemas PL_010f."
        )
        raise Incomplete(Problem(NET_PRICE, path, message, "Retire netUnitValue.", _SOURCE))
    if not trade.tax_day.price_holds_reform_taxes:
        since = CALENDAR[DatedRule.PRICE_HOLDS_IBS_CBS].since
        when = f" em documentos a partir de {since:%d/%m/%Y}" if since else " quando o preço os contiver"
        message = f"O preço sem tributos só pode ser informado{when}."
        raise Incomplete(Problem(NET_PRICE, path, message, "Informe unitValue.", _SOURCE))
    if is_import(item, item.cfop or cfop):
        message = "O preço sem tributos não se usa em importação, cujo preço não contém IBS nem CBS."
        raise Incomplete(Problem(NET_PRICE, path, message, "Informe unitValue.", _SOURCE))
    if _has_given_amounts(item):
        message = "O preço sem tributos não se usa com bases ou valores informados de ICMS, IBS ou CBS."
        hint = "Informe unitValue, ou deixe que as bases e os valores sejam calculados."
        raise Incomplete(Problem(NET_PRICE, path, message, hint, _SOURCE))


def _has_given_amounts(item: ItemBody) -> bool:
    """Returns whether the body has amounts in reais, which can't fit a price that is not known yet."""
    icms, share, reform = item.icms or IcmsBody(), item.state_share, item.ibs_cbs or IbsCbsBody()
    given = [icms.base, icms.amount, icms.fcp_base, icms.fcp_amount, icms.exempted_amount, reform.base]
    if share:
        given += [share.base, share.fcp_base, share.fcp_amount, share.destination_amount, share.origin_amount]
    for part in (reform.state, reform.city, reform.cbs):
        if part:
            given.append(part.amount)
            given += [group.amount for group in (part.deferral, part.refund) if group]
    return any(amount is not None for amount in given)
