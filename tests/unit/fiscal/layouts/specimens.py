"""Records of a layout with everything that it has, or with no more than it needs, of its own declarations."""

from collections.abc import Callable, Mapping
from dataclasses import MISSING, dataclass, field, fields
from datetime import date, datetime, timedelta, timezone
from decimal import Decimal
from typing import Any

from carimbo.fiscal.layouts.layout import Element, layout_of
from carimbo.fiscal.layouts.paths import groups_in

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
    """A good value of every coded element; the group before the tag where one tag has several meanings."""
    alternatives: Mapping[type, set[str]]
    """Fields that stand in the place of others."""
    chosen: Mapping[tuple[type, str], Callable[[], Any]] = field(default_factory=dict)
    """What stands in a field that could hold several kinds of record."""

    def full(self, record: type) -> Any:
        """A record with a value in every field but the alternatives."""
        left_out = self.alternatives.get(record, set())
        names = [name for name in layout_of(record).elements if name not in left_out]
        return record(**{name: self.value_of(record, name) for name in names})

    def required(self, record: type, **values: Any) -> Any:
        """A record with a value in its required fields only, and in those given."""
        missing = [one.name for one in fields(record) if one.default is MISSING and one.name not in values]
        return record(**{name: self.value_of(record, name) for name in missing}, **values)

    def value_of(self, record: type, name: str) -> Any:
        """A good value of a field."""
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
        """The code of the element; for texts of free form, whatever has room for what must be escaped."""
        by_default = "A&B"[: element.limit]
        named = f"{layout_of(record).tag}/{element.tag}"
        return self.codes.get(named) or self.codes.get(element.tag) or by_default


def filled(record: Any) -> set[tuple[type, str]]:
    """Every field that has a value, in a record and in those inside it."""
    found = set()
    for name in layout_of(record).elements:
        value = getattr(record, name)
        if value is None or value == ():
            continue
        found.add((type(record), name))
        for inner in value if isinstance(value, tuple) else (value,):
            found |= filled(inner) if hasattr(inner, "__layout__") else set()
    return found


def way_to(element: str) -> list[tuple[str, int]]:
    """The tags to an element, each with how many of its name come before it: `det:1 prod`."""
    steps = [one.partition(":") for one in element.split()]
    return [(tag, int(position or 0)) for tag, _, position in steps]
