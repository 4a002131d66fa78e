"""Forms for request bodies: what a person typed, the body that it makes, and how a page shows both.

The name of an input is the path of its field in the JSON of the body, as `items[0].ncm`, so that problems of
the body find their inputs. What the form has no input for stays in the body, as JSON, in an input of its own.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from copy import deepcopy
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from functools import cached_property
from typing import Any

from starlette.datastructures import FormData

from carimbo.dashboard.json_lines import exact_json
from carimbo.fiscal.body.form_layout import (
    FieldKind,
    FormField,
    FormLayout,
    FormList,
    blank_value,
    field_facts,
    may_be_null,
)
from carimbo.service.errors import Refusal, invalid_field
from carimbo.web.json_body import parse_json_body

REST = "outros"
"""The input for the fields of a body, or of an entry of a list, that have no input of their own."""
MAX_ROWS = 60
"""The most entries of a list that a form shows; a longer body is corrected by the API."""
_NEVER_CLEARED = (FieldKind.SECRET, FieldKind.FILE)
_LONGEST_REST, _MAX_LEVELS = 64 * 1024, 20
_MOST_DIGITS = 15
_ROW = re.compile(r"^(?P<list>[A-Za-z.]+)\[(?P<row>\d{1,4})\]\.(?P<rest>.+)$")
_BRAZILIAN = re.compile(r"-?[0-9]{1,3}(\.[0-9]{3})*,[0-9]+|-?[0-9]+,[0-9]+|-?[0-9]{1,3}(\.[0-9]{3}){2,}")
_PLAIN = re.compile(r"-?[0-9]+(\.[0-9]+)?")
_AMBIGUOUS = re.compile(r"-?[1-9][0-9]{0,2}\.[0-9]{3}")


def name_in(form_list: FormList, row: int, name: str) -> str:
    """Returns the name of an input in an entry of a list."""
    return f"{form_list.path}[{row}].{name}"


@dataclass(frozen=True)
class TypedForm:
    """A form as a person typed it: the texts of its inputs, by their names."""

    layout: FormLayout
    texts: Mapping[str, str]

    @classmethod
    def posted(cls, layout: FormLayout, form: FormData | Mapping[str, str]) -> "TypedForm":
        """Returns the form that a browser sent; blank entries of lists are left out."""
        # Browsers send other line breaks than they show.
        texts = {
            name: value.strip().replace("\r\n", "\n")
            for name, value in form.items()
            if isinstance(value, str)
        }
        plain = {field.path: texts[field.path] for field in layout.fields if field.path in texts}
        if texts.get(REST):
            plain[REST] = texts[REST]
        for form_list in layout.lists:
            for row, entry in enumerate(_filled_rows(form_list, texts)):
                plain |= {name_in(form_list, row, name): text for name, text in entry.items()}
        return cls(layout, plain)

    @classmethod
    def of_body(cls, layout: FormLayout, body: Mapping[str, Any]) -> "TypedForm":
        """Returns the form that shows a body."""
        rest, texts = deepcopy(dict(body)), dict[str, str]()
        for form_list in layout.lists:
            entries = _take(rest, form_list.path)
            for row, entry in enumerate(entries if isinstance(entries, list) else ()):
                left = dict(entry)
                texts |= {
                    name_in(form_list, row, name): text for name, text in _taken_texts(form_list.fields, left)
                }
                if left:
                    texts[name_in(form_list, row, REST)] = exact_json(left)
        texts |= dict(_taken_texts(layout.fields, rest))
        if rest:
            texts[REST] = exact_json(rest)
        return cls(layout, texts)

    def with_texts(self, texts: Mapping[str, str]) -> "TypedForm":
        """Returns the form with other texts in some inputs."""
        return TypedForm(self.layout, {**self.texts, **texts})

    def rows(self, form_list: FormList) -> int:
        """Returns how many entries a list has in the form."""
        prefix = f"{form_list.path}["
        rows = {name[len(prefix) :].partition("]")[0] for name in self.texts if name.startswith(prefix)}
        return len(rows)

    def without_row(self, form_list: FormList, removed: int) -> "TypedForm":
        """Returns the form without an entry of a list."""
        texts = {name: text for name, text in self.texts.items() if not _is_of(form_list, name)}
        rows = [row for row in range(self.rows(form_list)) if row != removed]
        for number, row in enumerate(rows):
            for name in (*(field.path for field in form_list.fields), REST):
                if name_in(form_list, row, name) in self.texts:
                    texts[name_in(form_list, number, name)] = self.texts[name_in(form_list, row, name)]
        return TypedForm(self.layout, texts)

    def with_row(self, form_list: FormList, texts: Mapping[str, str]) -> "TypedForm":
        """Returns the form with another entry at the end of a list."""
        row = self.rows(form_list)
        # Without any text the entry would not exist.
        empty = {name_in(form_list, row, form_list.fields[0].path): ""}
        return self.with_texts(empty | {name_in(form_list, row, name): text for name, text in texts.items()})

    @cached_property
    def body(self) -> dict[str, Any]:
        """The body that the form makes, without blank fields. Raises Refusal if its JSON can't be read.

        A number that can't be read stays a text: the body refuses it, with all other problems.
        """
        body = _rest_of(self.texts.get(REST, ""), REST)
        for field in self.layout.fields:
            _put(body, field.path, _value(self.layout, field.path, field, self.texts.get(field.path, "")))
        for form_list in self.layout.lists:
            entries = [self._entry(form_list, row) for row in range(self.rows(form_list))]
            _put(body, form_list.path, entries or None)
        return body

    def _entry(self, form_list: FormList, row: int) -> dict[str, Any]:
        rest = name_in(form_list, row, REST)
        entry = _rest_of(self.texts.get(rest, ""), rest)
        for field in form_list.fields:
            text = self.texts.get(name_in(form_list, row, field.path), "")
            _put(entry, field.path, _value(self.layout, f"{form_list.path}.{field.path}", field, text))
        return entry


def kind_of(layout: FormLayout, path: str, field: FormField) -> FieldKind:
    """Returns the kind of an input."""
    if field.options:
        return FieldKind.CHOICE
    return field.kind or field_facts(layout.body, path).kind


def cleared_body(typed: TypedForm) -> dict[str, Any]:
    """Returns the body of a change: as the form, and each blank input clears its field.

    A group whose inputs are all blank is cleared as a whole if it may be null. A blank secret stays as it is.
    """
    body = deepcopy(typed.body)
    for field in typed.layout.fields:
        if not typed.texts.get(field.path) and kind_of(typed.layout, field.path, field) not in _NEVER_CLEARED:
            _clear(body, typed.layout, field.path)
    for form_list in typed.layout.lists:
        if not typed.rows(form_list):
            _clear(body, typed.layout, form_list.path)
    return body


def _clear(body: dict[str, Any], layout: FormLayout, path: str) -> None:
    """Clears a field that the body does not have, or the outermost blank group around it."""
    *names, last = path.split(".")
    holder, group = body, ""
    for name in names:
        group = f"{group}.{name}" if group else name
        if name not in holder and may_be_null(layout.body, group) and not _has_secret(layout, group):
            holder[name] = None
        inner = holder.setdefault(name, {})
        if not isinstance(inner, dict):
            return
        holder = inner
    holder.setdefault(last, blank_value(layout.body, path))


def _has_secret(layout: FormLayout, group: str) -> bool:
    return any(
        field.kind is FieldKind.SECRET and field.path.startswith(f"{group}.") for field in layout.fields
    )


def read_number(text: str) -> Decimal | str:
    """Returns a number as Brazilians write it, or with a decimal point; any other text unchanged.

    A point before exactly three digits could mean both, so it is no number: `1.234` is written `1234` or
    `1,234`.
    """
    if _BRAZILIAN.fullmatch(text):
        return Decimal(text.replace(".", "").replace(",", "."))
    if _PLAIN.fullmatch(text) and not _AMBIGUOUS.fullmatch(text):
        with suppress(InvalidOperation):
            return Decimal(text)
    return text


def _value(layout: FormLayout, path: str, field: FormField, text: str) -> Any:
    """Returns the value of an input in the body; None if it is blank."""
    if not text:
        return None
    # A choice is a text only where the body has a text: it may choose between numbers, or yes and no.
    match field.kind or field_facts(layout.body, path).kind:
        case FieldKind.FLAG:
            return text == "true"
        case FieldKind.NUMBER:
            return read_number(text)
        case FieldKind.INTEGER:
            is_number = text.isascii() and text.isdigit() and len(text) <= _MOST_DIGITS
            return int(text) if is_number else text
    return text


def _text_of(value: Any) -> str | None:
    """Returns a value as an input shows it; None if an input can't show it."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, Decimal | int | float):
        whole, _, places = f"{Decimal(str(value)):f}".partition(".")
        needed = places.rstrip("0")
        # With a place, a number has two, as amounts are written.
        return f"{whole},{needed:0<2}" if needed else whole
    return value if isinstance(value, str) else None


def _taken_texts(
    fields: Iterator[FormField] | Sequence[FormField], body: dict[str, Any]
) -> Iterator[tuple[str, str]]:
    """Yields the texts of fields with an input, and removes these fields from the body."""
    for field in fields:
        value = _take(body, field.path)
        text = _text_of(value)
        if text is not None:
            yield field.path, text
        elif value is not None:
            _put(body, field.path, value)


def _take(body: dict[str, Any], path: str) -> Any:
    """Removes a field from a body, with the objects that become empty, and returns its value."""
    name, _, inner = path.partition(".")
    if not inner:
        return body.pop(name, None)
    holder = body.get(name)
    if not isinstance(holder, dict):
        return None
    value = _take(holder, inner)
    if not holder:
        del body[name]
    return value


def _put(body: dict[str, Any], path: str, value: Any) -> None:
    """Puts a value into a body at a path, unless it is None."""
    if value is None:
        return
    *names, last = path.split(".")
    for name in names:
        holder = body.setdefault(name, {})
        body = holder if isinstance(holder, dict) else {}
    body[last] = value


def _rest_of(text: str, name: str) -> dict[str, Any]:
    if not text:
        return {}
    try:
        rest = parse_json_body(text.encode()) if len(text) <= _LONGEST_REST else None
    except Refusal:
        rest = None
    if not isinstance(rest, dict) or not _is_flat(rest, _MAX_LEVELS):
        raise invalid_field(name, "Não é um objeto JSON válido.")
    return rest


def _is_flat(value: Any, levels: int) -> bool:
    """Returns whether a value has at most some levels of objects and lists."""
    if not isinstance(value, dict | list):
        return True
    inner = value.values() if isinstance(value, dict) else value
    return levels > 0 and all(_is_flat(each, levels - 1) for each in inner)


def _is_of(form_list: FormList, name: str) -> bool:
    return name.startswith(f"{form_list.path}[")


def _filled_rows(form_list: FormList, texts: Mapping[str, str]) -> list[dict[str, str]]:
    """Returns the entries of a list in which something was typed, in their order."""
    names = {REST, *(field.path for field in form_list.fields)}
    rows: dict[int, dict[str, str]] = {}
    for name, text in texts.items():
        match = _ROW.match(name)
        if match and match["list"] == form_list.path and match["rest"] in names:
            rows.setdefault(int(match["row"]), {})[match["rest"]] = text
    return [rows[row] for row in sorted(rows) if any(rows[row].values())][:MAX_ROWS]
