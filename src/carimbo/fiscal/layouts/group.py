"""Groups of a layout as typed, frozen records that write themselves as canonical XML.

A group is declared once, in the order of the official XSD, in our vocabulary and with the official tags:

    @group("dup")
    class Installment:
        number: str | None = text("nDup", 60, default=None)
        due_date: date | None = day("dVenc", default=None)
        amount: Decimal = decimal("vDup")

From the declaration come the text (in `records`), and what is wrong with the values and the way back from an
XML element to the JSON field that it was made of (in `paths`). Tests compare every declaration with the XSD.
"""

import dataclasses
from collections.abc import Callable, Sequence
from datetime import date, datetime
from decimal import Decimal
from functools import cache, lru_cache, partial
from typing import Annotated, Any, TypeVar, cast, dataclass_transform, get_type_hints

from pydantic import ConfigDict, Field, model_validator
from pydantic.alias_generators import to_camel

from carimbo.fiscal.body_reading import Reading, without_blanks
from carimbo.fiscal.date_fields import Day, Moment
from carimbo.fiscal.fields import DigitsAsText, Integer, NotNegative
from carimbo.fiscal.layouts import canonical
from carimbo.fiscal.layouts.canonical import Unwritable
from carimbo.fiscal.layouts.compiling import Write, initializer
from carimbo.fiscal.layouts.layout import Element, Layout, json_name, layout_of
from carimbo.fiscal.layouts.records import written
from carimbo.fiscal.published import Published

T = TypeVar("T")

INLINE = ""
"""Path of a field without a name in the caller's JSON: what is in it belongs to the object around it."""

TOP = "/"
"""Begins the path of a field that stands at the top of the caller's JSON, wherever it is in the layout."""

# The same codes, rates and quantities come back in every line of every document. A bounded cache per element
# answers them in a third of the time; what is rarely the same twice, names and amounts, stays out of it.
_REMEMBERED = 512
_SHORT = 14
_RATE_PLACES = 4

# A group may stand in a request body as it is. No number of any layout has a sign.
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
        cls.normalize = _NORMALIZED  # type: ignore[attr-defined]
        record = dataclasses.dataclass(frozen=True, kw_only=True, init=False)(cls)
        record.__init__ = initializer(dataclasses.fields(cast(Any, record)))  # type: ignore[method-assign]
        record.__layout__ = _layout(tag, record)  # type: ignore[attr-defined]
        record.__written__ = _first_written  # type: ignore[attr-defined]
        return record

    return declare


def _normalize(group_type: Any, given: Any) -> Any:
    """Returns the input of a group without blank fields, as every body is read."""
    return without_blanks(given, _reading_of(group_type))


@cache
def _reading_of(group_type: Any) -> Reading:
    hints = get_type_hints(group_type, include_extras=True)
    return Reading(frozenset(hint.__metadata__[-1].alias for hint in hints.values()))


_as_classmethod: Any = classmethod(_normalize)
_NORMALIZED: Any = model_validator(mode="before")(_as_classmethod)


def _of_json(cls: type, name: str, hint: Any) -> Any:
    """The same type for a body that holds the group: exact JSON types, name as in paths, the official tag."""
    element: Element = cls.__dict__[name].metadata[_METADATA]
    longest = element.limit if element.kind == "text" else None
    for python_type, plain_type in _JSON_TYPES.items():
        json_type = Annotated[plain_type, Published(maxLength=longest)] if longest else plain_type
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
