"""Changes of whole groups, written as XML."""

from lxml import etree

from unit.simulator.mutating import Edit, at


def grown(path: str, *groups: str) -> Edit:
    """Put new groups right after the element at a path."""

    def edit(root: etree._Element) -> None:
        for new in reversed(_parsed(root, groups)):
            at(root, path).addnext(new)

    return edit


def filled(path: str, *groups: str) -> Edit:
    """Put new groups at the end of the element at a path."""

    def edit(root: etree._Element) -> None:
        at(root, path).extend(_parsed(root, groups))

    return edit


def opened(path: str, *groups: str) -> Edit:
    """Put new groups at the beginning of the element at a path."""

    def edit(root: etree._Element) -> None:
        for position, new in enumerate(_parsed(root, groups)):
            at(root, path).insert(position, new)

    return edit


def becomes(path: str, *groups: str) -> Edit:
    """Put others in the place of the element at a path."""

    def edit(root: etree._Element) -> None:
        old = at(root, path)
        for new in reversed(_parsed(root, groups)):
            old.addnext(new)
        parent = old.getparent()
        assert parent is not None
        parent.remove(old)

    return edit


def _parsed(root: etree._Element, groups: tuple[str, ...]) -> list[etree._Element]:
    namespace = etree.QName(root).namespace
    return list(etree.fromstring(f'<x xmlns="{namespace}">{"".join(groups)}</x>'))
