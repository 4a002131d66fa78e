"""The lines of an NF-e or NFC-e as callers read them: product, price and taxes of every item."""

from typing import Any

from carimbo.fiscal.goods.items import NO_GTIN
from carimbo.fiscal.issuance import Lines
from carimbo.fiscal.layouts.nfe_v4.document import read_invoice
from carimbo.fiscal.layouts.nfe_v4.invoice import Invoice, Item
from carimbo.fiscal.layouts.plain import plain

_PRODUCT = (
    "sku",
    "gtin",
    "description",
    "ncm",
    "cest",
    "cfop",
    "unit",
    "quantity",
    "unitValue",
    "amount",
    "discount",
    "freight",
    "insurance",
    "other",
)


def lines_of(invoice: Invoice) -> Lines:
    """The lines of a typed document."""
    return tuple(map(_line, invoice.items))


def lines_of_xml(signed: bytes) -> Lines:
    """The lines of a signed document."""
    return lines_of(read_invoice(signed))


def _line(item: Item) -> dict[str, Any]:
    product = plain(item.product)
    if item.product.gtin == NO_GTIN:
        del product["gtin"]
    told = {name: product[name] for name in _PRODUCT if name in product}
    return {"number": item.position, **told, **plain(item.taxes)}
