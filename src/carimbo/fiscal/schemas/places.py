"""Where an element of a message stands: by its tags, and by the caller's field that it was made of."""

from lxml import etree

from carimbo.fiscal.layouts.layout import layout_of
from carimbo.fiscal.layouts.paths import locate
from carimbo.fiscal.xml_reading import local_name


def located(record: type | None, element: etree._Element, further: list[tuple[str, int]]) -> str:
    """The JSON path of an element, or of what would stand further down in it; empty outside of the record."""
    line = _line(element)
    tags = [local_name(one) for one in line]
    if record is None or layout_of(record).tag not in tags:
        return ""
    below = line[tags.index(layout_of(record).tag) + 1 :]
    return locate(record, [(local_name(one), _position(one)) for one in below] + further)


def _line(element: etree._Element) -> list[etree._Element]:
    """All elements around one, from the outermost on, and itself."""
    return [*reversed(list(element.iterancestors())), element]


def _position(element: etree._Element) -> int:
    """How many of the same name come before it in its parent."""
    return sum(1 for _ in element.itersiblings(element.tag, preceding=True))


def way_to(root: etree._Element, element: etree._Element) -> list[str]:
    """The tags from the message's root, which may stand inside of another message, to an element."""
    line = _line(element)
    return [local_name(one) for one in line[line.index(root) :]]
