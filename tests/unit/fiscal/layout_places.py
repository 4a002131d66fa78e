"""Places of the groups of a layout in documents, and the groups that no document has."""

from collections.abc import Iterator

from lxml import etree

from carimbo.fiscal.layouts.json_form import groups_in
from carimbo.fiscal.layouts.layout import layout_of


def local_name(element: etree._Element) -> str:
    """Returns the tag without its namespace."""
    return etree.QName(element).localname


def places_in(element: etree._Element, above: str = "") -> Iterator[str]:
    """Yields the place of every element of a document, as the tags that lead to it."""
    place = f"{above}/{local_name(element)}" if above else local_name(element)
    yield place
    for inner in element:
        yield from places_in(inner, place)


def places_not_in(shown: set[str], group: type, place: str) -> Iterator[str]:
    """Yields the places where the layout has a group and none of the documents does."""
    for name, element in layout_of(group).elements.items():
        for inner in groups_in(group)[name]:
            own = layout_of(inner).tag if element.kind == "variant" else ""
            there = "/".join(filter(None, (place, element.tag, own)))
            if there in shown:
                yield from places_not_in(shown, inner, there)
            else:
                yield there
