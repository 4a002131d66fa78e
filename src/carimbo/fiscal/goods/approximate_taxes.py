"""The approximate taxes that a consumer is shown (Lei 12.741/2012, Decreto 8.264/2014)."""

from collections.abc import Sequence
from decimal import Decimal

from carimbo.fiscal.company import TaxRegime
from carimbo.fiscal.findings import Findings
from carimbo.fiscal.goods.cfop import is_sale
from carimbo.fiscal.goods.item_body import COUNTS, ItemBody
from carimbo.fiscal.goods.legal_text import LegalText
from carimbo.fiscal.goods.line import value_of
from carimbo.fiscal.layouts.nfe_v4.goods import Product
from carimbo.fiscal.layouts.nfe_v4.invoice import Item
from carimbo.fiscal.money import percent, shares, total, written
from carimbo.fiscal.taxes.trade import Trade

_LAW = "12.741/2012"
_MISSING = (
    "A Lei 12.741/2012 pede o valor aproximado dos tributos na venda a consumidor: informe"
    " items[].approximateTaxes, ou configure defaults.approximateTaxRates na empresa."
)


def approximate_taxes(given: Decimal | None, product: Product, trade: Trade) -> Decimal | None:
    """Returns the caller's amount, else the company's rates on what the consumer pays for the item."""
    rates = trade.approximate_tax_rates
    if given is not None or rates is None or not _is_sold(product):
        return given
    return percent(value_of(product), rates.whole)


def warn_of_missing_taxes(items: Sequence[Item], trade: Trade, findings: Findings) -> None:
    """Adds one warning if an item sold to a consumer shows no taxes; a MEI need not (Decreto 8.264/2014)."""
    if not trade.is_shown_to_a_consumer or trade.company.tax_regime is TaxRegime.MEI:
        return
    if any(item.taxes.approximate_taxes is None and _is_sold(item.product) for item in items):
        findings.assumed(_MISSING)


def taxes_by_sphere(bodies: Sequence[ItemBody], items: Sequence[Item], trade: Trade) -> LegalText | None:
    """Returns the sentence with the federal, state and municipal parts (Lei 12.741/2012, art. 1º).

    There is none if an item has an amount of the caller's, which is not divided.
    """
    rates = trade.approximate_tax_rates
    if rates is None or any(body.approximate_taxes is not None for body in bodies):
        return None
    amount = total(item.taxes.approximate_taxes for item in items)
    federal, state, municipal = map(written, shares(amount, (rates.federal, rates.state, rates.municipal)))
    sentence = (
        f"Valor aproximado dos tributos (Lei Federal {_LAW}): R$ {written(amount)}"
        f" (federal R$ {federal}, estadual R$ {state}, municipal R$ {municipal})."
    )
    return LegalText(sentence, known_by=_LAW)


def _is_sold(product: Product) -> bool:
    return product.counts_in_total == COUNTS and is_sale(product.cfop)
