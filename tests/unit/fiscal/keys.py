"""Access keys that differ from another in a part or two."""

from typing import Any

from carimbo.fiscal.access_key import AccessKey

PARTS = (
    "state_code", "year_month", "tax_id", "model", "series", "number", "emission_type", "numeric_code",
)  # fmt: skip


def with_parts(key: AccessKey, **changes: Any) -> AccessKey:
    """The key with some of its parts changed, and the check digit that goes with them."""
    return AccessKey(**{part: getattr(key, part) for part in PARTS} | changes)
