"""XML read into plain groups of texts: quick to ask, and without namespaces in the way."""

from collections.abc import Mapping, Sequence
from decimal import Decimal, InvalidOperation
from typing import NamedTuple

from lxml import etree

_ZERO = Decimal(0)


class Group(NamedTuple):
    """An element that has elements: its texts and its groups by their official names."""

    tag: str
    attributes: Mapping[str, str] = {}
    texts: Mapping[str, str] = {}
    """Every text inside by its path, `ide/cUF`; of what repeats, the first. Rules ask hundreds of times."""
    groups: Mapping[str, Sequence["Group"]] = {}

    def text(self, path: str) -> str:
        """The text at `ide/cUF`; empty if it is not there."""
        return self.texts.get(path, "")

    def amount(self, path: str) -> Decimal:
        """The number at a path; zero if it is not there."""
        text = self.texts.get(path)
        try:
            return Decimal(text) if text else _ZERO
        except InvalidOperation:
            return _ZERO

    def group(self, path: str) -> "Group | None":
        """The first group at `det/prod`; None if it is not there."""
        if "/" not in path:
            inside = self.groups.get(path)
            return inside[0] if inside else None
        first, _, rest = path.partition("/")
        found = self.group(first)
        return found.group(rest) if found else None

    def has(self, path: str) -> bool:
        """Tell whether a group or a text is there."""
        return path in self.texts or self.group(path) is not None

    def all(self, tag: str) -> Sequence["Group"]:
        """Every group of this name directly inside, in their order."""
        return self.groups.get(tag, ())

    def only(self) -> "Group | None":
        """The one group inside, whatever its name: `ICMS00` in `ICMS`, `PISAliq` in `PIS`."""
        return next((inside[0] for inside in self.groups.values()), None)


NOTHING = Group("")
"""Stands for a group that is not there: it has no tag, and every text of it is empty."""


def group_of(element: etree._Element) -> Group:
    """Read an element and all that is inside it; of comments and instructions nothing is kept.

    Every document comes through here, so it makes no other calls than it must.
    """
    texts: dict[str, str] = {}
    groups: dict[str, list[Group]] = {}
    for child in element.iterchildren(tag=etree.Element):
        if len(child):
            found = group_of(child)
            alike = groups.get(found.tag)
            if alike is None:
                groups[found.tag] = [found]
                before = f"{found.tag}/"
                for path, text in found.texts.items():
                    texts[before + path] = text
            else:
                alike.append(found)
        elif (tag := child.tag.rpartition("}")[2]) not in texts:
            texts[tag] = child.text or ""
    attributes: dict[str, str] = dict(element.items())  # type: ignore[arg-type]
    return Group(element.tag.rpartition("}")[2], attributes, texts, groups)
