"""A composed document and what is to be said of it."""

from dataclasses import dataclass

from carimbo.fiscal.layouts.nfe_v4.invoice import Invoice


@dataclass(frozen=True, slots=True)
class Composition:
    """The typed document, and what was assumed in making it."""

    invoice: Invoice
    warnings: tuple[str, ...]
