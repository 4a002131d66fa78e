"""XML elements as plain groups of texts, fast to query and without namespaces."""

from collections.abc import Mapping, Sequence
from decimal import Decimal, InvalidOperation
from typing import NamedTuple

from lxml import etree

_ZERO = Decimal(0)


class Group(NamedTuple):
    """An element with children: its texts and its groups by official name."""

    tag: str
    attributes: Mapping[str, str] = {}
    texts: Mapping[str, str] = {}
    """Every text inside, by path (`ide/cUF`); of elements that repeat, the first. Rules query it often."""
    groups: Mapping[str, Sequence["Group"]] = {}

    def text(self, path: str) -> str:
        """Returns the text at a path (`ide/cUF`); empty if there is none."""
        return self.texts.get(path, "")

    def amount(self, path: str) -> Decimal:
        """Returns the number at a path; zero if there is none."""
        text = self.texts.get(path)
        try:
            return Decimal(text) if text else _ZERO
        except InvalidOperation:
            return _ZERO

    def group(self, path: str) -> "Group | None":
        """Returns the first group at a path (`det/prod`); None if there is none."""
        if "/" not in path:
            inside = self.groups.get(path)
            return inside[0] if inside else None
        first, _, rest = path.partition("/")
        group = self.group(first)
        return group.group(rest) if group else None

    def has(self, path: str) -> bool:
        """Returns whether there is a group or a text at a path."""
        return path in self.texts or self.group(path) is not None

    def all(self, tag: str) -> Sequence["Group"]:
        """Returns every direct child group of this name, in document order."""
        return self.groups.get(tag, ())

    def only(self) -> "Group | None":
        """Returns the single group inside, whatever its name: `ICMS00` in `ICMS`, `PISAliq` in `PIS`."""
        return next((inside[0] for inside in self.groups.values()), None)


NOTHING = Group("")
"""A missing group: it has no tag, and all its texts are empty."""


def group_of(element: etree._Element) -> Group:
    """Reads an element and its content, without comments and processing instructions.

    Every document passes through here, so it avoids all unnecessary calls.
    """
    texts: dict[str, str] = {}
    groups: dict[str, list[Group]] = {}
    for child in element.iterchildren(tag=etree.Element):
        if len(child):
            group = group_of(child)
            siblings = groups.get(group.tag)
            if siblings is None:
                groups[group.tag] = [group]
                before = f"{group.tag}/"
                for path, text in group.texts.items():
                    texts[before + path] = text
            else:
                siblings.append(group)
        elif (tag := child.tag.rpartition("}")[2]) not in texts:
            texts[tag] = child.text or ""
    attributes: dict[str, str] = dict(element.items())  # type: ignore[arg-type]
    return Group(element.tag.rpartition("}")[2], attributes, texts, groups)
