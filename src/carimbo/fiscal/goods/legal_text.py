"""Sentences that a law wants in the notes of a document (`infCpl`), beside the caller's own text."""

import re
import unicodedata
from collections.abc import Sequence
from typing import NamedTuple

from carimbo.fiscal.findings import Findings
from carimbo.fiscal.layouts.canonical import LONGEST_TEXT

_AFTER_THE_CALLERS = " | "
_ACCENTS_AND_SPACES = re.compile(r"[\u0300-\u036f\s]+")
# The one character that becomes longer when it is written.
_ELLIPSIS, _WRITTEN_ELLIPSIS = "…", "..."


class LegalText(NamedTuple):
    """One sentence, and how to see that the caller has written it already."""

    sentence: str
    known_by: str
    """A part of it; case, accents and spaces do not count."""


def with_legal_texts(notes: str | None, texts: Sequence[LegalText], findings: Findings) -> str | None:
    """Returns the caller's notes followed by the sentences that are not in them yet.

    The caller's text is never cut: a sentence that has no room left is left out with a warning.
    """
    own = notes or ""
    missing = texts if not own else _not_in(own, texts)
    room = LONGEST_TEXT - len(own.replace(_ELLIPSIS, _WRITTEN_ELLIPSIS)) - len(_AFTER_THE_CALLERS)
    added: list[str] = []
    for text in missing:
        if len(text.sentence) <= room:
            added.append(text.sentence)
            room -= len(text.sentence) + len(" ")
        else:
            findings.assumed(f"notes: Não coube em infCpl, de {LONGEST_TEXT} caracteres: {text.sentence}")
    legal = " ".join(added)
    return _AFTER_THE_CALLERS.join(filter(None, (own, legal))) or None


def _not_in(notes: str, texts: Sequence[LegalText]) -> list[LegalText]:
    plain = _plain(notes)
    return [text for text in texts if _plain(text.known_by) not in plain]


def _plain(text: str) -> str:
    return _ACCENTS_AND_SPACES.sub("", unicodedata.normalize("NFD", text.casefold()))
