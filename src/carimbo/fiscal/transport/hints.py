"""Hints for the rejection codes of CT-e and CT-e OS: the field to change, and one sentence in Portuguese."""

import re
from collections.abc import Mapping

from carimbo.fiscal.problems import Problem
from carimbo.fiscal.rules import Hint, hints_in

# The authorities write `[chNFe: 3526…]`, and some of them `[chCTe: [3526…]`.
_NAMED_DOCUMENT = re.compile(r"\[\s*ch(?:BP|CT|GTV|MDF|NF)e\s*:[\s\[]*([0-9A-Z]{44})\s*\]", re.IGNORECASE)


def hints() -> Mapping[str, Hint]:
    """Returns the hints by code (cStat)."""
    return hints_in("carimbo.fiscal.transport")


def hint_of(code: str) -> str | None:
    """Returns the sentence for a code; None if there is no hint."""
    hint = hints().get(code)
    return hint.sentence if hint else None


def hinted_problem(code: str, path: str, message: str, source: str) -> Problem:
    """Returns a problem with the hint for its code."""
    return Problem(code, path, message, hint_of(code), source)


def hint_for_rejection(code: str, message: str) -> Hint | None:
    """Returns the hint for a rejection, with the key of the document that the message names in brackets."""
    hint, document = hints().get(code), _NAMED_DOCUMENT.search(message)
    if hint is None or document is None:
        return hint
    return Hint(hint.field, f"{hint.sentence.removesuffix('.')} (chave {document[1]}).")
