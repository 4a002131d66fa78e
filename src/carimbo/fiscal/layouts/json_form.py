"""Groups in terms of the caller's JSON: paths of fields, problems by path, and plain values."""

from collections.abc import Iterator, Sequence
from functools import cache
from typing import Any, NamedTuple, get_args, get_type_hints

from carimbo.fiscal.layouts import canonical
from carimbo.fiscal.layouts.canonical import Unwritable
from carimbo.fiscal.layouts.group import INLINE, TOP
from carimbo.fiscal.layouts.layout import Element, json_name, layout_of, to_xml
from carimbo.fiscal.problems import SCHEMA_PROBLEM, Problem


def unwritable_values(record: Any, path: str = "") -> Iterator[Problem]:
    """Yields the problems of all values that can't be written, with the JSON path of their field."""
    for name, element in layout_of(record).elements.items():
        value = getattr(record, name)
        if value is None:
            continue
        where = join_path(path, json_name(name, element))
        if element.kind in ("child", "variant"):
            yield from unwritable_values(value, where)
        elif element.kind == "children":
            for position, inner in enumerate(value):
                place = f"{where}[{position}]"
                empty = () if _has_values(inner) else (_problem(element, place, "está vazio"),)
                yield from empty or unwritable_values(inner, place)
        elif element.kind == "texts":
            for position, text in enumerate(value):
                yield from _unwritable(element, (text,), f"{where}[{position}]")
        else:
            yield from _unwritable(element, value, where)


def _has_values(record: Any) -> bool:
    for name, element in layout_of(record).inner.items():
        value = getattr(record, name)
        is_group = element.kind in ("child", "variant") and value is not None
        if _has_values(value) if is_group else value not in (None, ()):
            return True
    return False


def _unwritable(element: Element, value: Any, where: str) -> Iterator[Problem]:
    try:
        element.write(value)
    except Unwritable as reason:
        yield _problem(element, where, str(reason))


def _problem(element: Element, where: str, reason: str) -> Problem:
    return Problem(SCHEMA_PROBLEM, where, f"O campo {reason}.", source=f"XSD, elemento {element.tag}")


def join_path(path: str, name: str) -> str:
    """Returns a JSON path extended by a name; a name with `/` begins at the top again."""
    if name.startswith(TOP):
        return name.removeprefix(TOP)
    return f"{path}.{name}" if path and name else path or name


def path_of_tags(record: type, steps: Sequence[tuple[str, int]]) -> str:
    """Returns the JSON path of an XML element, by the steps from a group: tag, and position among equal tags.

    A step that the layout does not declare ends the path at the last declared group.
    """
    path = ""
    candidates: tuple[type, ...] = (record,)
    for tag, position in steps:
        field = _field_of_tag(candidates, tag)
        if field is None:
            break
        name, element, candidates = field
        if name and element.kind in ("children", "texts"):
            name = f"{name}[{position}]"
        path = join_path(path, name)
    return path


def _field_of_tag(candidates: tuple[type, ...], tag: str) -> tuple[str, Element, tuple[type, ...]] | None:
    """Returns the field written as `tag` in one of the groups: JSON name, declaration and inner groups."""
    for candidate in candidates:
        for name, element in layout_of(candidate).elements.items():
            inner = groups_in(candidate)[name]
            if element.tag == tag:
                return json_name(name, element), element, inner
            if element.kind == "variant" and not element.tag:
                chosen = tuple(option for option in inner if layout_of(option).tag == tag)
                if chosen:
                    return json_name(name, element), element, chosen
    # A group of a variant inside of its wrapper has no step of its own in the JSON.
    for candidate in candidates:
        if layout_of(candidate).tag == tag:
            return INLINE, Element(tag, "variant", to_xml, INLINE), (candidate,)
    return None


@cache
def groups_in(record: type) -> dict[str, tuple[type, ...]]:
    """Returns the group classes that each field of a group may have."""
    return {name: tuple(_groups(hint)) for name, hint in get_type_hints(record).items()}


def _groups(hint: Any) -> Iterator[type]:
    if hasattr(hint, "__layout__"):
        yield hint
    for inner in get_args(hint):
        yield from _groups(inner)


class _Field(NamedTuple):
    name: str
    kind: str
    json_name: str


def to_plain(record: Any) -> dict[str, Any]:
    """Returns the exact values of a group by the names of the caller's JSON; absent values are left out."""
    return dict(_plain_values(record))


def _plain_values(record: Any) -> Iterator[tuple[str, Any]]:
    for field in _fields(record.__class__):
        value = getattr(record, field.name)
        if value is None or value == ():
            continue
        if field.kind in ("child", "variant"):
            inner = to_plain(value)
            if field.json_name and inner:
                yield field.json_name, inner
            else:
                yield from inner.items()
        elif field.kind == "children":
            yield field.json_name, tuple(map(to_plain, value))
        elif field.kind == "text" and value:
            # In the document, texts have the form that the manuals require.
            yield field.json_name, canonical.normalize(value)
        else:
            yield field.json_name, value


@cache
def _fields(kind: Any) -> tuple[_Field, ...]:
    elements = layout_of(kind).elements
    return tuple(
        _Field(name, element.kind, json_name(name, element).removeprefix(TOP))
        for name, element in elements.items()
    )
