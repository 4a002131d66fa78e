"""What the declaration of a group says: its elements in order, and the functions that write them."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from pydantic.alias_generators import to_camel

from carimbo.fiscal.layouts.compiling import Write, attributes_writer, content_writer, group_writer


@dataclass(frozen=True, slots=True)
class Element:
    """How one field of a group is written."""

    tag: str
    """Official name; empty for a variant that stands without a wrapper."""
    kind: str
    """attribute, text, texts, decimal, integer, moment, day, child, children or variant."""
    write: Write
    """The element with its tags; an empty text when there is nothing to say."""
    path: str | None
    """Name in the caller's JSON; None for the field's own name in camelCase."""
    limit: int | None = None
    """Longest text, or decimal places."""
    to_text: Write | None = None
    """What stands between the tags of an element without others in it."""
    most: int = 1
    """How many of it may stand there."""
    is_remembered: bool = False
    """Whether `write` answers from a cache what it wrote before."""
    may_be_zero: bool = True
    """Whether the XSD lets the number be zero; else zero is told by leaving it out."""


@dataclass(frozen=True)
class Layout:
    """What a declaration says; its functions are made when first asked for, as no document has all groups."""

    tag: str
    attributes: dict[str, Element]
    inner: dict[str, Element]
    defaults: dict[str, Any]

    @property
    def elements(self) -> dict[str, Element]:
        """Attributes and elements by the names of their fields."""
        return self.attributes | self.inner

    @cached_property
    def write(self) -> Callable[..., str]:
        """Writes the group with its tags."""
        return group_writer(self.tag, self.inner, self.attributes, self._optional)

    @cached_property
    def write_content(self) -> Write:
        """Writes what stands between the tags."""
        return content_writer(self.inner, self._optional)

    @cached_property
    def write_attributes(self) -> Write:
        """Writes the attributes of the opening tag."""
        return attributes_writer(self.attributes)

    @property
    def _optional(self) -> frozenset[str]:
        return frozenset(name for name, default in self.defaults.items() if default in (None, ()))


def layout_of(record: Any) -> Layout:
    """The compiled declaration of a group's class or instance."""
    compiled: Layout = record.__layout__
    return compiled


def json_name(name: str, element: Element) -> str:
    """What a field is called in the caller's JSON."""
    return to_camel(name) if element.path is None else element.path
