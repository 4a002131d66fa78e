"""Groups of values: how they are made, and the XML that they write."""

from functools import cache
from typing import Any, TypeVar

from carimbo.fiscal.layouts.layout import layout_of

T = TypeVar("T")


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
