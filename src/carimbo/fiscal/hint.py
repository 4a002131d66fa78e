"""What to change when an authority's code is met."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Hint:
    """Where to look and what to do."""

    field: str
    """JSON path in our body; `items[]` where the item is not known, `company.…` in the company's record."""
    sentence: str
    """One sentence in Portuguese."""
