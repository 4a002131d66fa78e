"""What to change when an authority's code is met: the field of our body, and one sentence in Portuguese."""

import re
from collections.abc import Mapping

from carimbo.fiscal.hint import Hint
from carimbo.fiscal.hint_table import hints_in

_ITEM_TOLD = re.compile(r"\[\s*nItem\s*:\s*(\d{1,3})\s*\]", re.IGNORECASE)
_ANY_ITEM = "items[]"


def hints() -> Mapping[str, Hint]:
    """All hints by code (cStat) of NF-e and NFC-e."""
    return hints_in("carimbo.fiscal.goods")


def hint_of(code: str) -> str | None:
    """The sentence for a code, if there is one."""
    hint = hints().get(code)
    return hint.sentence if hint else None


def hint_for_rejection(code: str, message: str) -> Hint | None:
    """The hint for an authority's refusal; its words name the item, as `[nItem: 3]`."""
    hint, told = hints().get(code), _ITEM_TOLD.search(message)
    if hint is None or told is None:
        return hint
    return Hint(hint.field.replace(_ANY_ITEM, f"items[{int(told[1]) - 1}]"), hint.sentence)
