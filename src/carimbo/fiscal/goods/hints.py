"""Hints for the rejection codes of NF-e and NFC-e: the field to change, and one sentence in Portuguese."""

import re
from collections.abc import Mapping

from carimbo.fiscal.rules import Hint, hints_in

_ITEM_NUMBER = re.compile(r"\[\s*nItem\s*:\s*(\d{1,3})\s*\]", re.IGNORECASE)
_ANY_ITEM = "items[]"


def hints() -> Mapping[str, Hint]:
    """Returns the hints by code (cStat)."""
    return hints_in("carimbo.fiscal.goods")


def hint_of(code: str) -> str | None:
    """Returns the sentence for a code; None if there is no hint."""
    hint = hints().get(code)
    return hint.sentence if hint else None


def hint_for_rejection(code: str, message: str) -> Hint | None:
    """Returns the hint for a rejection; the item comes from the message, as in `[nItem: 3]`."""
    hint, item = hints().get(code), _ITEM_NUMBER.search(message)
    if hint is None or item is None:
        return hint
    return Hint(hint.field.replace(_ANY_ITEM, f"items[{int(item[1]) - 1}]"), hint.sentence)
