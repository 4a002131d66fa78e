"""What libxml2 says about an invalid message, retold in Portuguese and in the caller's field names."""

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from lxml import etree

from carimbo.fiscal.layouts.group import SCHEMA_PROBLEM, layout_of
from carimbo.fiscal.layouts.paths import locate
from carimbo.fiscal.problems import Problem, quoted

_ATTRIBUTE = re.compile(r"Element '[^']*'(?:, attribute '([^']*)')?: (?:The attribute '([^']*)')?")
_PREFIXED = re.compile(r"[\w.-]+:([\w.-]+)")
_EXPECTED = re.compile(r"Expected is (?:one of )?\( (.*) \)\.$")
# Longer patterns and tables of codes tell a person nothing.
_READABLE = 120
# libxml2 lists no more expected elements than these, and does not say when it knows others.
_MOST_EXPECTED = 10
_LENGTH_AND_LIMIT = 2


@dataclass(frozen=True, slots=True)
class _Fault:
    """One error of libxml2 with the element that it is about."""

    kind: str
    text: str
    element: etree._Element
    attribute: str | None

    @property
    def name(self) -> str:
        tag = _local(self.element)
        return f"{tag}/@{self.attribute}" if self.attribute else tag

    @property
    def value(self) -> str:
        found = self.element.get(self.attribute) if self.attribute else self.element.text
        return str(found or "")

    @property
    def expected(self) -> tuple[str, ...]:
        """Tags that could have stood where the wrong one stands, or where none is left."""
        listed = _EXPECTED.search(self.text)
        return tuple(one.rpartition("}")[2] for one in listed[1].split(", ")) if listed else ()


@dataclass(frozen=True, slots=True)
class _Told:
    """A fault in words, and where it is: in an element, or in children or an attribute of it."""

    message: str
    element: etree._Element
    subject: str
    """What the XSD calls the wrong part."""
    inner: tuple[str, ...] = ()
    hint: str | None = None


def explained(
    errors: Iterable[Any], root: etree._Element, record: type | None, file_name: str
) -> tuple[Problem, ...]:
    """One problem per element or attribute, in the order of the document."""
    return tuple(_problem(_told(fault), record, file_name) for fault in _gravest(_faults(errors, root)))


def _problem(told: _Told, record: type | None, file_name: str) -> Problem:
    return Problem(
        SCHEMA_PROBLEM,
        _path(record, told.element, told.inner),
        told.message,
        hint=told.hint or _fields_hint(record, told),
        source=f"XSD {file_name}, elemento {told.subject}",
    )


def _fields_hint(record: type | None, told: _Told) -> str | None:
    """The caller's own names of the elements that are missing, where there are several to choose from."""
    if len(told.inner) <= 1:
        return None
    around = _located(record, told.element, [])
    paths = [_located(record, told.element, [(tag, 0)]) for tag in told.inner]
    names = dict.fromkeys(path.removeprefix(around).lstrip(".") for path in paths if path != around)
    return f"Campos: {', '.join(names)}." if names else None


def _faults(errors: Iterable[Any], root: etree._Element) -> Iterable[_Fault]:
    for error in errors:
        named = _ATTRIBUTE.match(error.message)
        yield _Fault(
            kind=error.type_name.removeprefix("SCHEMAV_"),
            text=error.message,
            element=_element_at(root, error.path),
            attribute=named and (named[1] or named[2]),
        )


def _element_at(root: etree._Element, path: str) -> etree._Element:
    """Follow libxml2's path, `/*/*[1]/*[3]`: its first step is the root; its prefixes may be unknown."""
    below = path.split("/", 2)[2:]
    if not below:
        return root
    found: Any = root.xpath(_PREFIXED.sub(r"*[local-name()='\1']", below[0]))
    element: etree._Element = found[0]
    return element


def _gravest(faults: Iterable[_Fault]) -> Iterable[_Fault]:
    """libxml2 complains of every facet and of the type; the complaint that says most is enough."""
    kept: dict[tuple[etree._Element, str | None], _Fault] = {}
    for fault in faults:
        place = (fault.element, fault.attribute)
        if place not in kept or _gravity(fault) < _gravity(kept[place]):
            kept[place] = fault
    return kept.values()


def _gravity(fault: _Fault) -> int:
    return _KINDS.index(fault.kind) if fault.kind in _KINDS else len(_KINDS)


def _told(fault: _Fault) -> _Told:
    return _WORDS.get(fault.kind, _other)(fault)


def _of_value(fault: _Fault, message: str, hint: str | None = None) -> _Told:
    if not fault.value:
        message = f"{fault.name} está vazio."
    inner = (fault.attribute,) if fault.attribute else ()
    return _Told(message, fault.element, fault.name, inner, hint)


def _pattern(fault: _Fault) -> _Told:
    pattern = fault.text.rpartition("by the pattern '")[2].removesuffix("'.")
    hint = f"O formato exigido, como expressão regular, é {pattern}." if len(pattern) <= _READABLE else None
    return _of_value(fault, f"O valor {quoted(fault.value)} de {fault.name} não tem o formato exigido.", hint)


def _enumeration(fault: _Fault) -> _Told:
    allowed = fault.text.rpartition("of the set {")[2].removesuffix("}.").replace("'", "")
    hint = f"Valores permitidos: {allowed}." if len(allowed) <= _READABLE else None
    return _of_value(fault, f"O valor {quoted(fault.value)} de {fault.name} não é um dos permitidos.", hint)


def _length(limit: str) -> Callable[[_Fault], _Told]:
    def tell(fault: _Fault) -> _Told:
        numbers = re.findall(r"'(\d+)'", fault.text)[-2:]
        # libxml2 cuts its message when the value of an attribute fills it.
        if len(numbers) != _LENGTH_AND_LIMIT:
            return _type(fault)
        length, allowed = numbers
        return _of_value(fault, f"O tamanho de {fault.name} é {length}; {limit} é {allowed}.")

    return tell


def _type(fault: _Fault) -> _Told:
    return _of_value(fault, f"O valor {quoted(fault.value)} de {fault.name} não é do tipo exigido.")


def _content(fault: _Fault) -> _Told:
    """A missing element shows as its successor that was not expected, or as a parent that ends too soon."""
    if "Missing child" in fault.text:
        return _missing(fault, fault.element, f"em {fault.name}")
    following = {_local(one) for one in fault.element.itersiblings("*")}
    parent = fault.element.getparent()
    if parent is None or not fault.expected or following.intersection(fault.expected):
        return _of_element(fault, f"O elemento {fault.name} não pode estar aqui.")
    return _missing(fault, parent, f"antes de {fault.name}")


def _missing(fault: _Fault, parent: etree._Element, place: str) -> _Told:
    tags = fault.expected
    if len(tags) == 1:
        return _Told(f"Falta o elemento {tags[0]} {place}.", parent, tags[0], tags)
    listed = ", ".join(tags) + (" ou outro" if len(tags) == _MOST_EXPECTED else "")
    return _Told(f"Falta um destes elementos {place}: {listed}.", parent, _local(parent), tags)


def _of_element(fault: _Fault, message: str) -> _Told:
    return _Told(message, fault.element, fault.name)


def _missing_attribute(fault: _Fault) -> _Told:
    message = f"Falta o atributo {fault.attribute} em {_local(fault.element)}."
    return _Told(message, fault.element, fault.name, (str(fault.attribute),))


def _unknown_attribute(fault: _Fault) -> _Told:
    return _of_element(fault, f"O atributo {fault.attribute} não existe em {_local(fault.element)}.")


def _not_a_group(fault: _Fault) -> _Told:
    return _of_element(fault, f"{fault.name} leva um texto, e não outros elementos.")


def _loose_text(fault: _Fault) -> _Told:
    return _of_element(fault, f"{fault.name} leva elementos, e não um texto.")


def _repeated(fault: _Fault) -> _Told:
    return _of_element(fault, f"{fault.name} repete um valor que deve ser único na mensagem.")


def _wrong_root(fault: _Fault) -> _Told:
    return _of_element(fault, f"O elemento {fault.name} não é o que este schema descreve.")


def _other(fault: _Fault) -> _Told:
    reason = fault.text.partition(": ")[2]
    if reason.startswith("[facet '"):
        return _of_value(fault, f"O valor {quoted(fault.value)} de {fault.name} está fora dos limites.")
    return _of_element(fault, f"{fault.name} não segue o schema: {quoted(reason)}")


_WORDS: dict[str, Callable[[_Fault], _Told]] = {
    "CVC_LENGTH_VALID": _length("o exigido"),
    "CVC_MAXLENGTH_VALID": _length("o máximo"),
    "CVC_MINLENGTH_VALID": _length("o mínimo"),
    "CVC_ENUMERATION_VALID": _enumeration,
    "CVC_PATTERN_VALID": _pattern,
    "CVC_DATATYPE_VALID_1_2_1": _type,
    "CVC_DATATYPE_VALID_1_2_2": _type,
    "CVC_DATATYPE_VALID_1_2_3": _type,
    "ELEMENT_CONTENT": _content,
    "CVC_COMPLEX_TYPE_4": _missing_attribute,
    "CVC_COMPLEX_TYPE_3_2_1": _unknown_attribute,
    "CVC_TYPE_3_1_1": _unknown_attribute,
    "CVC_TYPE_3_1_2": _not_a_group,
    "CVC_COMPLEX_TYPE_2_3": _loose_text,
    "CVC_IDC": _repeated,
    "CVC_ELT_1": _wrong_root,
}
_KINDS = list(_WORDS)


def _path(record: type | None, element: etree._Element, inner: tuple[str, ...]) -> str:
    """The JSON path of what is inside an element; the element's own when several paths come into question."""
    paths = {_located(record, element, [(tag, 0)]) for tag in inner}
    return paths.pop() if len(paths) == 1 else _located(record, element, [])


def _located(record: type | None, element: etree._Element, further: list[tuple[str, int]]) -> str:
    line = [*reversed(list(element.iterancestors())), element]
    tags = [_local(one) for one in line]
    if record is None or layout_of(record).tag not in tags:
        return ""
    below = line[tags.index(layout_of(record).tag) + 1 :]
    return locate(record, [(_local(one), _position(one)) for one in below] + further)


def _position(element: etree._Element) -> int:
    """How many of the same name come before it in its parent."""
    return sum(1 for _ in element.itersiblings(element.tag, preceding=True))


def _local(element: etree._Element) -> str:
    return etree.QName(element).localname
