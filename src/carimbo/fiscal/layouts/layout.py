"""The compiled form of a group's declaration: its elements in order, and the functions that write them.

The functions are generated for each group, as `dataclasses` does for its classes. A line of a document has
about sixty elements: a loop over their declarations takes twice as long to write them, and the constructor of
a frozen dataclass sets its fields one by one.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import MISSING, Field, dataclass
from functools import cache, cached_property
from typing import Any, TypeVar

from pydantic.alias_generators import to_camel

T = TypeVar("T")
Write = Callable[[Any], str]


def initializer(fields: Sequence[Field[Any]]) -> Callable[..., None]:
    """Returns the `__init__` of a group: keyword arguments, all set at once."""
    parameters = ", ".join(
        field.name if field.default is MISSING else f"{field.name}=default_{field.name}" for field in fields
    )
    kept = ", ".join(f"'{field.name}': {field.name}" for field in fields)
    source = f"def __init__(self, *, {parameters}):\n    keep(self, '__dict__', {{{kept}}})"
    defaults = {f"default_{field.name}": field.default for field in fields}
    init: Callable[..., None] = _compiled(source, "__init__", {"keep": object.__setattr__, **defaults})
    return init


def content_writer(elements: Mapping[str, Any], optional: frozenset[str]) -> Write:
    """Returns the function that writes the content of a group: every element with a value, in order."""
    lines, pieces = _parts(elements, optional)
    source = "\n    ".join(["def content(record):", *lines, f"return f'{pieces}'"])
    writer: Write = _compiled(source, "content", _writers(elements))
    return writer


def group_writer(
    tag: str,
    elements: Mapping[str, Any],
    attributes: Mapping[str, Any],
    optional: frozenset[str],
    *,
    may_be_empty: bool,
) -> Callable[..., str]:
    """Returns the function that writes a group with its tags; an empty one only if it may be empty."""
    lines, pieces = _parts(elements, optional)
    opening = f"<{{tag}}{_attributes(attributes)}>"
    whole = f"f'{opening}{pieces}</{{tag}}>'"
    if optional.issuperset(elements) and not may_be_empty:
        lines.append(f"inside = f'{pieces}'")
        whole = f"f'{opening}{{inside}}</{{tag}}>' if inside else ''"
    source = "\n    ".join([f"def written(record, tag='{tag}'):", *lines, f"return {whole}"])
    writer: Callable[..., str] = _compiled(source, "written", _writers(elements) | _writers(attributes))
    return writer


def attributes_writer(attributes: Mapping[str, Any]) -> Write:
    """Returns the function that writes the attributes of a group's own tag."""
    source = f"def attributes(record):\n    return f'{_attributes(attributes)}'"
    writer: Write = _compiled(source, "attributes", _writers(attributes))
    return writer


def _writers(elements: Mapping[str, Any]) -> dict[str, Any]:
    whole = {f"write_{name}": element.write for name, element in elements.items()}
    return whole | {f"text_{name}": element.to_text for name, element in elements.items()}


def _parts(elements: Mapping[str, Any], optional: frozenset[str]) -> tuple[list[str], str]:
    """Returns the statements that write optional elements, and the f-string of all elements in order."""
    lines, pieces = [], ""
    for name, element in elements.items():
        if name in optional:
            lines.append(f"value = record.{name}")
            by_truth = element.kind in ("children", "texts") or not element.may_be_zero
            is_present = "value" if by_truth else "value is not None"
            lines.append(f"{name} = {_expression(name, element)} if {is_present} else ''")
            pieces += f"{{{name}}}"
        else:
            pieces += _required_part(name, element)
    return lines, pieces


def _expression(name: str, element: Any) -> str:
    """Returns the expression that writes an element with its tags."""
    if element.kind == "child":
        return f'value.__xml__("{element.tag}")'
    if element.to_text is None:
        return f"write_{name}(value)"
    return f'f"<{element.tag}>{{text_{name}(value)}}</{element.tag}>"'


def _required_part(name: str, element: Any) -> str:
    """Returns a required element as a part of the group's f-string."""
    value = f"record.{name}"
    if element.kind == "child":
        return f'{{{value}.__xml__("{element.tag}")}}'
    if element.to_text is None:
        return f"{{write_{name}({value})}}"
    return f"<{element.tag}>{{text_{name}({value})}}</{element.tag}>"


def _attributes(attributes: Mapping[str, Any]) -> str:
    """Returns the f-string of the attributes, in the order of C14N."""
    ordered = sorted(attributes.items(), key=lambda item: str(item[1].tag))
    return "".join(f' {element.tag}="{{write_{name}(record.{name})}}"' for name, element in ordered)


def _compiled(source: str, name: str, names: dict[str, Any]) -> Any:
    # The source consists only of the declarations in this package.
    exec(source, names)  # noqa: S102
    return names[name]


@dataclass(frozen=True, slots=True)
class Element:
    """How a field of a group is written."""

    tag: str
    """Official name; empty for a variant without a wrapper."""
    kind: str
    """attribute, text, texts, decimal, integer, moment, day, child, children or variant."""
    write: Write
    """Writes the element with its tags; returns an empty text if there is nothing to write."""
    path: str | None
    """Name in the caller's JSON; None for the field's own name in camelCase."""
    limit: int | None = None
    """Maximum length, or number of decimals."""
    to_text: Write | None = None
    """Writes the text of an element that has no inner elements."""
    max_count: int = 1
    """The maximum number of repetitions."""
    may_be_zero: bool = True
    """Whether the XSD allows zero; else the element is omitted instead."""


@dataclass(frozen=True)
class Layout:
    """The declaration of a group. Writers are compiled at first use, as no document has all groups."""

    tag: str
    attributes: dict[str, Element]
    inner: dict[str, Element]
    defaults: dict[str, Any]
    may_be_empty: bool = False
    """Whether the group is written even without values."""

    @property
    def elements(self) -> dict[str, Element]:
        """Attributes and elements by the names of their fields."""
        return self.attributes | self.inner

    @cached_property
    def write(self) -> Callable[..., str]:
        """Writes the group with its tags."""
        return group_writer(
            self.tag, self.inner, self.attributes, self._optional, may_be_empty=self.may_be_empty
        )

    @cached_property
    def write_content(self) -> Write:
        """Writes the content between the tags."""
        return content_writer(self.inner, self._optional)

    @cached_property
    def write_attributes(self) -> Write:
        """Writes the attributes of the opening tag."""
        return attributes_writer(self.attributes)

    @property
    def _optional(self) -> frozenset[str]:
        return frozenset(name for name, default in self.defaults.items() if default in (None, ()))


def layout_of(record: Any) -> Layout:
    """Returns the declaration of a group's class or instance."""
    compiled: Layout = record.__layout__
    return compiled


def json_name(name: str, element: Element) -> str:
    """Returns the name of a field in the caller's JSON."""
    return to_camel(name) if element.path is None else element.path


def construct(group: type[T], values: dict[str, Any]) -> T:
    """Returns a group with values that are known to be valid; class attributes supply the missing ones."""
    record = object.__new__(group)
    object.__setattr__(record, "__dict__", values)
    return record


@cache
def fields_among(group: Any, names: tuple[str, ...]) -> tuple[str, ...]:
    """Returns the names that a group has: groups of a tax share names, and few groups have all."""
    declared = group.__layout__.defaults if hasattr(group, "__layout__") else {}
    return tuple(name for name in names if name in declared)


def content_xml(record: Any) -> str:
    """Returns the XML between the tags of a group."""
    return layout_of(record).write_content(record)


def to_xml(record: Any, tag: str | None = None) -> str:
    """Returns the XML of a group; empty if it has no values, unless the group may be empty."""
    xml: str = record.__xml__(tag) if tag else record.__xml__()
    return xml


def attributes_xml(record: Any) -> str:
    """Returns the XML attributes of a group, as in its opening tag."""
    return layout_of(record).write_attributes(record)
