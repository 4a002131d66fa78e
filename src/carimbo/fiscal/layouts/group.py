"""Declaration of layout groups: typed, frozen records that write themselves as canonical XML.

A group is declared once, in the order of the official XSD, with our names and the official tags:

    @group("dup")
    class Installment:
        number: str | None = text("nDup", 60, default=None)
        due_date: date | None = day("dVenc", default=None)
        amount: Decimal = decimal("vDup")

From the declaration follow the XML (in `layout`), and the problems of values and the JSON field of an XML
element (in `json_form`). Tests compare every declaration with the XSD.
"""

import dataclasses
from collections.abc import Callable, Sequence
from datetime import date, datetime
from decimal import Decimal
from functools import cache, partial
from typing import Annotated, Any, TypeVar, cast, dataclass_transform, get_type_hints

from pydantic import ConfigDict, Field, model_validator
from pydantic.alias_generators import to_camel

from carimbo.fiscal.body.date_fields import Day, Moment
from carimbo.fiscal.body.fields import DigitsAsText, Integer, NotNegative
from carimbo.fiscal.body.published import Published
from carimbo.fiscal.body.reading import Reading, without_blanks
from carimbo.fiscal.layouts import canonical
from carimbo.fiscal.layouts.canonical import Unwritable
from carimbo.fiscal.layouts.layout import Element, Layout, Write, initializer, json_name, layout_of, to_xml

T = TypeVar("T")

INLINE = ""
"""The path of a field without a name in the caller's JSON: its fields belong to the surrounding object."""

TOP = "/"
"""The beginning of the path of a field at the top of the caller's JSON, wherever it is in the layout."""

ANY_NUMBER = 10_000
"""The maximum count of an element that the XSD does not limit."""

# Request bodies may contain groups directly. No number has a sign, except the coordinates of a delivery,
# whose group no body contains.
_JSON_TYPES: dict[Any, Any] = {
    Decimal: NotNegative,
    int: Integer,
    date: Day,
    datetime: Moment,
    str: DigitsAsText,
}
_JSON_CONFIG = ConfigDict(extra="forbid")

_REQUIRED: Any = dataclasses.MISSING
_METADATA = "element"


def text(
    tag: str,
    max_length: int,
    *,
    path: str | None = None,
    default: Any = _REQUIRED,
    may_be_empty: bool = False,
) -> Any:
    """Declares a text or code with a maximum length; the XSD allows very few of them to be empty."""
    to_text = canonical.text_writer(max_length)
    if may_be_empty:
        to_text = partial(canonical.text_or_nothing, max_length=max_length)
    return _leaf(tag, "text", to_text, path, default, max_length)


def lines(tag: str, max_length: int, *, path: str | None = None, default: Any = _REQUIRED) -> Any:
    """Declares a text that keeps its lines."""
    return _leaf(tag, "text", partial(canonical.lines, max_length=max_length), path, default, max_length)


def texts(
    tag: str, max_length: int, max_count: int, *, path: str | None = None, default: Any = _REQUIRED
) -> Any:
    """Declares an element that is repeated for each text of a tuple."""
    write = _enclosing(tag, canonical.text_writer(max_length))
    element = Element(
        tag, "texts", lambda values: "".join(map(write, values)), path, max_length, max_count=max_count
    )
    return _field(element, default)


def decimal(
    tag: str,
    places: int = 2,
    *,
    path: str | None = None,
    default: Any = _REQUIRED,
    may_be_zero: bool = True,
) -> Any:
    """Declares a number with a fixed number of decimals."""
    to_text = canonical.decimal_writer(places)
    return _leaf(tag, "decimal", to_text, path, default, places, may_be_zero=may_be_zero)


def integer(tag: str, *, path: str | None = None, default: Any = _REQUIRED) -> Any:
    """Declares a whole number."""
    return _leaf(tag, "integer", "{:d}".format, path, default)


def moment(tag: str, *, path: str | None = None, default: Any = _REQUIRED) -> Any:
    """Declares a date and time with its offset."""
    return _leaf(tag, "moment", canonical.moment, path, default)


def day(tag: str, *, path: str | None = None, default: Any = _REQUIRED) -> Any:
    """Declares a calendar date."""
    return _leaf(tag, "day", canonical.day, path, default)


def attribute(name: str, max_length: int, *, path: str | None = None, default: Any = _REQUIRED) -> Any:
    """Declares an XML attribute of the group's own element."""
    write = partial(canonical.attribute, max_length=max_length)
    return _field(Element(name, "attribute", write, path, max_length), default)


def child(tag: str, *, path: str | None = None, default: Any = _REQUIRED) -> Any:
    """Declares a group inside of this one, with the tag that it has here."""
    return _field(Element(tag, "child", partial(to_xml, tag=tag), path), default)


def children(tag: str, max_count: int, *, path: str | None = None, default: Any = _REQUIRED) -> Any:
    """Declares a tuple of groups, each written with this tag."""
    return _field(Element(tag, "children", partial(_write_all, tag), path, max_count=max_count), default)


def variant(tag: str = "", *, path: str | None = None, default: Any = _REQUIRED) -> Any:
    """Declares one of several groups, written with its own tag, inside of `tag` if there is one."""
    write = _enclosing(tag, to_xml) if tag else to_xml
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
    return _field(Element(tag, kind, write, path, limit, to_text, may_be_zero=may_be_zero), default)


def _enclosing(tag: str, to_text: Write) -> Write:
    opening, closing = f"<{tag}>", f"</{tag}>"
    return lambda value: f"{opening}{to_text(value)}{closing}"


def _write_all(tag: str, records: Sequence[Any]) -> str:
    written = [record.__xml__(tag) for record in records]
    if not all(written):
        raise Unwritable("está vazio")
    return "".join(written)


def _field(element: Element, default: Any) -> Any:
    return dataclasses.field(default=default, metadata={_METADATA: element})


@dataclass_transform(
    kw_only_default=True,
    frozen_default=True,
    field_specifiers=(text, lines, texts, decimal, integer, moment, day, attribute, child, children, variant),
)
def group(tag: str, *, may_be_empty: bool = False) -> Callable[[type[T]], type[T]]:
    """Declares a group of a layout, with its tag unless a parent group gives it another one.

    A group without values is left out, unless the XSD requires its empty element.
    """

    def declare(cls: type[T]) -> type[T]:
        cls.__annotations__ = {name: _of_json(cls, name, hint) for name, hint in cls.__annotations__.items()}
        cls.__pydantic_config__ = _JSON_CONFIG  # type: ignore[attr-defined]
        cls.normalize = _NORMALIZE  # type: ignore[attr-defined]
        record = dataclasses.dataclass(frozen=True, kw_only=True, init=False)(cls)
        record.__init__ = initializer(dataclasses.fields(cast(Any, record)))  # type: ignore[method-assign]
        record.__layout__ = _layout(tag, record, may_be_empty=may_be_empty)  # type: ignore[attr-defined]
        record.__xml__ = _write_first_time  # type: ignore[attr-defined]
        return record

    return declare


def _normalize(group_type: Any, given: Any) -> Any:
    """Returns the input of a group without blank fields, as in every body."""
    return without_blanks(given, _reading_of(group_type))


@cache
def _reading_of(group_type: Any) -> Reading:
    hints = get_type_hints(group_type, include_extras=True)
    return Reading(frozenset(hint.__metadata__[-1].alias for hint in hints.values()))


_as_classmethod: Any = classmethod(_normalize)
_NORMALIZE: Any = model_validator(mode="before")(_as_classmethod)


def _of_json(cls: type, name: str, hint: Any) -> Any:
    """Returns the type for request bodies: exact JSON type, alias, and the official tag as description."""
    element: Element = cls.__dict__[name].metadata[_METADATA]
    max_length = element.limit if element.kind == "text" else None
    for python_type, plain_type in _JSON_TYPES.items():
        json_type = Annotated[plain_type, Published(maxLength=max_length)] if max_length else plain_type
        if hint == python_type:
            hint = json_type
        elif hint == python_type | None:
            hint = json_type | None
    max_count = element.max_count if element.max_count > 1 else None
    alias = json_name(name, element) or to_camel(name)
    description = f"Campo `{element.tag}` do leiaute." if element.tag else None
    return Annotated[hint, Field(alias=alias, max_length=max_count, description=description)]


def _layout(tag: str, record: type, *, may_be_empty: bool) -> Layout:
    fields = dataclasses.fields(record)
    declared = {field.name: field.metadata[_METADATA] for field in fields}
    return Layout(
        tag=tag,
        attributes={name: element for name, element in declared.items() if element.kind == "attribute"},
        inner={name: element for name, element in declared.items() if element.kind != "attribute"},
        defaults={field.name: field.default for field in fields},
        may_be_empty=may_be_empty,
    )


def _write_first_time(record: Any, *tag: str) -> str:
    """A placeholder for the group's own writer, which is compiled at first use."""
    write = layout_of(record).write
    type(record).__xml__ = write
    return write(record, *tag)
