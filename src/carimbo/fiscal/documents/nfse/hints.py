"""What to change when Sefin refuses: the field of our body, and one sentence in Portuguese."""

import re
from collections.abc import Mapping

from carimbo.fiscal.hint import Hint
from carimbo.fiscal.hint_table import hints_in

# A refusal for several reasons tells them as `E0240: …; E0310: …`.
_REASON_TOLD = re.compile(r"(?:^|; )([A-Z]{1,4}[0-9]{3,5}): ")


def hints() -> Mapping[str, Hint]:
    """All hints by code of the national NFS-e."""
    return hints_in("carimbo.fiscal.documents.nfse")


def hint_of(code: str) -> str | None:
    """Returns the sentence for a code, if there is one."""
    hint = hints().get(code)
    return hint.sentence if hint else None


def hint_for_rejection(code: str, message: str) -> Hint | None:
    """The hint for a refusal: that of its code, else of the first of the reasons told that has one."""
    reasons = (code, *_REASON_TOLD.findall(message))
    return next((hints()[reason] for reason in reasons if reason in hints()), None)
