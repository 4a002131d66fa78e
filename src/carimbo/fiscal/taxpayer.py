"""CPF, CNPJ (letters too, IN RFB 2.229/2024) and state registrations: parse, check and format."""

import re
from functools import lru_cache
from itertools import accumulate, cycle, islice
from operator import mul
from string import ascii_lowercase, ascii_uppercase

CPF_LENGTH = 11
"""By which a CPF is told apart from a CNPJ, once either is known to be right."""

_CPF = re.compile(r"[0-9]{11}", re.ASCII)
_CNPJ = re.compile(r"[0-9A-Z]{12}[0-9]{2}", re.ASCII)
_CPF_FIRST = re.compile(r"[0-9]{9}", re.ASCII)
_CNPJ_FIRST = re.compile(r"[0-9A-Z]{12}", re.ASCII)
# São Paulo writes "P" before the registration of a rural producer.
_STATE_REGISTRATION = re.compile(r"ISENTO|P?[0-9]{2,14}", re.ASCII)

# Only ASCII letters change case: str.upper() turns "ı" into "I" and "ß" into "SS", so a wrong id could pass.
_NORMAL_FORM = str.maketrans(ascii_lowercase, ascii_uppercase, "./- ")

# Whoever sells or buys is checked in the request, in the rules and in the key.
_REMEMBERED = 4_096
_CPF_WEIGHTS = 10
_CNPJ_WEIGHTS = 8
_ZERO = ord("0")
_LONGEST = 64
_WEIGHTS = {weights: tuple(islice(cycle(range(2, 2 + weights)), _LONGEST)) for weights in range(1, _LONGEST)}
# What zeros alone would add up to, by their number.
_ZEROS = {
    weights: tuple(_ZERO * so_far for so_far in accumulate(row, initial=0))
    for weights, row in _WEIGHTS.items()
}


class InvalidTaxId(ValueError):
    """The text is not a valid CPF or CNPJ; the message leaves it out, for it may be personal data."""


class InvalidStateRegistration(ValueError):
    """The text cannot be a state registration."""


def normalize(text: str) -> str:
    """Remove dots, slashes, hyphens and spaces and upper-case ASCII letters; all else stays as it came."""
    return text.translate(_NORMAL_FORM)


@lru_cache(_REMEMBERED)
def is_cpf(text: str) -> bool:
    """Tell whether normalised text is a CPF whose check digits agree."""
    return bool(_CPF.fullmatch(text)) and not _all_equal(text) and text[9:] == cpf_check_digits(text[:9])


@lru_cache(_REMEMBERED)
def is_cnpj(text: str) -> bool:
    """Tell whether normalised text is a CNPJ whose check digits agree."""
    return bool(_CNPJ.fullmatch(text)) and not _all_equal(text) and text[12:] == cnpj_check_digits(text[:12])


def parse_cpf(text: str) -> str:
    """Return the 11 digits of a CPF written with or without punctuation."""
    normalized = normalize(text)
    if not is_cpf(normalized):
        raise InvalidTaxId("not a valid CPF")
    return normalized


def parse_cnpj(text: str) -> str:
    """Return the 14 characters of a CNPJ written with or without punctuation, in either case."""
    normalized = normalize(text)
    if not is_cnpj(normalized):
        raise InvalidTaxId("not a valid CNPJ")
    return normalized


def parse_tax_id(text: str) -> str:
    """Return the normalised CPF or CNPJ, told apart by length."""
    match len(normalize(text)):
        case 11:
            return parse_cpf(text)
        case 14:
            return parse_cnpj(text)
        case _:
            raise InvalidTaxId("a tax id has 11 characters (CPF) or 14 (CNPJ)")


def format_tax_id(normalized: str) -> str:
    """Write a normalised CPF or CNPJ with its punctuation, as printed documents show it."""
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
    """Return the eight characters that every establishment of one company shares."""
    return cnpj[:8]


def cpf_check_digits(first9: str) -> str:
    """Compute the two check digits of the first nine digits of a CPF."""
    if not _CPF_FIRST.fullmatch(first9):
        raise InvalidTaxId("CPF check digits need nine digits")
    return _check_digits(first9, _CPF_WEIGHTS)


def cnpj_check_digits(first12: str) -> str:
    """Compute the two check digits of the first twelve characters of a CNPJ (NT Conjunta 2025.001)."""
    if not _CNPJ_FIRST.fullmatch(first12):
        raise InvalidTaxId("CNPJ check digits need twelve digits or capital letters")
    return _check_digits(first12, _CNPJ_WEIGHTS)


def normalize_state_registration(text: str) -> str:
    """Return a state registration without punctuation, or `ISENTO`."""
    normalized = normalize(text)
    if not _STATE_REGISTRATION.fullmatch(normalized):
        raise InvalidStateRegistration("not a state registration")
    return normalized


def _all_equal(text: str) -> bool:
    return len(set(text)) == 1


def _check_digits(text: str, weights: int) -> str:
    first = modulo_11(text, weights)
    return first + modulo_11(text + first, weights)


def modulo_11(text: str, weights: int) -> str:
    """Compute the digit by modulo 11 with weights that start at 2 on the right and repeat after so many.

    No identifier is longer than 64 characters, and no longer text is taken.
    """
    # A letter is worth its ASCII code less 48, which leaves digits at their own value (IN RFB 2.229/2024).
    # The 48 are taken off at once: this runs several times for every document.
    total = sum(map(mul, text.encode()[::-1], _WEIGHTS[weights])) - _ZEROS[weights][len(text)]
    # Remainders 0 and 1 both give the digit 0.
    return str(-total % 11 % 10)
