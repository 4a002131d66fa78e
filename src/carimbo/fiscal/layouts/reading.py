"""Reads XML into the groups that would write it, by their declarations.

Documents of other issuers may follow a newer layout: undeclared elements are ignored.
"""

import re
from collections.abc import Callable, Mapping
from datetime import date, datetime
from decimal import Decimal
from functools import lru_cache, partial
from typing import Any, NamedTuple, TypeVar, get_type_hints

from lxml import etree

from carimbo.fiscal.layouts import canonical
from carimbo.fiscal.layouts.json_form import groups_in
from carimbo.fiscal.layouts.layout import construct, layout_of
from carimbo.fiscal.problems import quoted
from carimbo.fiscal.xml_reading import local_name

T = TypeVar("T")
_NAMESPACE = re.compile(r"\{[^}]*\}")


class UnreadableDocument(ValueError):
    """An element is missing or invalid; the Portuguese message has its path."""


class _Form(NamedTuple):
    """The form of a value: Python alone accepts `NaN`, `1_000`, digits of other scripts, dates by week."""

    pattern: re.Pattern[str]
    parse: Callable[[str], Any] = str
    mismatch: str = ""


# No number of the layouts has more digits.
_DIGITS = "[0-9]{1,20}"
_DAY = "[0-9]{4}-[0-9]{2}-[0-9]{2}"
_MOMENT = f"{_DAY}T[0-9]{{2}}:[0-9]{{2}}:[0-9]{{2}}[+-][0-9]{{2}}:[0-9]{{2}}"
_TEXT, _TEXT_OR_NOTHING = _Form(re.compile(".+", re.DOTALL)), _Form(re.compile(".*", re.DOTALL))
_FORMS = {
    "integer": _Form(re.compile(_DIGITS), int, "não é um número inteiro"),
    "decimal": _Form(re.compile(rf"-?{_DIGITS}(\.{_DIGITS})?"), Decimal, "não é um número"),
    "moment": _Form(re.compile(_MOMENT), datetime.fromisoformat, "não é uma data e hora com fuso horário"),
    "day": _Form(re.compile(_DAY), date.fromisoformat, "não é uma data"),
}


class _Field(NamedTuple):
    name: str
    read: Callable[[etree._Element], Any]
    is_repeated: bool = False


class _Plan(NamedTuple):
    """How a group is read: attributes and elements by name, and required fields with their tags."""

    attributes: Mapping[str, tuple[str, _Form]]
    fields: Mapping[str, _Field]
    required: Mapping[str, str]


def read_group(group: type[T], element: etree._Element) -> T:
    """Returns the group that an element represents; raises `UnreadableDocument`."""
    namespace = etree.QName(element).namespace
    record: T = _read_group(group, f"{{{namespace}}}" if namespace else "", element)
    return record


def _read_group(group: Any, namespace: str, element: etree._Element) -> Any:
    plan = _plan(group, namespace)
    values = _inner_values(plan.fields, element)
    for tag, (name, form) in plan.attributes.items():
        if (text := element.get(tag)) is not None:
            values[name] = _value(form, text, element, f"@{tag}")
    for name, tags in plan.required.items():
        if values.get(name) is None:
            raise _unreadable(element, "não está no XML", tags)
    return construct(group, values)


def _inner_values(fields: Mapping[str, _Field], element: etree._Element) -> dict[str, Any]:
    single: dict[str, Any] = {}
    repeated: dict[str, list[Any]] = {}
    for inner in element:
        if field := fields.get(inner.tag):
            if field.is_repeated:
                repeated.setdefault(field.name, []).append(field.read(inner))
            elif field.name in single:
                # Choosing one of two amounts would be guessing.
                raise _unreadable(inner, "está repetido")
            else:
                single[field.name] = field.read(inner)
    return single | {name: tuple(values) for name, values in repeated.items()}


def _read_leaf(form: _Form, element: etree._Element) -> Any:
    # A comment splits the text, and half of a number is another number.
    if len(element):
        raise _unreadable(element, "tem elementos ou comentários no lugar do valor")
    return _value(form, element.text or "", element)


def _value(form: _Form, text: str, element: etree._Element, *step: str) -> Any:
    text = text.strip()
    try:
        if form.pattern.fullmatch(text):
            return form.parse(text)
    except ValueError:
        pass  # A day or an hour that does not exist.
    raise _unreadable(element, f"{form.mismatch}: {quoted(text)}" if text else "está vazio", *step)


def _unreadable(element: etree._Element, reason: str, *step: str) -> UnreadableDocument:
    """Returns the error of an element, or of a step below it, with the path in the file."""
    tree = element.getroottree()
    inside = _NAMESPACE.sub("", tree.getelementpath(element)).removeprefix(".")
    path = "/".join(filter(None, (local_name(tree.getroot()), inside, *step)))
    return UnreadableDocument(f"O campo {path} {reason}.")


# Enough for all groups of all families. Bounded, because a hostile document may have any namespace.
@lru_cache(2048)
def _plan(group: Any, namespace: str) -> _Plan:
    layout, hints = layout_of(group), get_type_hints(group)
    forms = {name: _FORMS["integer"] if hints[name] is int else _TEXT for name in layout.attributes}
    inner = {name: _fields(group, name, namespace) for name in layout.inner}
    tags = {name: f"@{element.tag}" for name, element in layout.attributes.items()}
    tags |= {name: _NAMESPACE.sub("", "|".join(fields)) for name, fields in inner.items()}
    return _Plan(
        attributes={element.tag: (name, forms[name]) for name, element in layout.attributes.items()},
        fields={tag: field for fields in inner.values() for tag, field in fields.items()},
        required={name: tags[name] for name in tags if layout.defaults[name] not in (None, ())},
    )


def _fields(kind: Any, name: str, namespace: str) -> dict[str, _Field]:
    """Returns a field under every tag that it may have."""
    element, groups = layout_of(kind).inner[name], groups_in(kind)[name]
    tag, is_repeated = f"{namespace}{element.tag}", element.kind in ("children", "texts")
    inner = {group: _Field(name, partial(_read_group, group, namespace), is_repeated) for group in groups}
    if element.kind == "variant":
        options = {f"{namespace}{layout_of(group).tag}": field for group, field in inner.items()}
        if not element.tag:
            return options
        return {tag: _Field(name, lambda wrapper: _inner_values(options, wrapper).get(name))}
    if len(groups) > 1:
        raise TypeError(f"{kind.__name__}.{name}: the tag does not decide which of its groups it is")
    may_be_empty = getattr(element.to_text, "func", None) is canonical.text_or_nothing
    form = _TEXT_OR_NOTHING if may_be_empty else _FORMS.get(element.kind, _TEXT)
    return {tag: inner[groups[0]] if groups else _Field(name, partial(_read_leaf, form), is_repeated)}
