"""Published access keys, and keys that differ from another in some parts."""

from typing import Any

from carimbo.fiscal.identity.access_key import AccessKey

PARTS = (
    "state_code", "year_month", "tax_id", "model", "series", "number", "emission_type", "numeric_code",
)  # fmt: skip
NFE = "35261111222333000181550010000000011123456806"
MDFE = "35261111222333000181580010000000011556677885"
OFFLINE_NFCE = "35261111222333000181650010000000109123456897"
PUBLISHED = (
    "35200159594315000157550010000000012062777161",
    "41210780568835000181580010402005751006005791",
    "35190602427026001207570040000522031000522035",
)
NFSE_KEY = "15054862244827692000111000000000001625125368470067"


def with_parts(key: AccessKey, **changes: Any) -> AccessKey:
    """Returns the key with some parts changed, and the check digit recomputed."""
    return AccessKey(**{part: getattr(key, part) for part in PARTS} | changes)
