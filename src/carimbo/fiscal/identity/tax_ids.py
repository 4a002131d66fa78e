"""CPF, CNPJ (letters too, IN RFB 2.229/2024) and state registrations: parse, check and format."""

import re
from itertools import accumulate, cycle, islice
from operator import mul
from string import ascii_lowercase, ascii_uppercase

CPF_LENGTH = 11
"""The length that distinguishes a valid CPF from a valid CNPJ."""

_CPF = re.compile(r"[0-9]{11}", re.ASCII)
_CNPJ = re.compile(r"[0-9A-Z]{12}[0-9]{2}", re.ASCII)
_CPF_FIRST = re.compile(r"[0-9]{9}", re.ASCII)
_CNPJ_FIRST = re.compile(r"[0-9A-Z]{12}", re.ASCII)
# São Paulo writes "P" before the registration of a rural producer.
_STATE_REGISTRATION = re.compile(r"ISENTO|P?[0-9]{2,14}", re.ASCII)

# Only ASCII letters change case: str.upper() turns "ı" into "I" and "ß" into "SS", so a wrong id could pass.
_NORMAL_FORM = str.maketrans(ascii_lowercase, ascii_uppercase, "./- ")

_CPF_WEIGHTS = 10
_CNPJ_WEIGHTS = 8
_ZERO = ord("0")
_MAX_LENGTH = 64
_WEIGHTS = {
    weights: tuple(islice(cycle(range(2, 2 + weights)), _MAX_LENGTH)) for weights in range(1, _MAX_LENGTH)
}
# By a length: the sum that as many characters "0" add up to.
_ZEROS = {
    weights: tuple(_ZERO * weight_sum for weight_sum in accumulate(row, initial=0))
    for weights, row in _WEIGHTS.items()
}


class InvalidTaxId(ValueError):
    """The text is not a valid CPF or CNPJ. The message does not quote it: it may be personal data."""


class InvalidStateRegistration(ValueError):
    """The text can't be a state registration."""


def normalize(text: str) -> str:
    """Returns the text without dots, slashes, hyphens and spaces, and with ASCII letters in upper case."""
    return text.translate(_NORMAL_FORM)


def is_cpf(text: str) -> bool:
    """Returns whether a normalized text is a CPF with the right check digits."""
    if not _CPF.fullmatch(text) or _has_one_character(text):
        return False
    return text[9:] == _check_digits(text[:9], _CPF_WEIGHTS)


def is_cnpj(text: str) -> bool:
    """Returns whether a normalized text is a CNPJ with the right check digits."""
    if not _CNPJ.fullmatch(text) or _has_one_character(text):
        return False
    return text[12:] == _check_digits(text[:12], _CNPJ_WEIGHTS)


def parse_cpf(text: str) -> str:
    """Returns the 11 digits of a CPF that is written with or without punctuation."""
    normalized = normalize(text)
    if not is_cpf(normalized):
        raise InvalidTaxId("not a valid CPF")
    return normalized


def parse_cnpj(text: str) -> str:
    """Returns the 14 characters of a CNPJ that is written with or without punctuation, in either case."""
    normalized = normalize(text)
    if not is_cnpj(normalized):
        raise InvalidTaxId("not a valid CNPJ")
    return normalized


def parse_tax_id(text: str) -> str:
    """Returns the normalized CPF or CNPJ; its length decides which of the two it is."""
    match len(normalize(text)):
        case 11:
            return parse_cpf(text)
        case 14:
            return parse_cnpj(text)
        case _:
            raise InvalidTaxId("a tax id has 11 characters (CPF) or 14 (CNPJ)")


def format_tax_id(normalized: str) -> str:
    """Returns a normalized CPF or CNPJ with its punctuation, as printed documents show it."""
    # By pattern rather than by length: a CPF that already has its punctuation is as long as a CNPJ.
    if _CPF.fullmatch(normalized):
        return f"{normalized[:3]}.{normalized[3:6]}.{normalized[6:9]}-{normalized[9:]}"
    if _CNPJ.fullmatch(normalized):
        first, second, third = normalized[:2], normalized[2:5], normalized[5:8]
        return f"{first}.{second}.{third}/{normalized[8:12]}-{normalized[12:]}"
    raise InvalidTaxId("only a normalised CPF or CNPJ can be formatted")


def shown_tax_id(stored: str) -> str:
    """Returns a stored CPF or CNPJ with its punctuation; anything else as it is, so that lists show it."""
    try:
        return format_tax_id(stored)
    except InvalidTaxId:
        return stored


def cnpj_base(cnpj: str) -> str:
    """Returns the eight characters that all establishments of a company share."""
    return cnpj[:8]


def cpf_check_digits(first9: str) -> str:
    """Returns the two check digits for the first nine digits of a CPF."""
    if not _CPF_FIRST.fullmatch(first9):
        raise InvalidTaxId("CPF check digits need nine digits")
    return _check_digits(first9, _CPF_WEIGHTS)


def cnpj_check_digits(first12: str) -> str:
    """Returns the two check digits for the first twelve characters of a CNPJ (NT Conjunta 2025.001)."""
    if not _CNPJ_FIRST.fullmatch(first12):
        raise InvalidTaxId("CNPJ check digits need twelve digits or capital letters")
    return _check_digits(first12, _CNPJ_WEIGHTS)


def normalize_state_registration(text: str) -> str:
    """Returns a state registration without punctuation, or `ISENTO`."""
    normalized = normalize(text)
    if not _STATE_REGISTRATION.fullmatch(normalized):
        raise InvalidStateRegistration("not a state registration")
    return normalized


def _has_one_character(text: str) -> bool:
    return len(set(text)) == 1


def _check_digits(text: str, weights: int) -> str:
    first = modulo_11(text, weights)
    return first + modulo_11(text + first, weights)


def modulo_11(text: str, weights: int) -> str:
    """Returns the check digit by modulo 11; the weights begin with 2 on the right and repeat after `weights`.

    The text has at most 64 characters: no identifier is longer.
    """
    # The value of a character is its ASCII code less 48, so digits keep their own value (IN RFB 2.229/2024).
    # The 48 are subtracted once for the whole text, because this runs several times per document.
    total = sum(map(mul, text.encode()[::-1], _WEIGHTS[weights])) - _ZEROS[weights][len(text)]
    # Remainders 0 and 1 both give the digit 0.
    return str(-total % 11 % 10)
