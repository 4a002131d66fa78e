"""What libxml2 says about an invalid message, retold in Portuguese and in the caller's field names."""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from lxml import etree

from carimbo.fiscal.layouts.group import SCHEMA_PROBLEM, layout_of
from carimbo.fiscal.layouts.paths import locate
from carimbo.fiscal.problems import Problem, quoted
from carimbo.fiscal.schemas.content import Fault, Lack, Surplus, content_of, faults
from carimbo.fiscal.schemas.files import SchemaFile

_ATTRIBUTE = re.compile(r"Element '[^']*'(?:, attribute '([^']*)')?: (?:The attribute '([^']*)')?")
_PREFIXED = re.compile(r"[\w.-]+:([\w.-]+)")
_NUMBER = re.compile(r"(-?)([0-9]+)(?:\.[0-9]+)?")
_MOST_DIGITS = re.compile(r"\[1-9\](?:\{1\})?\[0-9\]\{0,([0-9]+)\}")
# Longer patterns and tables of codes tell a person nothing.
_READABLE = 120
_MOST_NAMED = 8
_LENGTH_AND_LIMIT = 2


@dataclass(frozen=True, slots=True)
class _Fault:
    """One error of libxml2 with the element that it is about."""

    kind: str
    text: str
    element: etree._Element
    attribute: str | None
    path: str
    """The field that the element was made of, or the nearest around it."""
    has_field: bool
    """Whether the path says which element is meant."""

    @property
    def name(self) -> str:
        tag = _local(self.element)
        return f"{tag}/@{self.attribute}" if self.attribute else tag

    @property
    def of_name(self) -> str:
        """The official name, where no path of the caller's says what is meant."""
        return "" if self.has_field else f" de {self.name}"

    @property
    def value(self) -> str:
        found = self.element.get(self.attribute) if self.attribute else self.element.text
        return str(found or "")


@dataclass(frozen=True, slots=True)
class _Told:
    """A fault in words, and where it is."""

    path: str
    message: str
    subject: str
    """What the XSD calls the wrong part."""
    hint: str | None = None


def explained(
    errors: Iterable[Any], root: etree._Element, record: type | None, file: SchemaFile
) -> tuple[Problem, ...]:
    """One problem per element or attribute, in the order of the document."""
    told = [
        Problem(
            SCHEMA_PROBLEM,
            one.path,
            one.message,
            hint=one.hint,
            source=f"XSD {file.path.name}, elemento {one.subject}",
        )
        for fault in _gravest(_faults(errors, root, record))
        for one in _told(fault, root, record, file)
    ]
    # What a group lacks is the same for each of its elements that was not expected.
    return tuple(dict.fromkeys(told))


def _told(fault: _Fault, root: etree._Element, record: type | None, file: SchemaFile) -> Iterable[_Told]:
    if fault.kind != "ELEMENT_CONTENT":
        return [_WORDS.get(fault.kind, _other)(fault)]
    told = list(_of_content(fault, root, record, file))
    return told or [_of_element(fault, f"{_shown(fault)} não pode estar aqui.")]


def _faults(errors: Iterable[Any], root: etree._Element, record: type | None) -> Iterable[_Fault]:
    for error in errors:
        named = _ATTRIBUTE.match(error.message)
        element, attribute = _element_at(root, error.path), named and (named[1] or named[2])
        path = _located(record, element, [(attribute, 0)] if attribute else [])
        yield _Fault(
            kind=error.type_name.removeprefix("SCHEMAV_"),
            text=error.message,
            element=element,
            attribute=attribute,
            path=path,
            has_field=path != _around(record, element, attribute),
        )


def _around(record: type | None, element: etree._Element, attribute: str | None) -> str:
    parent = element if attribute else element.getparent()
    return "" if parent is None else _located(record, parent, [])


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


def _of_value(fault: _Fault, message: str, hint: str | None = None) -> _Told:
    if not fault.value.strip():
        message = f"O campo{fault.of_name} está vazio."
    return _Told(fault.path, message, fault.name, hint)


def _pattern(fault: _Fault) -> _Told:
    pattern = fault.text.rpartition("by the pattern '")[2].removesuffix("'.")
    number, most = _NUMBER.fullmatch(fault.value), _MOST_DIGITS.search(pattern)
    if number and most and (number[1] or len(number[2]) > int(most[1]) + 1):
        wrong = "é negativo" if number[1] else f"tem mais de {int(most[1]) + 1} algarismos antes da vírgula"
        return _of_value(fault, f"O valor {quoted(fault.value)}{fault.of_name} {wrong}.")
    hint = f"O formato exigido, como expressão regular, é {pattern}." if len(pattern) <= _READABLE else None
    return _of_value(fault, f"O valor {quoted(fault.value)}{fault.of_name} não tem o formato exigido.", hint)


def _enumeration(fault: _Fault) -> _Told:
    allowed = fault.text.rpartition("of the set {")[2].removesuffix("}.").replace("'", "")
    hint = f"Valores permitidos: {allowed}." if len(allowed) <= _READABLE else None
    return _of_value(fault, f"O valor {quoted(fault.value)}{fault.of_name} não é um dos permitidos.", hint)


def _length(limit: str) -> Callable[[_Fault], _Told]:
    def tell(fault: _Fault) -> _Told:
        numbers = re.findall(r"'(\d+)'", fault.text)[-2:]
        # libxml2 cuts its message when the value of an attribute fills it.
        if len(numbers) != _LENGTH_AND_LIMIT:
            return _type(fault)
        length, allowed = numbers
        return _of_value(fault, f"O tamanho{fault.of_name} é {length}; {limit} é {allowed}.")

    return tell


def _type(fault: _Fault) -> _Told:
    return _of_value(fault, f"O valor {quoted(fault.value)}{fault.of_name} não é do tipo exigido.")


def _of_content(
    fault: _Fault, root: etree._Element, record: type | None, file: SchemaFile
) -> Iterator[_Told]:
    """What the elements of a group lack and have too much of; nothing when only their order is wrong."""
    parent = fault.element if "Missing child" in fault.text else fault.element.getparent()
    content = None if parent is None else content_of(file).inside(_way(root, parent))
    if parent is None or content is None:
        return
    place = _Place(record, parent)
    for wrong in faults(content, [_local(child) for child in parent.iterchildren("*")]):
        yield place.told(wrong)


@dataclass(frozen=True, slots=True)
class _Place:
    """A group, with the fields that its elements were made of."""

    record: type | None
    parent: etree._Element

    @property
    def path(self) -> str:
        return _located(self.record, self.parent, [])

    def path_of(self, tag: str) -> str:
        return _located(self.record, self.parent, [(tag, 0)]).removesuffix("[0]")

    def name_of(self, tag: str) -> str:
        """The caller's name of an element, or the official one where it has none."""
        return self.path_of(tag).removeprefix(self.path).lstrip(".") or tag

    def names_of(self, tags: Sequence[str], last: str) -> str:
        names = list(dict.fromkeys(map(self.name_of, tags)))
        if len(names) > _MOST_NAMED:
            names = [*names[: _MOST_NAMED - 1], "outros" if last == "e" else "outro"]
        return f" {last} ".join(filter(None, (", ".join(names[:-1]), names[-1])))

    def told(self, wrong: Fault) -> _Told:
        if isinstance(wrong, Surplus):
            path = self.path_of(wrong.tag)
            shown = f"{wrong.tag} está" if path == self.path else "Está"
            return _Told(path, f"{shown} mais de uma vez onde cabe uma só.", wrong.tag)
        return self.lacking(wrong) if isinstance(wrong, Lack) else self.having_too_much(*wrong)

    def lacking(self, lack: Lack) -> _Told:
        paths = {self.path_of(tag) for tag in lack.tags}
        path = paths.pop() if len(paths) == 1 else self.path
        beside = f" com {self.names_of(lack.beside, 'e')}" if lack.beside else ""
        if path == self.path:
            wanted = self.names_of(lack.tags, "ou")
            return _Told(path, f"Falta {wanted}{beside and ', exigido'}{beside}.", lack.tags[0])
        return _Told(path, f"Obrigatório{beside}.", lack.tags[0])

    def having_too_much(self, tag: str, beside: str) -> _Told:
        path, other = self.path_of(tag), self.path_of(beside)
        shown = f"{tag} não se usa" if path in (self.path, other) else "Não se usa"
        named = beside if path == other else self.name_of(beside)
        return _Told(path, f"{shown} com {named}: informe só um dos dois.", tag)


def _way(root: etree._Element, element: etree._Element) -> list[str]:
    """The tags from the message's root, which may stand inside of another message, to an element."""
    line = [*reversed(list(element.iterancestors())), element]
    return [_local(one) for one in line[line.index(root) :]]


def _shown(fault: _Fault) -> str:
    return "O campo" if fault.has_field else f"O elemento {fault.name}"


def _of_element(fault: _Fault, message: str) -> _Told:
    return _Told(fault.path, message, fault.name)


def _missing_attribute(fault: _Fault) -> _Told:
    return _of_element(fault, f"Falta o atributo {fault.attribute} em {_local(fault.element)}.")


def _unknown_attribute(fault: _Fault) -> _Told:
    return _of_element(fault, f"O atributo {fault.attribute} não existe em {_local(fault.element)}.")


def _not_a_group(fault: _Fault) -> _Told:
    return _of_element(fault, f"{_shown(fault)} leva um texto, e não outros elementos.")


def _loose_text(fault: _Fault) -> _Told:
    return _of_element(fault, f"{_shown(fault)} leva outros elementos, e não um texto.")


def _repeated(fault: _Fault) -> _Told:
    return _of_element(fault, f"{_shown(fault)} repete um valor que deve ser único na mensagem.")


def _wrong_root(fault: _Fault) -> _Told:
    return _of_element(fault, f"O elemento {fault.name} não é o que este schema descreve.")


def _other(fault: _Fault) -> _Told:
    reason = fault.text.partition(": ")[2]
    if reason.startswith("[facet '"):
        return _of_value(fault, f"O valor {quoted(fault.value)}{fault.of_name} está fora dos limites.")
    return _of_element(fault, f"{_shown(fault)} não segue o schema: {quoted(reason)}")


_WORDS: dict[str, Callable[[_Fault], _Told]] = {
    "CVC_LENGTH_VALID": _length("o exigido"),
    "CVC_MAXLENGTH_VALID": _length("o máximo"),
    "CVC_MINLENGTH_VALID": _length("o mínimo"),
    "CVC_ENUMERATION_VALID": _enumeration,
    "CVC_PATTERN_VALID": _pattern,
    "CVC_DATATYPE_VALID_1_2_1": _type,
    "CVC_DATATYPE_VALID_1_2_2": _type,
    "CVC_DATATYPE_VALID_1_2_3": _type,
    "CVC_COMPLEX_TYPE_4": _missing_attribute,
    "CVC_COMPLEX_TYPE_3_2_1": _unknown_attribute,
    "CVC_TYPE_3_1_1": _unknown_attribute,
    "CVC_TYPE_3_1_2": _not_a_group,
    "CVC_COMPLEX_TYPE_2_3": _loose_text,
    "CVC_IDC": _repeated,
    "CVC_ELT_1": _wrong_root,
}
# Of several complaints about one place, the one that comes first here says most.
_KINDS = [*_WORDS, "ELEMENT_CONTENT"]


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
