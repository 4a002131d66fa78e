"""Views of NF-e and NFC-e for callers: a preview before the document is issued, and its lines."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

from carimbo.fiscal.goods.items import NO_GTIN
from carimbo.fiscal.issuance import Lines
from carimbo.fiscal.layouts.json_form import to_plain
from carimbo.fiscal.layouts.nfe_v4.invoice import Invoice, Item, read_invoice
from carimbo.fiscal.layouts.signed_part import without_signature

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
    """Returns the lines of a typed document: product, price and taxes of every item."""
    return tuple(map(_line, invoice.items))


def lines_of_xml(signed: bytes) -> Lines:
    """Returns the lines of a signed document."""
    return lines_of(read_invoice(signed))


def totals_of_xml(signed: bytes) -> Mapping[str, Any]:
    """Returns the totals of a signed document, by the names that a preview has."""
    return to_plain(read_invoice(signed).totals)


def _line(item: Item) -> dict[str, Any]:
    product = to_plain(item.product)
    if item.product.gtin == NO_GTIN:
        del product["gtin"]
    shown = {name: product[name] for name in _PRODUCT if name in product}
    return {"number": item.position, **shown, **to_plain(item.taxes)}


@dataclass(frozen=True, slots=True)
class InvoicePreview:
    """A document made as a preview. Only the amount is often read, so the rest is computed on access."""

    invoice: Invoice
    document: bytes = field(repr=False)
    """Signed or not."""

    @property
    def amount(self) -> Decimal:
        """The total amount of the document (vNF)."""
        return self.invoice.totals.invoice.amount

    @property
    def totals(self) -> Mapping[str, Any]:
        """All totals of the document."""
        return to_plain(self.invoice.totals)

    @property
    def lines(self) -> Lines:
        """The items of the document."""
        return lines_of(self.invoice)

    @property
    def xml(self) -> bytes:
        """The XML without a signature."""
        return without_signature(self.document)
