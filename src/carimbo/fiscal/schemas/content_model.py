"""The content model of an XSD: which elements are allowed in an element, missing or excluded.

libxml2 only reports the first unexpected element. The schema knows which elements belong together and which
exclude each other, and messages that say so help the caller more.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import NamedTuple

from lxml import etree

from carimbo.fiscal.schemas.files import SchemaFile, schema_sources

_XS = "{http://www.w3.org/2001/XMLSchema}"
_ELEMENT, _SEQUENCE, _CHOICE = f"{_XS}element", f"{_XS}sequence", f"{_XS}choice"
_COMPLEX_TYPE, _CONTENT = f"{_XS}complexType", f"{_XS}complexContent"
_EXTENSION = f"{_XS}extension"
_PARTICLES = (_ELEMENT, _SEQUENCE, _CHOICE)


class MissingElement(NamedTuple):
    """One of these elements is required, because of those that are present."""

    tags: tuple[str, ...]
    beside: tuple[str, ...]


class RepeatedElement(NamedTuple):
    """The element is present more often than allowed."""

    tag: str


class ExcludedElement(NamedTuple):
    """The element excludes the other one."""

    tag: str
    beside: str


@dataclass(frozen=True)
class Particle:
    """A particle of the XSD: an element, a sequence or a choice."""

    declaration: etree._Element
    inside: tuple["Particle", ...]

    @property
    def tag(self) -> str:
        """The name of an element."""
        return self.declaration.get("name") or self.declaration.get("ref", "").rpartition(":")[2]

    @property
    def is_required(self) -> bool:
        """Whether it is required."""
        return self.declaration.get("minOccurs") != "0"

    @property
    def is_repeated(self) -> bool:
        """Whether it may be repeated."""
        return self.declaration.get("maxOccurs", "1") != "1"

    @property
    def may_be_empty(self) -> bool:
        """Whether an option of a choice needs no element."""
        return any(not part.elements or not part.is_required for part in self.inside)

    @property
    def first_of_each(self) -> tuple[str, ...]:
        """The first element of each option of a choice."""
        return tuple(next(iter(part.elements)) for part in self.inside)

    @cached_property
    def elements(self) -> Mapping[str, "Particle"]:
        """All elements that are allowed in it, by tag."""
        if self.declaration.tag == _ELEMENT:
            return {self.tag: self}
        return {tag: element for part in self.inside for tag, element in part.elements.items()}


ContentError = MissingElement | ExcludedElement | RepeatedElement


def content_errors(
    particle: Particle, present: Sequence[str], beside: tuple[str, ...] = ()
) -> Iterator[ContentError]:
    """Yields the errors of the elements that are present, whatever their order."""
    if particle.declaration.tag == _ELEMENT:
        if particle.is_required and particle.tag not in present:
            yield MissingElement((particle.tag,), beside)
        if present.count(particle.tag) > 1 and not particle.is_repeated:
            yield RepeatedElement(particle.tag)
        return
    own = tuple(tag for tag in present if tag in particle.elements)
    if not own and not particle.is_required:
        return
    if particle.declaration.tag == _CHOICE:
        yield from _errors_of_choice(particle, own, beside)
        return
    for part in particle.inside:
        yield from content_errors(part, own, beside if particle.is_required else own)


def _errors_of_choice(
    choice: Particle, present: tuple[str, ...], beside: tuple[str, ...]
) -> Iterable[ContentError]:
    if not present:
        return [] if choice.may_be_empty else [MissingElement(choice.first_of_each, beside)]
    if choice.is_repeated:
        return []
    fitting = [part for part in choice.inside if part.elements.keys() >= set(present)]
    if fitting:
        return min((list(content_errors(part, present, present)) for part in fitting), key=len)
    first = present[0]
    chosen = next(part for part in choice.inside if first in part.elements)
    return [ExcludedElement(tag, first) for tag in dict.fromkeys(present) if tag not in chosen.elements]


class ContentModel:
    """The elements that a schema declares, with their content."""

    def __init__(self, roots: Sequence[etree._Element]) -> None:
        self._elements = _named(roots, _ELEMENT)
        self._types = _named(roots, _COMPLEX_TYPE)

    def inside(self, tags: Sequence[str]) -> Particle | None:
        """Returns the content of the element at the end of a path of tags; the first tag is the root."""
        element = self._elements.get(tags[0])
        for tag in tags[1:]:
            content = None if element is None else self._content(element)
            child = content and content.elements.get(tag)
            element = child.declaration if child else None
        return None if element is None else self._content(element)

    def _content(self, element: etree._Element) -> Particle | None:
        referred = (element.get("ref") or "").rpartition(":")[2]
        element = self._elements.get(referred, element)
        named = (element.get("type") or "").rpartition(":")[2]
        return self._of_type(self._types.get(named, element.find(_COMPLEX_TYPE)))

    def _of_type(self, declared: etree._Element | None) -> Particle | None:
        if declared is None:
            return None
        extension = declared.find(f"{_CONTENT}/{_EXTENSION}")
        around = declared if extension is None else extension
        group = next(around.iterchildren(_SEQUENCE, _CHOICE), None)
        own = None if group is None else _particle(group)
        if extension is None:
            return own
        base = self._of_type(self._types.get(extension.get("base", "").rpartition(":")[2]))
        # The elements of an extension follow those of its base type.
        return Particle(etree.Element(_SEQUENCE), (base, own)) if base and own else base or own


def _named(roots: Sequence[etree._Element], tag: str) -> dict[str, etree._Element]:
    return {element.get("name", ""): element for root in roots for element in root.iterchildren(tag)}


def _particle(declaration: etree._Element) -> Particle:
    is_element = declaration.tag == _ELEMENT
    inner = () if is_element else map(_particle, declaration.iterchildren(*_PARTICLES))
    return Particle(declaration, tuple(inner))


@lru_cache
def content_model_of(file: SchemaFile) -> ContentModel:
    """Returns the content model of a schema; it is read for the first invalid message."""
    return ContentModel(schema_sources(file))
