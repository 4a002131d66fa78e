"""Access keys of NF-e, NFC-e, CT-e, CT-e OS and MDF-e, and the numeric code drawn for each document."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from typing import Self

from carimbo.fiscal.tables.states import state_of_ibge
from carimbo.fiscal.taxpayer import is_cpf, modulo_11, normalize

# The key of a document is written several times while it is made.
_REMEMBERED = 64
_LENGTH = 44
_WEIGHTS = 8
_TAX_ID_LENGTH = 14

_PARTS = (
    r"[0-9]{2}",
    r"[0-9]{4}",
    r"[0-9A-Z]{12}[0-9]{2}",
    r"[0-9]{2}",
    r"[0-9]{3}",
    r"(?!0{9})[0-9]{9}",
    r"[0-9]",
    r"[0-9]{8}",
)
_APART = re.compile(" ".join(_PARTS))
_TOGETHER = re.compile("".join(f"({part})" for part in _PARTS) + "[0-9]")
_MONTHS = frozenset(f"{month:02d}" for month in range(1, 13))

_NUMERIC_CODE = re.compile(r"[0-9]{8}")
_ASCENDING = "01234567890123456"
# NT 2019.001 (rejection 897): one digit eight times, or digits that follow one another.
_TRIVIAL_CODES = frozenset(str(digit) * 8 for digit in range(10)) | frozenset(
    _ASCENDING[first : first + 8] for first in range(10)
)
# Of a hundred million codes 21 are refused: a source that fails so often is broken.
_MOST_DRAWS = 20


class InvalidAccessKey(ValueError):
    """The text is no access key; the message is Portuguese and leaves the key out, for it names a person."""


@lru_cache(_REMEMBERED)
def check_digit(characters: str) -> str:
    """Compute the last digit of a key, by weights 2 to 9 (MOC 7.0; letters by NT Conjunta 2025.001)."""
    return modulo_11(characters, _WEIGHTS)


@dataclass(frozen=True, slots=True)
class AccessKey:
    """What the 44 characters of a document's key say; `str` writes them."""

    state_code: str
    """IBGE code of the issuer's state, two digits."""
    year_month: str
    """Issue date as `AAMM`."""
    tax_id: str
    """CNPJ, or a CPF with three zeros in front."""
    model: str
    """55, 65, 57, 67 or 58."""
    series: int
    number: int
    emission_type: str
    """Normal or one of the contingencies: another type is another key."""
    numeric_code: str
    """Eight digits drawn for the document."""

    def __post_init__(self) -> None:
        """Refuse parts that do not make a key."""
        if not _APART.fullmatch(" ".join(self._parts())):
            raise InvalidAccessKey("A chave de acesso tem partes fora do formato.")
        if state_of_ibge(self.state_code) is None:
            raise InvalidAccessKey(f"A chave de acesso não começa com código de estado: {self.state_code}.")
        if self.year_month[2:] not in _MONTHS:
            raise InvalidAccessKey(f"O mês da chave de acesso não existe: {self.year_month[2:]}.")

    def __str__(self) -> str:
        """Write the 44 characters."""
        first = "".join(self._parts())
        return first + check_digit(first)

    @classmethod
    def of_issue(
        cls,
        issued_at: datetime,
        *,
        state_code: str,
        tax_id: str,
        model: str,
        series: int,
        number: int,
        emission_type: str,
        numeric_code: str,
    ) -> Self:
        """Make the key of a document: its month is that of the offset written in the issue date."""
        if issued_at.utcoffset() is None:
            raise InvalidAccessKey("A data de emissão não tem fuso horário.")
        year_month = f"{issued_at.year % 100:02d}{issued_at.month:02d}"
        owner = padded_tax_id(tax_id)
        return cls(state_code, year_month, owner, model, series, number, emission_type, numeric_code)

    @classmethod
    def parse(cls, text: str) -> Self:
        """Read a key as people write it, in groups and in either case."""
        key = normalize(text)
        if len(key) != _LENGTH:
            raise InvalidAccessKey(f"A chave de acesso tem {_LENGTH} caracteres, e esta tem {len(key)}.")
        found = _TOGETHER.fullmatch(key)
        if found is None:
            raise InvalidAccessKey("A chave de acesso só tem algarismos, e letras apenas no CNPJ.")
        state_code, year_month, tax_id, model, series, number, emission_type, numeric_code = found.groups()
        parsed = cls(
            state_code, year_month, tax_id, model, int(series), int(number), emission_type, numeric_code
        )
        if str(parsed) != key:
            raise InvalidAccessKey("O dígito verificador da chave de acesso não confere.")
        return parsed

    def _parts(self) -> tuple[str, ...]:
        return (
            self.state_code,
            self.year_month,
            self.tax_id,
            self.model,
            f"{self.series:03d}",
            f"{self.number:09d}",
            self.emission_type,
            self.numeric_code,
        )


def padded_tax_id(tax_id: str) -> str:
    """Bring a CPF to the length of a CNPJ, as keys and identifiers write it."""
    return tax_id.zfill(_TAX_ID_LENGTH) if is_cpf(tax_id) else tax_id


def is_allowed_numeric_code(code: str, number: int) -> bool:
    """Tell whether a document of this number may carry the code (NT 2019.001)."""
    if not _NUMERIC_CODE.fullmatch(code) or code in _TRIVIAL_CODES:
        return False
    return code != f"{number:08d}"[-8:]


def choose_numeric_code(number: int, draw: Callable[[], int]) -> str:
    """Draw a code from a source of whole numbers below a hundred million until one is allowed."""
    for _ in range(_MOST_DRAWS):
        code = f"{draw():08d}"
        if is_allowed_numeric_code(code, number):
            return code
    raise RuntimeError(f"the source of numeric codes gave {_MOST_DRAWS} unusable ones in a row")
