"""Records of a layout with every field or only the required ones, built from its declarations."""

from collections.abc import Callable, Mapping
from dataclasses import MISSING, dataclass, field, fields
from datetime import date, datetime, timedelta, timezone
from decimal import Decimal
from typing import Any

from carimbo.fiscal.layouts.json_form import groups_in
from carimbo.fiscal.layouts.layout import Element, layout_of

VALUES: Mapping[str, Any] = {
    "decimal": Decimal("1.5"),
    "integer": 1,
    "day": date(2026, 11, 14),
    "moment": datetime(2026, 11, 14, 10, tzinfo=timezone(timedelta(hours=-3))),
}


@dataclass(frozen=True)
class Specimens:
    """Makes records of one layout."""

    codes: Mapping[str, str]
    """A valid value of every coded element; the group before the tag where a tag has several meanings."""
    alternatives: Mapping[type, set[str]]
    """Fields that replace others."""
    chosen: Mapping[tuple[type, str], Callable[[], Any]] = field(default_factory=dict)
    """Values of the fields that may hold several types of record."""

    def full(self, record: type) -> Any:
        """Returns a record with a value in every field except the alternatives."""
        left_out = self.alternatives.get(record, set())
        names = [name for name in layout_of(record).elements if name not in left_out]
        return record(**{name: self.value_of(record, name) for name in names})

    def required(self, record: type, **values: Any) -> Any:
        """Returns a record with a value in its required fields and in the given ones."""
        missing = [
            item.name for item in fields(record) if item.default is MISSING and item.name not in values
        ]
        return record(**{name: self.value_of(record, name) for name in missing}, **values)

    def value_of(self, record: type, name: str) -> Any:
        """Returns a valid value of a field."""
        if (record, name) in self.chosen:
            return self.chosen[record, name]()
        element = layout_of(record).elements[name]
        if element.kind in ("child", "children"):
            inner = self.full(groups_in(record)[name][0])
            return inner if element.kind == "child" else (inner,)
        if element.kind == "texts":
            return (self._code_of(record, element),) * 2
        return VALUES.get(element.kind) or self._code_of(record, element)

    def _code_of(self, record: type, element: Element) -> str:
        """Returns the code of the element; for free texts, a text with a character that must be escaped."""
        by_default = "A&B"[: element.limit]
        named = f"{layout_of(record).tag}/{element.tag}"
        return self.codes.get(named) or self.codes.get(element.tag) or by_default


def filled(record: Any) -> set[tuple[type, str]]:
    """Returns every field that has a value, in a record and in its inner records."""
    filled_fields = set()
    for name in layout_of(record).elements:
        value = getattr(record, name)
        if value is None or value == ():
            continue
        filled_fields.add((type(record), name))
        for inner in value if isinstance(value, tuple) else (value,):
            filled_fields |= filled(inner) if hasattr(inner, "__layout__") else set()
    return filled_fields


def tag_path(element: str) -> list[tuple[str, int]]:
    """Returns the tags on the path to an element, each with its position among equal tags: `det:1 prod`."""
    steps = [step.partition(":") for step in element.split()]
    return [(tag, int(position or 0)) for tag, _, position in steps]
