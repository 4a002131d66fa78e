"""JSON whose numbers stay as they were written: a request is kept, changed and read without floats."""

import json
from decimal import Decimal
from typing import Any


def read(text: str) -> Any:
    """Read JSON with exact numbers."""
    return json.loads(text, parse_float=Decimal)


def write(value: Any) -> str:
    """Write what `read` gives."""
    if isinstance(value, dict):
        return "{" + ",".join(f"{_plain(name)}:{write(item)}" for name, item in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ",".join(map(write, value)) + "]"
    return str(value) if isinstance(value, Decimal) else _plain(value)


def _plain(value: Any) -> str:
    """Writes a name or a value that has no parts, with accented letters as they are."""
    return json.dumps(value, ensure_ascii=False)


def merge_patch(target: Any, patch: Any) -> Any:
    """Apply a JSON merge patch (RFC 7396): null removes, objects merge, anything else replaces."""
    if not isinstance(patch, dict):
        return patch
    merged = dict(target) if isinstance(target, dict) else {}
    for name, value in patch.items():
        if value is None:
            merged.pop(name, None)
        else:
            merged[name] = merge_patch(merged.get(name), value)
    return merged
