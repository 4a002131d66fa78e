"""A composed document and what is to be said of it."""

from dataclasses import dataclass

from carimbo.fiscal.layouts.nfe_v4.invoice import Invoice
from carimbo.fiscal.problems import Problem


@dataclass(frozen=True, slots=True)
class Composition:
    """The typed document, what keeps parts of it from being made, and what was assumed in making it."""

    invoice: Invoice
    """With gaps where there are problems: what could be made is still held against the rules."""
    problems: tuple[Problem, ...]
    warnings: tuple[str, ...]
