"""Groups of a layout as plain mappings, for whoever reads a document and not its XML."""

from collections.abc import Iterator
from functools import cache
from typing import Any, NamedTuple

from carimbo.fiscal.layouts import canonical
from carimbo.fiscal.layouts.group import TOP
from carimbo.fiscal.layouts.layout import json_name, layout_of


class _Field(NamedTuple):
    name: str
    kind: str
    told_as: str


def plain(record: Any) -> dict[str, Any]:
    """A group's values, exact, under the names of the caller's JSON; what it does not have is left out."""
    return dict(_told(record))


def _told(record: Any) -> Iterator[tuple[str, Any]]:
    for field in _fields(record.__class__):
        value = getattr(record, field.name)
        if value is None or value == ():
            continue
        if field.kind in ("child", "variant"):
            yield from _joined(field.told_as, plain(value))
        elif field.kind == "children":
            yield field.told_as, tuple(map(plain, value))
        else:
            yield field.told_as, _as_written(value) if field.kind == "text" else value


def _joined(name: str, inner: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    """A group inside another, under its name if it has one there."""
    if name and inner:
        yield name, inner
    else:
        yield from inner.items()


def _as_written(text: str) -> str:
    """The document has texts as the manuals want them."""
    return canonical.normalize(text) if text else text


@cache
def _fields(kind: Any) -> tuple[_Field, ...]:
    elements = layout_of(kind).elements
    return tuple(
        _Field(name, element.kind, json_name(name, element).removeprefix(TOP))
        for name, element in elements.items()
    )
