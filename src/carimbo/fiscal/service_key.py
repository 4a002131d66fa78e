"""Access keys of the national NFS-e: the authority gives them, so they are read far more often than made."""

import re
from typing import Self

from carimbo.fiscal.access_key import check_digit, padded_tax_id
from carimbo.fiscal.taxpayer import CPF_LENGTH, normalize

_LENGTH = 50
_PERSON, _COMPANY = "1", "2"

# Municipality, system, kind of taxpayer with its CPF or CNPJ, number, month, drawn code. The pattern in the
# XSD of 2026-07-27 has letters where real keys have none, so this one follows the keys.
_PARTS = (
    r"[0-9]{7}",
    r"[12]",
    r"(?:1000[0-9]{11}|2[0-9A-Z]{12}[0-9]{2})",
    r"(?!0{13})[0-9]{13}",
    r"[0-9]{2}(?:0[1-9]|1[0-2])",
    r"[0-9]{9}",
)
_APART = re.compile(" ".join(_PARTS))
_TOGETHER = re.compile("".join(f"({part})" for part in _PARTS) + "[0-9]")


class InvalidServiceKey(ValueError):
    """The text is no key of an NFS-e; the message is Portuguese and leaves the key out: it names a person."""


class ServiceKey(str):
    """The 50 characters of an NFS-e's key, with what they say."""

    __slots__ = ()

    def __new__(
        cls, city_code: str, generator: str, tax_id: str, number: int, year_month: str, numeric_code: str
    ) -> Self:
        """Put the parts together, or refuse those that do not make a key."""
        owner = f"{_PERSON if len(tax_id) == CPF_LENGTH else _COMPANY}{padded_tax_id(tax_id)}"
        apart = f"{city_code} {generator} {owner} {number:013d} {year_month} {numeric_code}"
        if not _APART.fullmatch(apart):
            raise InvalidServiceKey("A chave da NFS-e tem partes fora do formato.")
        first = apart.replace(" ", "")
        return super().__new__(cls, first + check_digit(first))

    def __getnewargs__(self) -> tuple[str, str, str, int, str, str]:  # type: ignore[override]
        """The parts, of which a copy is made."""
        return (
            self.city_code,
            self.generator,
            self.tax_id,
            self.number,
            self.year_month,
            self.numeric_code,
        )

    @property
    def city_code(self) -> str:
        """IBGE code of the municipality that the note was issued in."""
        return self[:7]

    @property
    def generator(self) -> str:
        """1 the municipality's own system, 2 the national one."""
        return self[7]

    @property
    def tax_id(self) -> str:
        """CNPJ or CPF of who issued it."""
        return self[12:23] if self[8] == _PERSON else self[9:23]

    @property
    def number(self) -> int:
        """Number of the note."""
        return int(self[23:36])

    @property
    def year_month(self) -> str:
        """Issue date as `AAMM`."""
        return self[36:40]

    @property
    def numeric_code(self) -> str:
        """Nine digits drawn for the note."""
        return self[40:49]

    @property
    def check_digit(self) -> str:
        """The last one, computed of all others."""
        return self[49]

    @classmethod
    def parse(cls, text: str) -> Self:
        """Read a key as people write it, in groups and in either case."""
        key = normalize(text)
        if len(key) != _LENGTH:
            raise InvalidServiceKey(f"A chave da NFS-e tem {_LENGTH} caracteres, e esta tem {len(key)}.")
        if not _TOGETHER.fullmatch(key):
            raise InvalidServiceKey("A chave da NFS-e tem partes fora do formato.")
        if key[-1] != check_digit(key[:-1]):
            raise InvalidServiceKey("O dígito verificador da chave da NFS-e não confere.")
        return super().__new__(cls, key)
