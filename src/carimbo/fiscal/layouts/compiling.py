"""Functions made for one group each, as `dataclasses` makes them for its classes.

A line of a document has some sixty elements. A loop over their declarations takes twice as long to write them
as a function that knows their tags, and the constructor of a frozen dataclass sets its fields one by one.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import MISSING, Field
from typing import Any

Write = Callable[[Any], str]


def initializer(fields: Sequence[Field[Any]]) -> Callable[..., None]:
    """`__init__` of a group: keyword arguments, kept all at once."""
    parameters = ", ".join(
        field.name if field.default is MISSING else f"{field.name}=default_{field.name}" for field in fields
    )
    kept = ", ".join(f"'{field.name}': {field.name}" for field in fields)
    source = f"def __init__(self, *, {parameters}):\n    keep(self, '__dict__', {{{kept}}})"
    defaults = {f"default_{field.name}": field.default for field in fields}
    made: Callable[..., None] = _compiled(source, "__init__", {"keep": object.__setattr__, **defaults})
    return made


def content_writer(elements: Mapping[str, Any], optional: frozenset[str]) -> Write:
    """The function that writes what is between a group's tags: every element that has a value, in order."""
    lines, pieces = _body(elements, optional)
    source = "\n    ".join(["def content(record):", *lines, f"return f'{pieces}'"])
    writer: Write = _compiled(source, "content", _writers(elements))
    return writer


def group_writer(
    tag: str, elements: Mapping[str, Any], attributes: Mapping[str, Any], optional: frozenset[str]
) -> Callable[..., str]:
    """The function that writes a group with its tags, or nothing when nothing is in it."""
    lines, pieces = _body(elements, optional)
    opening = f"<{{tag}}{_attributes(attributes)}>"
    whole = f"f'{opening}{pieces}</{{tag}}>'"
    if optional.issuperset(elements):
        lines.append(f"inside = f'{pieces}'")
        whole = f"f'{opening}{{inside}}</{{tag}}>' if inside else ''"
    source = "\n    ".join([f"def written(record, tag='{tag}'):", *lines, f"return {whole}"])
    writer: Callable[..., str] = _compiled(source, "written", _writers(elements) | _writers(attributes))
    return writer


def attributes_writer(attributes: Mapping[str, Any]) -> Write:
    """The function that writes the attributes of a group's own tag."""
    source = f"def attributes(record):\n    return f'{_attributes(attributes)}'"
    writer: Write = _compiled(source, "attributes", _writers(attributes))
    return writer


def _writers(elements: Mapping[str, Any]) -> dict[str, Any]:
    whole = {f"write_{name}": element.write for name, element in elements.items()}
    return whole | {f"text_{name}": element.to_text for name, element in elements.items()}


def _body(elements: Mapping[str, Any], optional: frozenset[str]) -> tuple[list[str], str]:
    """Statements that write what may be missing, and the f-string of everything in its order."""
    lines, pieces = [], ""
    for name, element in elements.items():
        if name in optional:
            lines.append(f"value = record.{name}")
            lines.append(f"{name} = {_expression(name, element)} if {_is_there(element)} else ''")
            pieces += f"{{{name}}}"
        else:
            pieces += _piece(name, element)
    return lines, pieces


def _is_there(element: Any) -> str:
    by_truth = element.kind in ("children", "texts") or not element.may_be_zero
    return "value" if by_truth else "value is not None"


def _expression(name: str, element: Any) -> str:
    """What writes a whole element of a value."""
    if element.kind == "child":
        return f'value.__written__("{element.tag}")'
    if element.to_text is None or element.is_remembered:
        return f"write_{name}(value)"
    return f'f"<{element.tag}>{{text_{name}(value)}}</{element.tag}>"'


def _piece(name: str, element: Any) -> str:
    """A required element inside the text of the whole group."""
    value = f"record.{name}"
    if element.kind == "child":
        return f'{{{value}.__written__("{element.tag}")}}'
    if element.to_text is None or element.is_remembered:
        return f"{{write_{name}({value})}}"
    return f"<{element.tag}>{{text_{name}({value})}}</{element.tag}>"


def _attributes(attributes: Mapping[str, Any]) -> str:
    """The f-string of the attributes, in the order of C14N."""
    ordered = sorted(attributes.items(), key=lambda item: str(item[1].tag))
    return "".join(f' {element.tag}="{{write_{name}(record.{name})}}"' for name, element in ordered)


def _compiled(source: str, name: str, names: dict[str, Any]) -> Any:
    # The source consists of the declarations of this package and nothing that comes from outside.
    exec(source, names)  # noqa: S102
    return names[name]
