"""Groups of a layout as typed, frozen records that write themselves as canonical XML.

A group is declared once, in the order of the official XSD, in our vocabulary and with the official tags:

    @group("dup")
    class Installment:
        number: str | None = text("nDup", 60, default=None)
        due_date: date | None = day("dVenc", default=None)
        amount: Decimal = decimal("vDup")

From the declaration come the text (`written`) and, in `paths`, what is wrong with the values and the way back
from an XML element to the JSON field that it was made of. Tests compare every declaration with the XSD.
"""

import dataclasses
from collections.abc import Callable, Sequence
from datetime import date, datetime
from decimal import Decimal
from functools import cache, cached_property, lru_cache, partial
from typing import Annotated, Any, TypeVar, cast, dataclass_transform

from pydantic import ConfigDict, Field
from pydantic.alias_generators import to_camel

from carimbo.fiscal.fields import Day, Integer, Moment, NotNegative
from carimbo.fiscal.layouts import canonical
from carimbo.fiscal.layouts.canonical import Unwritable
from carimbo.fiscal.layouts.compiling import (
    Write,
    attributes_writer,
    content_writer,
    group_writer,
    initializer,
)

T = TypeVar("T")

INLINE = ""
"""Path of a field without a name in the caller's JSON: what is in it belongs to the object around it."""

TOP = "/"
"""Begins the path of a field that stands at the top of the caller's JSON, wherever it is in the layout."""

SCHEMA_PROBLEM = "225"
"""The authorities' code for a document that their XSD refuses."""

# The same codes, rates and quantities come back in every line of every document. A bounded cache per element
# answers them in a third of the time; what is rarely the same twice, names and amounts, stays out of it.
_REMEMBERED = 512
_SHORT = 14
_RATE_PLACES = 4

# A group may stand in a request body as it is. No number of any layout has a sign.
_JSON_TYPES: dict[Any, Any] = {Decimal: NotNegative, int: Integer, date: Day, datetime: Moment}
_JSON_CONFIG = ConfigDict(extra="forbid")

_REQUIRED: Any = dataclasses.MISSING
_METADATA = "element"


@dataclasses.dataclass(frozen=True, slots=True)
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


@dataclasses.dataclass(frozen=True)
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


def text(
    tag: str, longest: int, *, path: str | None = None, default: Any = _REQUIRED, may_be_empty: bool = False
) -> Any:
    """Declare a text or code of at most so many characters; the XSD lets very few of them be empty."""
    to_text = partial(canonical.text_or_nothing if may_be_empty else canonical.text, longest=longest)
    return _leaf(tag, "text", to_text, path, default, longest)


def lines(tag: str, longest: int, *, path: str | None = None, default: Any = _REQUIRED) -> Any:
    """Declare a text that keeps its lines."""
    return _leaf(tag, "text", partial(canonical.lines, longest=longest), path, default, longest)


def texts(tag: str, longest: int, most: int, *, path: str | None = None, default: Any = _REQUIRED) -> Any:
    """Declare an element that is repeated for each text of a tuple."""
    write = _enclosing(tag, partial(canonical.text, longest=longest))
    element = Element(tag, "texts", lambda values: "".join(map(write, values)), path, longest, most=most)
    return _field(element, default)


def decimal(
    tag: str,
    places: int = 2,
    *,
    path: str | None = None,
    default: Any = _REQUIRED,
    may_be_zero: bool = True,
) -> Any:
    """Declare a number written with exactly so many decimals."""
    to_text = canonical.decimal_writer(places)
    return _leaf(tag, "decimal", to_text, path, default, places, may_be_zero=may_be_zero)


def integer(tag: str, *, path: str | None = None, default: Any = _REQUIRED) -> Any:
    """Declare a whole number."""
    return _leaf(tag, "integer", "{:d}".format, path, default)


def moment(tag: str, *, path: str | None = None, default: Any = _REQUIRED) -> Any:
    """Declare a date and time with its offset."""
    return _leaf(tag, "moment", canonical.moment, path, default)


def day(tag: str, *, path: str | None = None, default: Any = _REQUIRED) -> Any:
    """Declare a calendar date."""
    return _leaf(tag, "day", canonical.day, path, default)


def attribute(name: str, longest: int, *, path: str | None = None, default: Any = _REQUIRED) -> Any:
    """Declare an XML attribute of the group's own element."""
    write = partial(canonical.attribute, longest=longest)
    return _field(Element(name, "attribute", write, path, longest), default)


def child(tag: str, *, path: str | None = None, default: Any = _REQUIRED) -> Any:
    """Declare a group inside this one, under the tag that it has here."""
    return _field(Element(tag, "child", partial(written, tag=tag), path), default)


def children(tag: str, most: int, *, path: str | None = None, default: Any = _REQUIRED) -> Any:
    """Declare a tuple of groups, each written under this tag."""
    return _field(Element(tag, "children", partial(_all_written, tag), path, most=most), default)


def variant(tag: str = "", *, path: str | None = None, default: Any = _REQUIRED) -> Any:
    """Declare one group out of several, written under its own tag, inside `tag` if there is one."""
    write = _enclosing(tag, written) if tag else written
    return _field(Element(tag, "variant", write, path), default)


def _leaf(
    tag: str,
    kind: str,
    to_text: Write,
    path: str | None,
    default: Any,
    limit: int | None = None,
    *,
    may_be_zero: bool = True,
) -> Any:
    write = _enclosing(tag, to_text)
    remembered = (kind, limit) == ("decimal", _RATE_PLACES) or (kind == "text" and (limit or 0) <= _SHORT)
    if remembered:
        write = lru_cache(_REMEMBERED)(write)
    element = Element(
        tag, kind, write, path, limit, to_text, is_remembered=remembered, may_be_zero=may_be_zero
    )
    return _field(element, default)


def _enclosing(tag: str, to_text: Write) -> Write:
    opening, closing = f"<{tag}>", f"</{tag}>"
    return lambda value: f"{opening}{to_text(value)}{closing}"


def _all_written(tag: str, records: Sequence[Any]) -> str:
    texts_of = [record.__written__(tag) for record in records]
    if not all(texts_of):
        raise Unwritable("está vazio")
    return "".join(texts_of)


def _field(element: Element, default: Any) -> Any:
    return dataclasses.field(default=default, metadata={_METADATA: element})


@dataclass_transform(
    kw_only_default=True,
    frozen_default=True,
    field_specifiers=(text, lines, texts, decimal, integer, moment, day, attribute, child, children, variant),
)
def group(tag: str) -> Callable[[type[T]], type[T]]:
    """Declare a group of a layout, with the tag that it has unless its place names another."""

    def declare(cls: type[T]) -> type[T]:
        cls.__annotations__ = {name: _of_json(cls, name, hint) for name, hint in cls.__annotations__.items()}
        cls.__pydantic_config__ = _JSON_CONFIG  # type: ignore[attr-defined]
        record = dataclasses.dataclass(frozen=True, kw_only=True, init=False)(cls)
        record.__init__ = initializer(dataclasses.fields(cast(Any, record)))  # type: ignore[method-assign]
        record.__layout__ = _layout(tag, record)  # type: ignore[attr-defined]
        record.__written__ = _first_written  # type: ignore[attr-defined]
        return record

    return declare


def _of_json(cls: type, name: str, hint: Any) -> Any:
    """The same type for a body that holds the group: exact JSON types, name as in paths, the official tag."""
    element: Element = cls.__dict__[name].metadata[_METADATA]
    for python_type, json_type in _JSON_TYPES.items():
        if hint == python_type:
            hint = json_type
        elif hint == python_type | None:
            hint = json_type | None
    most = element.most if element.most > 1 else None
    alias = json_name(name, element) or to_camel(name)
    description = f"Campo `{element.tag}` do leiaute." if element.tag else None
    return Annotated[hint, Field(alias=alias, max_length=most, description=description)]


def _layout(tag: str, record: type) -> Layout:
    fields = dataclasses.fields(record)
    declared = {field.name: field.metadata[_METADATA] for field in fields}
    return Layout(
        tag=tag,
        attributes={name: element for name, element in declared.items() if element.kind == "attribute"},
        inner={name: element for name, element in declared.items() if element.kind != "attribute"},
        defaults={field.name: field.default for field in fields},
    )


def _first_written(record: Any, *tag: str) -> str:
    """Stand in for a group's own function until it is needed."""
    write = layout_of(record).write
    type(record).__written__ = write
    return write(record, *tag)


def layout_of(record: Any) -> Layout:
    """The compiled declaration of a group's class or instance."""
    compiled: Layout = record.__layout__
    return compiled


def made(group: type[T], values: dict[str, Any]) -> T:
    """A group of values that are known to fit it; what they leave out is found in the class, which has it."""
    record = object.__new__(group)
    object.__setattr__(record, "__dict__", values)
    return record


def with_kept_text(record: T) -> T:
    """The same group, written once and for all under its own tag: for one that is in many documents.

    A group's own function is found in its class; one that is found in the record comes before it.
    """
    layout = layout_of(record)
    text_of = layout.write(record)
    vars(record)["__written__"] = lambda tag=layout.tag: (
        text_of if tag == layout.tag else layout.write(record, tag)
    )
    return record


@cache
def fields_among(kind: Any, names: tuple[str, ...]) -> tuple[str, ...]:
    """Those of the names that a kind of group has: groups of one tax share names, and few have all."""
    declared = kind.__layout__.defaults if hasattr(kind, "__layout__") else {}
    return tuple(name for name in names if name in declared)


def content(record: Any) -> str:
    """What stands between the tags of a group."""
    return layout_of(record).write_content(record)


def written(record: Any, tag: str | None = None) -> str:
    """A group with its tags; nothing at all when nothing is in it, as no element may be empty."""
    text_of: str = record.__written__(tag) if tag else record.__written__()
    return text_of


def attributes(record: Any) -> str:
    """The XML attributes of a group, as they stand in its opening tag."""
    return layout_of(record).write_attributes(record)


def json_name(name: str, element: Element) -> str:
    """What a field is called in the caller's JSON."""
    return to_camel(name) if element.path is None else element.path
