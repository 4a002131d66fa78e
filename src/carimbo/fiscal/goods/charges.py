"""What is charged beside the goods, and taken off: told item by item, or for the document and shared out."""

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal

from carimbo.fiscal.findings import Incomplete
from carimbo.fiscal.goods.item_body import ItemBody
from carimbo.fiscal.money import ZERO, cents, shares
from carimbo.fiscal.problems import Problem


@dataclass(frozen=True, slots=True)
class Charges:
    """Freight, insurance, other expenses and discount of an item or of a document."""

    freight: Decimal | None = None
    insurance: Decimal | None = None
    other: Decimal | None = None
    discount: Decimal | None = None


_NAMES = ("freight", "insurance", "other", "discount")
# Where the document's own amount stands in the body.
_PATHS = {"freight": "freight.amount"}


def charges_of(items: Sequence[ItemBody], document: Charges) -> Sequence[Charges]:
    """The charges of each item: its own, or its share of the document's, in proportion to its price."""
    shared = [name for name in _NAMES if getattr(document, name)]
    twice = [name for name in shared if any(getattr(item, name) for item in items)]
    if twice:
        raise Incomplete(*map(_told_twice, twice))
    weights = [cents(item.quantity * item.price) if item.counts_in_total else ZERO for item in items]
    parts = {name: shares(getattr(document, name), weights) for name in shared}
    return [
        Charges(**{name: parts[name][at] if name in parts else getattr(item, name) for name in _NAMES})
        for at, item in enumerate(items)
    ]


def _told_twice(name: str) -> Problem:
    path = _PATHS.get(name, name)
    message = f"Informe {path} do documento ou items[].{name}, não os dois."
    return Problem("AMBIGUOUS", path, message, hint="O valor do documento é repartido entre os itens.")
