"""A complaint of libxml2 in Portuguese, by its kind."""

import re
from collections.abc import Callable
from dataclasses import dataclass

from carimbo.fiscal.problems import quoted
from carimbo.fiscal.schemas.complaints import Complaint
from carimbo.fiscal.xml_reading import local_name

_NUMBER = re.compile(r"(-?)([0-9]+)(?:\.[0-9]+)?")
_MOST_DIGITS = re.compile(r"\[1-9\](?:\{1\})?\[0-9\]\{0,([0-9]+)\}")
# Longer patterns and tables of codes tell a person nothing.
_READABLE = 120
_LENGTH_AND_LIMIT = 2


@dataclass(frozen=True, slots=True)
class Told:
    """What is wrong in words, and where it is."""

    path: str
    message: str
    subject: str
    """What the XSD calls the wrong part."""
    hint: str | None = None


def in_words(complaint: Complaint) -> Told:
    """What is wrong with a value, or with where it stands."""
    return _WORDS.get(complaint.kind, _other)(complaint)


def out_of_place(complaint: Complaint) -> Told:
    """The element can't stand where it does, and nothing more can be said of it."""
    return _of_element(complaint, f"{_shown(complaint)} não pode estar aqui.")


def gravity(complaint: Complaint) -> int:
    """Of several complaints about one place, the one with the least says most."""
    return _KINDS.index(complaint.kind) if complaint.kind in _KINDS else len(_KINDS)


def _of_value(complaint: Complaint, message: str, hint: str | None = None) -> Told:
    if not complaint.value.strip():
        message = f"O campo{complaint.of_name} está vazio."
    return Told(complaint.path, message, complaint.name, hint)


def _value_that(complaint: Complaint, wrong: str, hint: str | None = None) -> Told:
    return _of_value(complaint, f"O valor {quoted(complaint.value)}{complaint.of_name} {wrong}.", hint)


def _pattern(complaint: Complaint) -> Told:
    pattern = complaint.text.rpartition("by the pattern '")[2].removesuffix("'.")
    number, most = _NUMBER.fullmatch(complaint.value), _MOST_DIGITS.search(pattern)
    if number and most and (number[1] or len(number[2]) > int(most[1]) + 1):
        wrong = "é negativo" if number[1] else f"tem mais de {int(most[1]) + 1} algarismos antes da vírgula"
        return _value_that(complaint, wrong)
    hint = f"O formato exigido, como expressão regular, é {pattern}." if len(pattern) <= _READABLE else None
    return _value_that(complaint, "não tem o formato exigido", hint)


def _enumeration(complaint: Complaint) -> Told:
    allowed = complaint.text.rpartition("of the set {")[2].removesuffix("}.").replace("'", "")
    hint = f"Valores permitidos: {allowed}." if len(allowed) <= _READABLE else None
    return _value_that(complaint, "não é um dos permitidos", hint)


def _length(limit: str) -> Callable[[Complaint], Told]:
    def tell(complaint: Complaint) -> Told:
        numbers = re.findall(r"'(\d+)'", complaint.text)[-2:]
        # libxml2 cuts its message when the value of an attribute fills it.
        if len(numbers) != _LENGTH_AND_LIMIT:
            return _type(complaint)
        length, allowed = numbers
        return _of_value(complaint, f"O tamanho{complaint.of_name} é {length}; {limit} é {allowed}.")

    return tell


def _type(complaint: Complaint) -> Told:
    return _value_that(complaint, "não é do tipo exigido")


def _shown(complaint: Complaint) -> str:
    return "O campo" if complaint.has_field else f"O elemento {complaint.name}"


def _of_element(complaint: Complaint, message: str) -> Told:
    return Told(complaint.path, message, complaint.name)


def _missing_attribute(complaint: Complaint) -> Told:
    return _of_element(
        complaint, f"Falta o atributo {complaint.attribute} em {local_name(complaint.element)}."
    )


def _unknown_attribute(complaint: Complaint) -> Told:
    return _of_element(
        complaint, f"O atributo {complaint.attribute} não existe em {local_name(complaint.element)}."
    )


def _not_a_group(complaint: Complaint) -> Told:
    return _of_element(complaint, f"{_shown(complaint)} leva um texto, e não outros elementos.")


def _loose_text(complaint: Complaint) -> Told:
    return _of_element(complaint, f"{_shown(complaint)} leva outros elementos, e não um texto.")


def _repeated(complaint: Complaint) -> Told:
    return _of_element(complaint, f"{_shown(complaint)} repete um valor que deve ser único na mensagem.")


def _wrong_root(complaint: Complaint) -> Told:
    return _of_element(complaint, f"O elemento {complaint.name} não é o que este schema descreve.")


def _other(complaint: Complaint) -> Told:
    reason = complaint.text.partition(": ")[2]
    if reason.startswith("[facet '"):
        return _value_that(complaint, "está fora dos limites")
    return _of_element(complaint, f"{_shown(complaint)} não segue o schema: {quoted(reason)}")


_WORDS: dict[str, Callable[[Complaint], Told]] = {
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
_KINDS = [*_WORDS, "ELEMENT_CONTENT"]
