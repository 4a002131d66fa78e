"""From a group's values and elements to the fields of the caller's JSON."""

from collections.abc import Iterator, Sequence
from functools import cache
from typing import Any, get_args, get_type_hints

from carimbo.fiscal.layouts.canonical import Unwritable
from carimbo.fiscal.layouts.group import INLINE, TOP
from carimbo.fiscal.layouts.layout import Element, json_name, layout_of
from carimbo.fiscal.layouts.records import written
from carimbo.fiscal.problems import SCHEMA_PROBLEM, Problem


def problems(record: Any, path: str = "") -> Iterator[Problem]:
    """Everything that keeps a record from being written, each with the JSON path of its field."""
    for name, element in layout_of(record).elements.items():
        value = getattr(record, name)
        if value is None:
            continue
        where = joined(path, json_name(name, element))
        if element.kind in ("child", "variant"):
            yield from problems(value, where)
        elif element.kind == "children":
            for position, one in enumerate(value):
                place = f"{where}[{position}]"
                yield from _empty(element, one, place) or problems(one, place)
        elif element.kind == "texts":
            for position, one in enumerate(value):
                yield from _unwritable(element, (one,), f"{where}[{position}]")
        else:
            yield from _unwritable(element, value, where)


def _empty(element: Element, record: Any, where: str) -> list[Problem]:
    return [] if any(_given(record)) else [_problem(element, where, "está vazio")]


def _given(record: Any) -> Iterator[bool]:
    for name, element in layout_of(record).inner.items():
        value = getattr(record, name)
        inside = element.kind in ("child", "variant") and value is not None
        yield any(_given(value)) if inside else value not in (None, ())


def _unwritable(element: Element, value: Any, where: str) -> Iterator[Problem]:
    try:
        element.write(value)
    except Unwritable as reason:
        yield _problem(element, where, str(reason))


def _problem(element: Element, where: str, reason: str) -> Problem:
    return Problem(SCHEMA_PROBLEM, where, f"O campo {reason}.", source=f"XSD, elemento {element.tag}")


def joined(path: str, name: str) -> str:
    """A JSON path one step further down, or from the top again."""
    if name.startswith(TOP):
        return name.removeprefix(TOP)
    return f"{path}.{name}" if path and name else path or name


def locate(record: type, steps: Sequence[tuple[str, int]]) -> str:
    """The JSON path of an XML element: from a group's class, by (tag, position among its equals) downwards.

    Steps that lead out of what the layout declares end the walk: the path of the last known group is told.
    """
    path = ""
    candidates: tuple[type, ...] = (record,)
    for tag, position in steps:
        found = _step(candidates, tag)
        if found is None:
            break
        name, element, candidates = found
        path = joined(path, name and f"{name}[{position}]" if element.kind in ("children", "texts") else name)
    return path


def _step(candidates: tuple[type, ...], tag: str) -> tuple[str, Element, tuple[type, ...]] | None:
    """The field written as `tag` in one of the groups: its JSON name, declaration and inner groups."""
    for candidate in candidates:
        for name, element in layout_of(candidate).elements.items():
            inner = groups_in(candidate)[name]
            if element.tag == tag:
                return json_name(name, element), element, inner
            if element.kind == "variant" and not element.tag:
                chosen = tuple(one for one in inner if layout_of(one).tag == tag)
                if chosen:
                    return json_name(name, element), element, chosen
    return _own_tag(candidates, tag)


def _own_tag(candidates: tuple[type, ...], tag: str) -> tuple[str, Element, tuple[type, ...]] | None:
    """One group of a variant inside its wrapper: no step of its own in the JSON."""
    for candidate in candidates:
        if layout_of(candidate).tag == tag:
            return INLINE, Element(tag, "variant", written, INLINE), (candidate,)
    return None


@cache
def groups_in(record: type) -> dict[str, tuple[type, ...]]:
    """The group classes that each field of a group may hold."""
    return {name: tuple(_groups(hint)) for name, hint in get_type_hints(record).items()}


def _groups(hint: Any) -> Iterator[type]:
    if hasattr(hint, "__layout__"):
        yield hint
    for inner in get_args(hint):
        yield from _groups(inner)
