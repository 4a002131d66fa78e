"""A request as lines of JSON, with the line of a field marked."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from carimbo.service.json_values import write_json

_MOST_LINES = 300
_INDENT = "  "


@dataclass(frozen=True)
class JsonLine:
    """A line of JSON."""

    text: str
    is_marked: bool


@dataclass(frozen=True)
class JsonText:
    """The shown lines of a JSON text, and how many lines it has in all."""

    lines: Sequence[JsonLine]
    total: int

    @property
    def is_cut(self) -> bool:
        """Whether not all lines are shown."""
        return len(self.lines) < self.total

    @property
    def first_marked(self) -> int | None:
        """The position of the first marked line among the shown ones."""
        return next((position for position, line in enumerate(self.lines) if line.is_marked), None)


def json_text(value: Any, field: str | None = None) -> JsonText:
    """Returns JSON in lines, at most some hundreds around a field that is marked.

    `items[].ncm` marks the field in all items. A field that is missing marks the object that it belongs in.
    """
    entries = [*_entries(value, "", "", "", 0)]
    marked = _positions([path for path, _ in entries], field or "")
    middle = min(marked, default=0)
    start = max(0, min(middle - _MOST_LINES // 2, len(entries) - _MOST_LINES))
    shown = enumerate(entries[start : start + _MOST_LINES], start)
    return JsonText([JsonLine(text, position in marked) for position, (_, text) in shown], len(entries))


def exact_json(value: Any) -> str:
    """Returns indented JSON without rounding."""
    return "\n".join(text for _, text in _entries(value, "", "", "", 0))


def _positions(paths: Sequence[str], field: str) -> set[int]:
    """Returns the first lines of a field, or else of the nearest object around it."""
    while field:
        pattern = re.compile(re.escape(field).replace(re.escape("[]"), r"\[[0-9]+\]"))
        matching = {
            path: position for position, path in reversed([*enumerate(paths)]) if pattern.fullmatch(path)
        }
        if matching:
            return set(matching.values())
        field = field[: max(field.rfind("."), field.rfind("["), 0)]
    return set()


def _entries(value: Any, path: str, name: str, end: str, depth: int) -> Iterator[tuple[str, str]]:
    """Yields the lines of a value, each with the path of its field, as `items[0].ncm`."""
    indent = _INDENT * depth
    if not value or not isinstance(value, dict | list):
        yield path, f"{indent}{name}{write_json(value)}{end}"
        return
    if isinstance(value, dict):
        brackets = "{}"
        children = [
            (f"{path}.{key}".lstrip("."), f"{write_json(key)}: ", child) for key, child in value.items()
        ]
    else:
        brackets = "[]"
        children = [(f"{path}[{index}]", "", child) for index, child in enumerate(value)]
    yield path, f"{indent}{name}{brackets[0]}"
    for position, (inner, label, child) in enumerate(children, 1):
        yield from _entries(child, inner, label, "," if position < len(children) else "", depth + 1)
    yield path, f"{indent}{brackets[1]}{end}"
