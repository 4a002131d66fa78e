"""Parts of an authority's XML answer, read by their official names; unexpected content is ignored."""

import re
from abc import ABC, abstractmethod
from dataclasses import dataclass
from datetime import datetime, timedelta, timezone
from typing import Self

from lxml import etree

_MOMENT = re.compile(r"20[0-9]{2}-[0-9]{2}-[0-9]{2}T[0-9:.]+(?:Z|[+-][0-9:]+)?")
_BRASILIA = timezone(timedelta(hours=-3))


@dataclass(frozen=True, slots=True)
class AnswerPart(ABC):
    """An element of an answer; each layout has its own namespace."""

    element: etree._Element

    @property
    @abstractmethod
    def namespace(self) -> str:
        """The namespace of the layout."""

    @abstractmethod
    def at(self, element: etree._Element) -> Self:
        """Wraps another element of the same answer."""

    def part(self, *tags: str) -> Self | None:
        """Returns the first part at the end of a path of tags."""
        element = self.element.find("/".join(map(self.qualified, tags)))
        return None if element is None else self.at(element)

    def parts(self, tag: str) -> list[Self]:
        """Returns all parts with this name, in order."""
        return [self.at(element) for element in self.element.findall(self.qualified(tag))]

    def text(self, tag: str) -> str:
        """Returns the text of a part without surrounding white space; empty if the part is missing."""
        element = self.element.find(self.qualified(tag))
        return "" if element is None else _text_of(element)

    def matching(self, tag: str, pattern: re.Pattern[str]) -> str | None:
        """Returns the text of a part if it matches the pattern."""
        text = self.text(tag)
        return text if pattern.fullmatch(text) else None

    def moment(self, tag: str) -> datetime | None:
        """Returns the date and time in a part; one without an offset, against the XSD, is in Brasília."""
        try:
            value = datetime.fromisoformat(self.matching(tag, _MOMENT) or "")
        except ValueError:
            return None
        return value if value.tzinfo else value.replace(tzinfo=_BRASILIA)

    @property
    def own_text(self) -> str:
        """The text of this part; empty if the part has elements."""
        return _text_of(self.element)

    def qualified(self, tag: str) -> str:
        """Returns a tag with its namespace."""
        return f"{{{self.namespace}}}{tag}"


def _text_of(element: etree._Element) -> str:
    # A comment splits the text, and half of a code is another code.
    return "" if len(element) else (element.text or "").strip()
