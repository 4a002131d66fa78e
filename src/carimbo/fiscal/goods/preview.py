"""What an NF-e or NFC-e would be, for whoever wants to see it before it is issued."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

from carimbo.fiscal.goods.lines import lines_of
from carimbo.fiscal.issuance import Lines
from carimbo.fiscal.layouts.nfe_v4.invoice import Invoice
from carimbo.fiscal.layouts.plain import plain
from carimbo.fiscal.layouts.signed_part import without_signature


@dataclass(frozen=True, slots=True)
class InvoicePreview:
    """A document made for trial; all but its amount is worked out when it is asked for, as few ask."""

    invoice: Invoice
    document: bytes = field(repr=False)
    """Signed or not."""

    @property
    def amount(self) -> Decimal:
        """What the document amounts to (vNF)."""
        return self.invoice.totals.invoice.amount

    @property
    def totals(self) -> Mapping[str, Any]:
        """Everything that it adds up to."""
        return plain(self.invoice.totals)

    @property
    def lines(self) -> Lines:
        """Its items."""
        return lines_of(self.invoice)

    @property
    def xml(self) -> bytes:
        """Its text, unsigned."""
        return without_signature(self.document)
