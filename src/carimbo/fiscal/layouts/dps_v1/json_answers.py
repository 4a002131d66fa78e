"""JSON of the national environment, found by official name; what is new or odd in it is passed over.

Its services differ in how they write names (`idDps`, `idDPS`, `Codigo`), so these are found in any case.
"""

import json
import re
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from carimbo.fiscal.outcome import Cause, NotJudged, one_line, unexpected, unreadable

# A note or an event, packed, has some 20 kB.
_LARGEST_BODY = 4_000_000
_WEB_PAGE = re.compile(rb"\s*<")
_MARKUP = re.compile(r"<[^>]*>")
_LOOKED_AT = 2_000


@dataclass(frozen=True, slots=True)
class JsonPart:
    """One object of an answer, its names in small letters."""

    members: dict[str, Any]

    @classmethod
    def of(cls, value: dict[str, Any]) -> "JsonPart":
        """An object as it was read."""
        return cls({name.lower(): inside for name, inside in value.items()})

    def text(self, name: str) -> str:
        """A text or number in one line, without what no text can keep; empty if it is missing."""
        value = self.members.get(name.lower())
        if isinstance(value, bool) or not isinstance(value, str | int | Decimal):
            return ""
        shown = "".join(letter if letter.isprintable() else " " for letter in str(value))
        return " ".join(shown.split())

    def matching(self, name: str, pattern: re.Pattern[str]) -> str | None:
        """A text if it looks as it should."""
        text = self.text(name)
        return text if pattern.fullmatch(text) else None

    def packed(self, name: str) -> str:
        """The text of a packed document as it came; empty if it is missing."""
        value = self.members.get(name.lower())
        return value if isinstance(value, str) else ""

    def parts(self, name: str) -> "list[JsonPart]":
        """The object or the objects under a name."""
        value = self.members.get(name.lower())
        found = value if isinstance(value, list) else [value]
        return [JsonPart.of(one) for one in found if isinstance(one, dict)]


def find_part(body: bytes) -> JsonPart | NotJudged:
    """Read the object of an answer, or tell what came in its place."""
    if not body.strip():
        return NotJudged(cause=Cause.EMPTY, detail="resposta vazia")
    if _WEB_PAGE.match(body):
        return NotJudged(cause=Cause.HTML, detail=words(body))
    try:
        value = json.loads(body, parse_float=Decimal) if len(body) <= _LARGEST_BODY else None
    except (ValueError, RecursionError):
        value = None
    if value is None:
        return unreadable(f"não é JSON: {words(body)}")
    return JsonPart.of(value) if isinstance(value, dict) else unexpected(f"JSON sem objeto: {words(body)}")


def words(body: bytes) -> str:
    """The beginning of what came, as a log can hold it."""
    return one_line(_MARKUP.sub(" ", body[:_LOOKED_AT].decode(errors="replace")))
