"""Layouts as outlines that can be compared: of the official XSD, and of our declared groups."""

import dataclasses
import re
from base64 import b64encode
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from importlib import import_module
from pathlib import Path

from lxml import etree

from carimbo.fiscal.layouts.json_form import groups_in
from carimbo.fiscal.layouts.layout import Element, layout_of

# The only way to learn how long a match of a pattern can be.
_parser = import_module("re._parser")

XS = "{http://www.w3.org/2001/XMLSchema}"
A_DAY, A_MOMENT = "2026-02-15", "2026-02-15T10:00:00-03:00"
A_DAY_OF_XSD = "date"
MAX_DIGITS = 15
BASE = "base"
"""Name under which a restriction keeps the type that it restricts, among its facets."""
# A pattern that repeats without end says nothing about length.
ENDLESS = 10_000


@dataclass(frozen=True)
class Node:
    """An element or attribute with everything below it."""

    tag: str
    required: bool
    max_count: int
    """How often it may occur."""
    kinds: frozenset[str]
    """How it may be declared: group, attribute, text, integer, decimal, day, moment."""
    max_length: int | None = None
    places: int | None = None
    inside: tuple["Node", ...] = ()

    @cached_property
    def by_tag(self) -> dict[str, "Node"]:
        return {node.tag: node for node in self.inside}


@dataclass(frozen=True)
class SimpleType:
    """The restrictions of a text, nearest first: each is a list of facets (name, value)."""

    steps: tuple[tuple[tuple[str, str], ...], ...]

    def values(self, facet: str) -> list[list[str]]:
        matching = ([value for name, value in step if name == facet] for step in self.steps)
        return [values for values in matching if values]

    def accepts(self, text: str) -> bool:
        """Returns whether every restriction holds, by any of its patterns. Lengths are ignored."""
        by_pattern = all(
            any(re.fullmatch(p, text) for p in alternatives) for alternatives in self.values("pattern")
        )
        return by_pattern and all(text in alternatives for alternatives in self.values("enumeration"))

    @cached_property
    def max_length(self) -> int | None:
        if limits := self.values("maxLength") or self.values("length"):
            counted = int(limits[0][0])
            # XSD counts the bytes of a base64 text, not its letters.
            return len(b64encode(bytes(counted))) if ["base64Binary"] in self.values(BASE) else counted
        if listed := self.values("enumeration"):
            return max(map(len, listed[0]))
        widths = [
            max(_parser.parse(p).getwidth()[1] for p in patterns) for patterns in self.values("pattern")
        ]
        return min((width for width in widths if width < ENDLESS), default=None)

    @cached_property
    def places(self) -> int:
        """The most decimals of a number; 0 for a text or a whole number."""
        tried = [f"{whole}.{'1' * digits}" for whole in (0, 1) for digits in range(1, MAX_DIGITS)]
        listed = [value for values in self.values("enumeration") for value in values]
        fitting = [text for text in listed or tried if self.accepts(text)]
        return 0 if self._is_free else max((len(text.partition(".")[2]) for text in fitting), default=0)

    @cached_property
    def kinds(self) -> frozenset[str]:
        if self._is_free:
            return frozenset({"text"})
        if self.accepts(A_DAY) or self.accepts(A_MOMENT):
            return frozenset({"day" if self.accepts(A_DAY) else "moment"})
        if self.places:
            # For a list (`1.00`) the XSD does not say whether it means numbers or names.
            return frozenset({"decimal", "text"} if self.values("enumeration") else {"decimal"})
        return frozenset({"text", "integer"} if self._takes_a_run_of("1") else {"text"})

    @cached_property
    def _is_free(self) -> bool:
        return self._takes_a_run_of("x")

    def _takes_a_run_of(self, character: str) -> bool:
        return any(self.accepts(character * times) for times in range(1, MAX_DIGITS))


class Schema:
    """The named types and elements of an XSD file and of the files that it includes."""

    def __init__(self, file: Path) -> None:
        self._named: dict[str, etree._Element] = {}
        self._read(file)

    def _read(self, file: Path) -> None:
        for child in etree.parse(file).getroot().iterchildren(f"{XS}*"):
            if child.tag == f"{XS}include":
                self._read(file.parent / _attribute(child, "schemaLocation"))
            elif name := child.get("name"):
                self._named[name] = child

    def at(self, path: str) -> Node:
        """Returns the outline of an element by its path from a global one: `NFe/infNFe`."""
        first, *steps = path.split("/")
        node = self._element(self._named[first], required=True, max_count=1)
        for step in steps:
            node = node.by_tag[step]
        return node

    def _element(self, element: etree._Element, required: bool, max_count: int) -> Node:
        if reference := element.get("ref"):
            return Node(_local(reference), required, max_count, frozenset({"group"}))
        tag, kind = _attribute(element, "name"), self._type_of(element)
        if kind is not None and kind.tag == f"{XS}complexType":
            inside = _merged(self._parts(kind, required=True, max_count=1))
            return Node(tag, required, max_count, frozenset({"group"}), inside=inside)
        if _local(element.get("type", "")) == A_DAY_OF_XSD:
            return Node(tag, required, max_count, frozenset({"day"}))
        simple = SimpleType(tuple(self._restrictions(kind)))
        return Node(tag, required, max_count, simple.kinds, simple.max_length, simple.places)

    def _type_of(self, element: etree._Element) -> etree._Element | None:
        """Returns the type of an element; None for a type of XSD itself."""
        if name := element.get("type"):
            return self._named.get(_local(name))
        inline = element.find(f"{XS}complexType")
        return inline if inline is not None else element.find(f"{XS}simpleType")

    def _parts(self, holder: etree._Element, required: bool, max_count: int) -> Iterator[Node]:
        """Yields the parts of sequences and choices; no part of a choice is required."""
        for part in holder.iterchildren(f"{XS}*"):
            always = required and part.get("minOccurs") != "0"
            often = max_count * _count(part.get("maxOccurs", "1"))
            match etree.QName(part).localname:
                case "element":
                    yield self._element(part, always, often)
                case "sequence":
                    yield from self._parts(part, always, often)
                case "choice":
                    yield from self._parts(part, False, often)
                case "attribute":
                    is_required = part.get("use") == "required"
                    yield Node(_attribute(part, "name"), is_required, 1, frozenset({"attribute"}))
                case "annotation" | "any" | "anyAttribute":
                    pass
                case unknown:
                    raise AssertionError(f"the outline reads no xs:{unknown}; teach it before trusting it")

    def _restrictions(self, simple: etree._Element | None) -> Iterator[tuple[tuple[str, str], ...]]:
        while simple is not None:
            restriction = simple.find(f"{XS}restriction")
            assert restriction is not None
            facets = restriction.iterchildren(f"{XS}*")
            base = _local(_attribute(restriction, "base"))
            yield (
                (BASE, base),
                *((etree.QName(facet).localname, _attribute(facet, "value")) for facet in facets),
            )
            simple = self._named.get(base)


def _count(occurrences: str) -> int:
    return ENDLESS if occurrences == "unbounded" else int(occurrences)


def _attribute(element: etree._Element, attribute: str) -> str:
    value = element.get(attribute)
    assert value is not None, etree.tostring(element)
    return value


def _local(name: str) -> str:
    return name.rpartition(":")[2]


def _merged(nodes: Iterator[Node]) -> tuple[Node, ...]:
    """Keeps only the first node of a tag that several branches of a choice have."""
    once: dict[str, Node] = {}
    for node in nodes:
        once.setdefault(node.tag, node)
    return tuple(once.values())


def declared(record: type, tag: str | None = None, required: bool = True, max_count: int = 1) -> Node:
    """Returns the outline of a group as its class declares it."""
    inside = tuple(node for field in dataclasses.fields(record) for node in _declared_field(record, field))
    return Node(tag or layout_of(record).tag, required, max_count, frozenset({"group"}), inside=inside)


def _declared_field(record: type, field: "dataclasses.Field[object]") -> Iterator[Node]:
    element = layout_of(record).elements[field.name]
    required = field.default not in (None, ())
    groups = groups_in(record)[field.name]
    if element.kind == "variant":
        chosen = tuple(declared(group, required=False) for group in groups)
        wrapped = Node(element.tag, required, 1, frozenset({"group"}), inside=chosen)
        yield from (wrapped,) if element.tag else chosen
    elif element.kind in ("child", "children"):
        # Several groups under one tag (details of events) have an XSD each and are compared as roots.
        node = declared(groups[0], element.tag, required, element.max_count)
        yield node if len(groups) == 1 else dataclasses.replace(node, inside=())
    else:
        yield _declared_leaf(element, required)


def _declared_leaf(element: Element, required: bool) -> Node:
    kind = "text" if element.kind == "texts" else element.kind
    max_length = element.limit if kind == "text" else None
    places = element.limit if kind == "decimal" else None
    return Node(element.tag, required, element.max_count, frozenset({kind}), max_length, places)


def differences(ours: Node, official: Node, where: str) -> Iterator[str]:
    """Yields a line for each difference between a declaration and the XSD."""
    yield from _misplaced(ours, official, where)
    for node in ours.inside:
        if (counterpart := official.by_tag.get(node.tag)) is not None:
            path = f"{where}/{node.tag}"
            yield from (f"{path}: {line}" for line in _unlike(node, counterpart))
            yield from differences(node, counterpart, path)


def _misplaced(ours: Node, official: Node, where: str) -> Iterator[str]:
    shared = [node.tag for node in ours.inside if node.tag in official.by_tag]
    yield from (f"{where}/{tag}: not in the XSD" for tag in ours.by_tag if tag not in official.by_tag)
    if len(shared) != len(set(shared)):
        yield f"{where}: declared twice: {sorted({tag for tag in shared if shared.count(tag) > 1})}"
    wanted = [tag for tag in official.by_tag if tag in shared]
    elements = [tag for tag in shared if "attribute" not in official.by_tag[tag].kinds]
    if elements != [tag for tag in wanted if tag in elements]:
        yield f"{where}: declared in the order {shared}, XSD {wanted}"


def _unlike(ours: Node, official: Node) -> Iterator[str]:
    for aspect in ("required", "max_count"):
        if getattr(ours, aspect) != getattr(official, aspect):
            yield f"declared {aspect}={getattr(ours, aspect)}, XSD {getattr(official, aspect)}"
    if not ours.kinds <= official.kinds:
        yield f"declared as {sorted(ours.kinds)}, XSD {sorted(official.kinds)}"
    elif ours.places is not None and ours.places != official.places:
        yield f"declared with {ours.places} decimals, XSD {official.places}"
    elif ours.max_length is not None and official.max_length not in (None, ours.max_length):
        yield f"declared with {ours.max_length} characters, XSD {official.max_length}"


def left_out(ours: Node, official: Node, where: str) -> Iterator[str]:
    """Yields the paths of elements of the XSD that we do not declare, without the elements below them."""
    for node in official.inside:
        path = f"{where}/{node.tag}"
        if node.tag in ours.by_tag:
            yield from left_out(ours.by_tag[node.tag], node, path)
        else:
            yield path
