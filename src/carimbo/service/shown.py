"""Exact values and moments as JSON shows them."""

from collections.abc import Mapping
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any


def shown(value: Any) -> Any:
    """The same value with numbers where it has decimals; a float has digits enough for a document's."""
    if isinstance(value, Mapping):
        return {name: shown(item) for name, item in value.items()}
    if isinstance(value, list | tuple):
        return [shown(item) for item in value]
    if isinstance(value, datetime):
        return utc_text(value)
    return float(value) if isinstance(value, Decimal) else value


def utc_text(moment: datetime) -> str:
    """Returns a moment as every answer shows it: in UTC, with a `Z`."""
    return moment.astimezone(UTC).isoformat().replace("+00:00", "Z")
