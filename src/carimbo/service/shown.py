"""Exact values as JSON shows them."""

from collections.abc import Mapping
from decimal import Decimal
from typing import Any


def shown(value: Any) -> Any:
    """The same value with numbers where it has decimals; a float has digits enough for a document's."""
    if isinstance(value, Mapping):
        return {name: shown(item) for name, item in value.items()}
    if isinstance(value, list | tuple):
        return [shown(item) for item in value]
    return float(value) if isinstance(value, Decimal) else value
