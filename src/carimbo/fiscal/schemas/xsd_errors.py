"""Errors of libxml2 with their element and the caller's field, and their explanation in Portuguese."""

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from lxml import etree

from carimbo.fiscal.layouts.json_form import path_of_tags
from carimbo.fiscal.layouts.layout import layout_of
from carimbo.fiscal.problems import quoted
from carimbo.fiscal.xml_reading import local_name

_ATTRIBUTE = re.compile(r"Element '[^']*'(?:, attribute '([^']*)')?: (?:The attribute '([^']*)')?")
_PREFIXED = re.compile(r"[\w.-]+:([\w.-]+)")
_NUMBER = re.compile(r"(-?)([0-9]+)(?:\.[0-9]+)?")
_MAX_DIGITS_PATTERN = re.compile(r"\[1-9\](?:\{1\})?\[0-9\]\{0,([0-9]+)\}")
# Longer patterns and lists of codes are not readable.
_READABLE = 120
_LENGTH_AND_LIMIT = 2


def json_path_of(record: type | None, element: etree._Element, further: list[tuple[str, int]]) -> str:
    """Returns the JSON path of an element, or of a path below it; empty outside of the record."""
    lineage = _lineage(element)
    tags = [local_name(ancestor) for ancestor in lineage]
    if record is None or layout_of(record).tag not in tags:
        return ""
    below = lineage[tags.index(layout_of(record).tag) + 1 :]
    return path_of_tags(record, [(local_name(inner), _position(inner)) for inner in below] + further)


def _lineage(element: etree._Element) -> list[etree._Element]:
    """Returns the ancestors of an element from the root on, and the element itself."""
    return [*reversed(list(element.iterancestors())), element]


def _position(element: etree._Element) -> int:
    """Returns the number of preceding siblings with the same name."""
    return sum(1 for _ in element.itersiblings(element.tag, preceding=True))


def tags_to(root: etree._Element, element: etree._Element) -> list[str]:
    """Returns the tags from the message's root, which may be inside of another message, to an element."""
    lineage = _lineage(element)
    return [local_name(ancestor) for ancestor in lineage[lineage.index(root) :]]


@dataclass(frozen=True, slots=True)
class XsdError:
    """An error of libxml2 with its element."""

    kind: str
    text: str
    element: etree._Element
    attribute: str | None
    path: str
    """The caller's field of the element, or the nearest one around it."""
    has_field: bool
    """Whether the path identifies the element."""

    @property
    def name(self) -> str:
        """The official name of the element or attribute."""
        tag = local_name(self.element)
        return f"{tag}/@{self.attribute}" if self.attribute else tag

    @property
    def of_name(self) -> str:
        """The official name in a sentence, if the path does not identify the element; else empty."""
        return "" if self.has_field else f" de {self.name}"

    @property
    def value(self) -> str:
        """The refused text."""
        text = self.element.get(self.attribute) if self.attribute else self.element.text
        return str(text or "")


def located_errors(errors: Iterable[Any], root: etree._Element, record: type | None) -> Iterable[XsdError]:
    """Yields each error of a validation with its element and field."""
    for error in errors:
        named = _ATTRIBUTE.match(error.message)
        element, attribute = _element_at(root, error.path), named and (named[1] or named[2])
        path = json_path_of(record, element, [(attribute, 0)] if attribute else [])
        parent = element if attribute else element.getparent()
        yield XsdError(
            kind=error.type_name.removeprefix("SCHEMAV_"),
            text=error.message,
            element=element,
            attribute=attribute,
            path=path,
            has_field=path != ("" if parent is None else json_path_of(record, parent, [])),
        )


def _element_at(root: etree._Element, path: str) -> etree._Element:
    """Follows libxml2's path, `/*/*[1]/*[3]`: the first step is the root; prefixes may be unknown."""
    below = path.split("/", 2)[2:]
    if not below:
        return root
    matches: Any = root.xpath(_PREFIXED.sub(r"*[local-name()='\1']", below[0]))
    element: etree._Element = matches[0]
    return element


@dataclass(frozen=True, slots=True)
class Explanation:
    """An explanation of an error in Portuguese, with its path."""

    path: str
    message: str
    subject: str
    """The name of the wrong part in the XSD."""
    hint: str | None = None


def explain_value(error: XsdError) -> Explanation:
    """Returns the explanation of an error of a value, or of an element."""
    return _EXPLAINERS.get(error.kind, _other)(error)


def explain_misplaced(error: XsdError) -> Explanation:
    """Returns the explanation of an element that is not allowed at its position."""
    return _of_element("{subject} não pode estar aqui.")(error)


def rank(error: XsdError) -> int:
    """Returns the rank of an error; of several errors of a place, the lowest is the most specific."""
    return _RANKED_KINDS.index(error.kind) if error.kind in _RANKED_KINDS else len(_RANKED_KINDS)


def _explain_value(error: XsdError, message: str, hint: str | None = None) -> Explanation:
    if not error.value.strip():
        message = f"O campo{error.of_name} está vazio."
    return Explanation(error.path, message, error.name, hint)


def _value_that(error: XsdError, wrong: str, hint: str | None = None) -> Explanation:
    return _explain_value(error, f"O valor {quoted(error.value)}{error.of_name} {wrong}.", hint)


def _pattern(error: XsdError) -> Explanation:
    pattern = error.text.rpartition("by the pattern '")[2].removesuffix("'.")
    number, max_digits = _NUMBER.fullmatch(error.value), _MAX_DIGITS_PATTERN.search(pattern)
    if number and max_digits and (number[1] or len(number[2]) > int(max_digits[1]) + 1):
        wrong = (
            "é negativo" if number[1] else f"tem mais de {int(max_digits[1]) + 1} algarismos antes da vírgula"
        )
        return _value_that(error, wrong)
    hint = f"O formato exigido, como expressão regular, é {pattern}." if len(pattern) <= _READABLE else None
    return _value_that(error, "não tem o formato exigido", hint)


def _enumeration(error: XsdError) -> Explanation:
    allowed = error.text.rpartition("of the set {")[2].removesuffix("}.").replace("'", "")
    hint = f"Valores permitidos: {allowed}." if len(allowed) <= _READABLE else None
    return _value_that(error, "não é um dos permitidos", hint)


def _length(limit: str) -> Callable[[XsdError], Explanation]:
    def explain(error: XsdError) -> Explanation:
        numbers = re.findall(r"'(\d+)'", error.text)[-2:]
        # libxml2 cuts its message if the value of an attribute is too long.
        if len(numbers) != _LENGTH_AND_LIMIT:
            return _type(error)
        length, allowed = numbers
        return _explain_value(error, f"O tamanho{error.of_name} é {length}; {limit} é {allowed}.")

    return explain


def _type(error: XsdError) -> Explanation:
    return _value_that(error, "não é do tipo exigido")


def _subject(error: XsdError) -> str:
    return "O campo" if error.has_field else f"O elemento {error.name}"


def _of_element(template: str) -> Callable[[XsdError], Explanation]:
    def explain(error: XsdError) -> Explanation:
        message = template.format(
            subject=_subject(error),
            name=error.name,
            tag=local_name(error.element),
            attribute=error.attribute,
        )
        return Explanation(error.path, message, error.name)

    return explain


def _other(error: XsdError) -> Explanation:
    reason = error.text.partition(": ")[2]
    if reason.startswith("[facet '"):
        return _value_that(error, "está fora dos limites")
    message = f"{_subject(error)} não segue o schema: {quoted(reason)}"
    return Explanation(error.path, message, error.name)


_EXPLAINERS: dict[str, Callable[[XsdError], Explanation]] = {
    "CVC_LENGTH_VALID": _length("o exigido"),
    "CVC_MAXLENGTH_VALID": _length("o máximo"),
    "CVC_MINLENGTH_VALID": _length("o mínimo"),
    "CVC_ENUMERATION_VALID": _enumeration,
    "CVC_PATTERN_VALID": _pattern,
    "CVC_DATATYPE_VALID_1_2_1": _type,
    "CVC_DATATYPE_VALID_1_2_2": _type,
    "CVC_DATATYPE_VALID_1_2_3": _type,
    "CVC_COMPLEX_TYPE_4": _of_element("Falta o atributo {attribute} em {tag}."),
    "CVC_COMPLEX_TYPE_3_2_1": _of_element("O atributo {attribute} não existe em {tag}."),
    "CVC_TYPE_3_1_1": _of_element("O atributo {attribute} não existe em {tag}."),
    "CVC_TYPE_3_1_2": _of_element("{subject} leva um texto, e não outros elementos."),
    "CVC_COMPLEX_TYPE_2_3": _of_element("{subject} leva outros elementos, e não um texto."),
    "CVC_IDC": _of_element("{subject} repete um valor que deve ser único na mensagem."),
    "CVC_ELT_1": _of_element("O elemento {name} não é o que este schema descreve."),
}
_RANKED_KINDS = [*_EXPLAINERS, "ELEMENT_CONTENT"]
