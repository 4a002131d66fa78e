"""Hints for refusals of Sefin: the field of the body to change, and a sentence in Portuguese."""

import re
from collections.abc import Mapping

from carimbo.fiscal.rules import Hint, hints_in

# A refusal with several reasons lists them as `E0240: …; E0310: …`.
_LISTED_REASON = re.compile(r"(?:^|; )([A-Z]{1,4}[0-9]{3,5}): ")


def hints() -> Mapping[str, Hint]:
    """Returns all hints by code of the national NFS-e."""
    return hints_in("carimbo.fiscal.documents.nfse")


def hint_of(code: str) -> str | None:
    """Returns the sentence for a code, if there is one."""
    hint = hints().get(code)
    return hint.sentence if hint else None


def hint_for_rejection(code: str, message: str) -> Hint | None:
    """Returns the hint of a refusal's code, else of the first listed reason with a hint."""
    reasons = (code, *_LISTED_REASON.findall(message))
    return next((hints()[reason] for reason in reasons if reason in hints()), None)
