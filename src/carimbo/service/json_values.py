"""JSON without rounding: requests are stored, changed and read with exact numbers, never as floats."""

import json
from collections.abc import Mapping
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any


def read_exact_json(text: str) -> Any:
    """Parses JSON with decimals in place of floats."""
    return json.loads(text, parse_float=Decimal)


def write_json(value: Any) -> str:
    """Writes a value that `read_exact_json` returned."""
    if isinstance(value, dict):
        return "{" + ",".join(f"{_plain(name)}:{write_json(item)}" for name, item in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ",".join(map(write_json, value)) + "]"
    return str(value) if isinstance(value, Decimal) else _plain(value)


def _plain(value: Any) -> str:
    """Writes a name or a scalar, without escaping accented letters."""
    return json.dumps(value, ensure_ascii=False)


def merge_patch(target: Any, patch: Any) -> Any:
    """Applies a JSON merge patch (RFC 7396): null removes, objects merge, anything else replaces."""
    if not isinstance(patch, dict):
        return patch
    merged = dict(target) if isinstance(target, dict) else {}
    for name, value in patch.items():
        if value is None:
            merged.pop(name, None)
        else:
            merged[name] = merge_patch(merged.get(name), value)
    return merged


def json_value(value: Any) -> Any:
    """Returns a value for JSON: decimals become floats, which have enough digits for a document's amounts."""
    if isinstance(value, Mapping):
        return {name: json_value(item) for name, item in value.items()}
    if isinstance(value, list | tuple):
        return [json_value(item) for item in value]
    if isinstance(value, datetime):
        return utc_text(value)
    return float(value) if isinstance(value, Decimal) else value


def utc_text(moment: datetime) -> str:
    """Returns a moment in the format of all responses: in UTC, with a `Z`."""
    return moment.astimezone(UTC).isoformat().replace("+00:00", "Z")


def patch_between(before: Any, after: Any) -> dict[str, Any]:
    """Returns the JSON merge patch (RFC 7396) that turns one object into another; empty if they are equal."""
    patch: dict[str, Any] = {name: None for name in before if name not in after}
    for name, value in after.items():
        earlier = before.get(name)
        if isinstance(value, dict) and isinstance(earlier, dict):
            if inner := patch_between(earlier, value):
                patch[name] = inner
        elif name not in before or value != earlier:
            patch[name] = value
    return patch
