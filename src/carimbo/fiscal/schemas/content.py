"""What an XSD lets stand inside an element, and what of it is missing or too much.

libxml2 tells only the first element that it did not expect. The schema knows which elements go together
and which exclude each other, and that is what helps whoever left one out.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import NamedTuple

from lxml import etree

from carimbo.fiscal.schemas.files import SchemaFile, sources

_XS = "{http://www.w3.org/2001/XMLSchema}"
_ELEMENT, _SEQUENCE, _CHOICE = f"{_XS}element", f"{_XS}sequence", f"{_XS}choice"
_COMPLEX_TYPE, _CONTENT = f"{_XS}complexType", f"{_XS}complexContent"
_EXTENSION = f"{_XS}extension"
_PARTICLES = (_ELEMENT, _SEQUENCE, _CHOICE)


class Lack(NamedTuple):
    """One of these elements should be there, because of those that are."""

    tags: tuple[str, ...]
    beside: tuple[str, ...]


class Surplus(NamedTuple):
    """This element is there more often than it can be."""

    tag: str


class Excess(NamedTuple):
    """This element can't be there beside the other."""

    tag: str
    beside: str


@dataclass(frozen=True)
class Particle:
    """An element, or several in sequence or to choose from."""

    declaration: etree._Element
    inside: tuple["Particle", ...]

    @property
    def tag(self) -> str:
        """Name of an element."""
        return self.declaration.get("name") or self.declaration.get("ref", "").rpartition(":")[2]

    @property
    def is_required(self) -> bool:
        """Whether it must be there at least once."""
        return self.declaration.get("minOccurs") != "0"

    @property
    def is_repeated(self) -> bool:
        """Whether it may be there more than once."""
        return self.declaration.get("maxOccurs", "1") != "1"

    @property
    def may_be_empty(self) -> bool:
        """Whether an option of a choice needs no element at all."""
        return any(not part.elements or not part.is_required for part in self.inside)

    @property
    def first_of_each(self) -> tuple[str, ...]:
        """How the options of a choice begin."""
        return tuple(next(iter(part.elements)) for part in self.inside)

    @cached_property
    def elements(self) -> Mapping[str, "Particle"]:
        """All elements that may stand in it, by tag."""
        if self.declaration.tag == _ELEMENT:
            return {self.tag: self}
        return {tag: found for part in self.inside for tag, found in part.elements.items()}


Fault = Lack | Excess | Surplus


def faults(particle: Particle, present: Sequence[str], beside: tuple[str, ...] = ()) -> Iterator[Fault]:
    """What is wrong with the elements that are present, whatever their order."""
    if particle.declaration.tag == _ELEMENT:
        if particle.is_required and particle.tag not in present:
            yield Lack((particle.tag,), beside)
        if present.count(particle.tag) > 1 and not particle.is_repeated:
            yield Surplus(particle.tag)
        return
    own = tuple(tag for tag in present if tag in particle.elements)
    if not own and not particle.is_required:
        return
    if particle.declaration.tag == _CHOICE:
        yield from _faults_of_choice(particle, own, beside)
        return
    for part in particle.inside:
        yield from faults(part, own, beside if particle.is_required else own)


def _faults_of_choice(choice: Particle, present: tuple[str, ...], beside: tuple[str, ...]) -> Iterable[Fault]:
    if not present:
        return [] if choice.may_be_empty else [Lack(choice.first_of_each, beside)]
    if choice.is_repeated:
        return []
    fitting = [part for part in choice.inside if part.elements.keys() >= set(present)]
    if fitting:
        return min((list(faults(part, present, present)) for part in fitting), key=len)
    first = present[0]
    chosen = next(part for part in choice.inside if first in part.elements)
    return [Excess(tag, first) for tag in dict.fromkeys(present) if tag not in chosen.elements]


class Content:
    """The elements that a schema declares, with what may stand in each."""

    def __init__(self, roots: Sequence[etree._Element]) -> None:
        self._elements = _named(roots, _ELEMENT)
        self._types = _named(roots, _COMPLEX_TYPE)

    def inside(self, way: Sequence[str]) -> Particle | None:
        """What may stand in the element that is reached by these tags from the root, which is the first."""
        found = self._elements.get(way[0])
        for tag in way[1:]:
            content = None if found is None else self._content(found)
            step = content and content.elements.get(tag)
            found = step.declaration if step else None
        return None if found is None else self._content(found)

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
        # What extends a type stands after what the type has itself.
        return Particle(etree.Element(_SEQUENCE), (base, own)) if base and own else base or own


def _named(roots: Sequence[etree._Element], tag: str) -> dict[str, etree._Element]:
    return {one.get("name", ""): one for root in roots for one in root.iterchildren(tag)}


def _particle(declaration: etree._Element) -> Particle:
    is_element = declaration.tag == _ELEMENT
    inner = () if is_element else map(_particle, declaration.iterchildren(*_PARTICLES))
    return Particle(declaration, tuple(inner))


@lru_cache
def content_of(file: SchemaFile) -> Content:
    """What a schema in force declares; read when something is wrong for the first time."""
    return Content(sources(file))
