"""What libxml2 complains of, each with the element and the caller's field that it is about."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from lxml import etree

from carimbo.fiscal.schemas.places import located
from carimbo.fiscal.xml_reading import local_name

_ATTRIBUTE = re.compile(r"Element '[^']*'(?:, attribute '([^']*)')?: (?:The attribute '([^']*)')?")
_PREFIXED = re.compile(r"[\w.-]+:([\w.-]+)")


@dataclass(frozen=True, slots=True)
class Complaint:
    """One error of libxml2 with the element that it is about."""

    kind: str
    text: str
    element: etree._Element
    attribute: str | None
    path: str
    """The field that the element was made of, or the nearest around it."""
    has_field: bool
    """Whether the path says which element is meant."""

    @property
    def name(self) -> str:
        """The official name of the element or attribute."""
        tag = local_name(self.element)
        return f"{tag}/@{self.attribute}" if self.attribute else tag

    @property
    def of_name(self) -> str:
        """The official name, where no path of the caller's says what is meant."""
        return "" if self.has_field else f" de {self.name}"

    @property
    def value(self) -> str:
        """The text that was refused."""
        found = self.element.get(self.attribute) if self.attribute else self.element.text
        return str(found or "")


def complaints(errors: Iterable[Any], root: etree._Element, record: type | None) -> Iterable[Complaint]:
    """Find what each error of a validation is about."""
    for error in errors:
        named = _ATTRIBUTE.match(error.message)
        element, attribute = _element_at(root, error.path), named and (named[1] or named[2])
        path = located(record, element, [(attribute, 0)] if attribute else [])
        yield Complaint(
            kind=error.type_name.removeprefix("SCHEMAV_"),
            text=error.message,
            element=element,
            attribute=attribute,
            path=path,
            has_field=path != _around(record, element, attribute),
        )


def _around(record: type | None, element: etree._Element, attribute: str | None) -> str:
    parent = element if attribute else element.getparent()
    return "" if parent is None else located(record, parent, [])


def _element_at(root: etree._Element, path: str) -> etree._Element:
    """Follow libxml2's path, `/*/*[1]/*[3]`: its first step is the root; its prefixes may be unknown."""
    below = path.split("/", 2)[2:]
    if not below:
        return root
    found: Any = root.xpath(_PREFIXED.sub(r"*[local-name()='\1']", below[0]))
    element: etree._Element = found[0]
    return element
