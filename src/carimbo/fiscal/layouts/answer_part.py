"""Parts of the XML that an authority answers with, by official name; what is odd in it is passed over."""

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
    """One element of an answer; each layout has its own namespace."""

    element: etree._Element

    @property
    @abstractmethod
    def namespace(self) -> str:
        """The namespace of the layout."""

    @abstractmethod
    def at(self, element: etree._Element) -> Self:
        """Wraps another element of the same answer."""

    def part(self, *tags: str) -> Self | None:
        """The first part at the end of a path of tags."""
        element = self.element.find("/".join(map(self.qualified, tags)))
        return None if element is None else self.at(element)

    def parts(self, tag: str) -> list[Self]:
        """Every part of this name, in order."""
        return [self.at(element) for element in self.element.findall(self.qualified(tag))]

    def text(self, tag: str) -> str:
        """The text of a part without the white space around it; empty if it is missing."""
        element = self.element.find(self.qualified(tag))
        return "" if element is None else _text_of(element)

    def matching(self, tag: str, pattern: re.Pattern[str]) -> str | None:
        """The text of a part if it looks as it should."""
        text = self.text(tag)
        return text if pattern.fullmatch(text) else None

    def moment(self, tag: str) -> datetime | None:
        """The date and time in a part; without an offset, against the XSD, it is taken as Brasília's."""
        try:
            value = datetime.fromisoformat(self.matching(tag, _MOMENT) or "")
        except ValueError:
            return None
        return value if value.tzinfo else value.replace(tzinfo=_BRASILIA)

    @property
    def own_text(self) -> str:
        """The text of this part; none if it holds anything else."""
        return _text_of(self.element)

    def qualified(self, tag: str) -> str:
        """A tag with its namespace."""
        return f"{{{self.namespace}}}{tag}"


def _text_of(element: etree._Element) -> str:
    # A comment would split the text, and half a code is another code.
    return "" if len(element) else (element.text or "").strip()
