"""Access keys of NF-e, NFC-e, CT-e, CT-e OS and MDF-e, and the numeric code drawn for each document."""

import re
from collections.abc import Callable
from datetime import datetime
from typing import Self

from carimbo.fiscal.tables.states import state_of_ibge
from carimbo.fiscal.taxpayer import is_cpf, modulo_11, normalize

KEY_LENGTH = 44
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


def check_digit(characters: str) -> str:
    """Compute the last digit of a key, by weights 2 to 9 (MOC 7.0; letters by NT Conjunta 2025.001)."""
    return modulo_11(characters, _WEIGHTS)


class AccessKey(str):
    """The 44 characters of a document's key, with what they say."""

    __slots__ = ()

    def __new__(
        cls,
        state_code: str,
        year_month: str,
        tax_id: str,
        model: str,
        series: int,
        number: int,
        emission_type: str,
        numeric_code: str,
    ) -> Self:
        """Put the parts together, or refuse those that do not make a key."""
        document = f"{model} {series:03d} {number:09d} {emission_type} {numeric_code}"
        apart = f"{state_code} {year_month} {tax_id} {document}"
        if not _APART.fullmatch(apart):
            raise InvalidAccessKey("A chave de acesso tem partes fora do formato.")
        if state_of_ibge(state_code) is None:
            raise InvalidAccessKey(f"A chave de acesso não começa com código de estado: {state_code}.")
        if year_month[2:] not in _MONTHS:
            raise InvalidAccessKey(f"O mês da chave de acesso não existe: {year_month[2:]}.")
        first = apart.replace(" ", "")
        return super().__new__(cls, first + check_digit(first))

    def __getnewargs__(self) -> tuple[str, str, str, str, int, int, str, str]:  # type: ignore[override]
        """The parts, of which a copy is made."""
        document = (self.model, self.series, self.number, self.emission_type, self.numeric_code)
        return (self.state_code, self.year_month, self.tax_id, *document)

    @property
    def state_code(self) -> str:
        """IBGE code of the issuer's state, two digits."""
        return self[:2]

    @property
    def year_month(self) -> str:
        """Issue date as `AAMM`."""
        return self[2:6]

    @property
    def tax_id(self) -> str:
        """CNPJ, or a CPF with three zeros in front."""
        return self[6:20]

    @property
    def model(self) -> str:
        """55, 65, 57, 67 or 58."""
        return self[20:22]

    @property
    def series(self) -> int:
        """One of the numberings that a company has for a model."""
        return int(self[22:25])

    @property
    def number(self) -> int:
        """Place of the document in its series."""
        return int(self[25:34])

    @property
    def emission_type(self) -> str:
        """Normal or one of the contingencies: another type is another key."""
        return self[34]

    @property
    def numeric_code(self) -> str:
        """Eight digits drawn for the document."""
        return self[35:43]

    @property
    def check_digit(self) -> str:
        """The last one, computed of all others."""
        return self[43]

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
        if len(key) != KEY_LENGTH:
            raise InvalidAccessKey(f"A chave de acesso tem {KEY_LENGTH} caracteres, e esta tem {len(key)}.")
        found = _TOGETHER.fullmatch(key)
        if found is None:
            raise InvalidAccessKey("A chave de acesso só tem algarismos, e letras apenas no CNPJ.")
        state_code, year_month, tax_id, model, series, number, emission_type, numeric_code = found.groups()
        parsed = cls(
            state_code, year_month, tax_id, model, int(series), int(number), emission_type, numeric_code
        )
        if parsed != key:
            raise InvalidAccessKey("O dígito verificador da chave de acesso não confere.")
        return parsed


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
