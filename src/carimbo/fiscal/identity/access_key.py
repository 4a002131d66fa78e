"""Access keys of NF-e, NFC-e, CT-e, CT-e OS, MDF-e and NFS-e, and the XML Ids that are built from them."""

import re
from collections.abc import Callable
from datetime import datetime
from typing import Self

from carimbo.fiscal.identity.tax_ids import is_cpf, modulo_11, normalize
from carimbo.fiscal.tables.geography import state_of_ibge

KEY_LENGTH = 44
_NFSE_KEY_LENGTH, _GROUP = 50, 4
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
_SPACED_PARTS = re.compile(" ".join(_PARTS))
_WHOLE_KEY = re.compile("".join(_PARTS) + "[0-9]")
_MONTHS = frozenset(f"{month:02d}" for month in range(1, 13))

_NUMERIC_CODE = re.compile(r"[0-9]{8}")
_ASCENDING = "01234567890123456"
# NT 2019.001 (rejection 897): eight equal digits, or digits in ascending order.
_TRIVIAL_CODES = frozenset(str(digit) * 8 for digit in range(10)) | frozenset(
    _ASCENDING[first : first + 8] for first in range(10)
)
# Only 21 of a hundred million codes are refused, so a source that fails this often is broken.
_MAX_DRAWS = 20

# The key of an NFS-e. The XSD of 2026-07-27 allows letters where real keys have none; this follows real keys.
_NFSE_KEY = re.compile(
    r"""
    [0-9]{7}                                      # municipality
    [12]                                          # its own system, or the national one
    (?: 1 000[0-9]{11} | 2 [0-9A-Z]{12}[0-9]{2} ) # CPF or CNPJ
    (?! 0{13} ) [0-9]{13}                         # number
    [0-9]{2} (?: 0[1-9] | 1[0-2] )                # year and month
    [0-9]{9} [0-9]                                # drawn code, check digit
    """,
    re.VERBOSE,
)
_PREFIXES = {"55": "NFe", "65": "NFe", "57": "CTe", "67": "CTe", "58": "MDFe"}


class InvalidAccessKey(ValueError):
    """The text is not an access key. The Portuguese message does not quote it: a key may name a person."""


def shown_access_key(stored: str) -> str:
    """Returns an access key in groups of four, as on paper; anything else as it is, so that lists show it."""
    if len(stored) not in (KEY_LENGTH, _NFSE_KEY_LENGTH):
        return stored
    return " ".join(stored[start : start + _GROUP] for start in range(0, len(stored), _GROUP))


def check_digit(characters: str) -> str:
    """Returns the last digit of a key, by weights 2 to 9 (MOC 7.0; letters: NT Conjunta 2025.001)."""
    return modulo_11(characters, _WEIGHTS)


class AccessKey(str):
    """The key of a document: 44 characters, with each part as a property."""

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
        """Joins the parts and adds the check digit; raises `InvalidAccessKey` if they do not form a key."""
        document = f"{model} {series:03d} {number:09d} {emission_type} {numeric_code}"
        spaced = f"{state_code} {year_month} {tax_id} {document}"
        if not _SPACED_PARTS.fullmatch(spaced):
            raise InvalidAccessKey("A chave de acesso tem partes fora do formato.")
        without_digit = spaced.replace(" ", "")
        _refuse_unknown_state_or_month(without_digit)
        return super().__new__(cls, without_digit + check_digit(without_digit))

    def __getnewargs__(self) -> tuple[str, str, str, str, int, int, str, str]:  # type: ignore[override]
        """Returns the parts, from which a copy is built."""
        document = (self.model, self.series, self.number, self.emission_type, self.numeric_code)
        return (self.state_code, self.year_month, self.tax_id, *document)

    @property
    def state_code(self) -> str:
        """The IBGE code of the issuer's state, two digits."""
        return self[:2]

    @property
    def year_month(self) -> str:
        """The month of the issue date, as `AAMM`."""
        return self[2:6]

    @property
    def tax_id(self) -> str:
        """The CNPJ, or a CPF with three leading zeros."""
        return self[6:20]

    @property
    def model(self) -> str:
        """The model of the document: 55, 65, 57, 67 or 58."""
        return self[20:22]

    @property
    def series(self) -> int:
        """The series, within which a company numbers the documents of a model."""
        return int(self[22:25])

    @property
    def number(self) -> int:
        """The number of the document in its series."""
        return int(self[25:34])

    @property
    def emission_type(self) -> str:
        """The `tpEmis`: normal, or a kind of contingency."""
        return self[34]

    @property
    def numeric_code(self) -> str:
        """Eight random digits (`cNF`)."""
        return self[35:43]

    @property
    def check_digit(self) -> str:
        """The last digit, computed from all others."""
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
        """Returns the key of a document; its month is that of the issue date in its own offset."""
        if issued_at.utcoffset() is None:
            raise InvalidAccessKey("A data de emissão não tem fuso horário.")
        year_month = f"{issued_at.year % 100:02d}{issued_at.month:02d}"
        owner = padded_tax_id(tax_id)
        return cls(state_code, year_month, owner, model, series, number, emission_type, numeric_code)

    @classmethod
    def parse(cls, text: str) -> Self:
        """Returns the key of a text with or without groups, in either case; raises `InvalidAccessKey`."""
        key = normalize(text)
        if len(key) != KEY_LENGTH:
            raise InvalidAccessKey(f"A chave de acesso tem {KEY_LENGTH} caracteres, e esta tem {len(key)}.")
        if not _WHOLE_KEY.fullmatch(key):
            raise InvalidAccessKey("A chave de acesso só tem algarismos, e letras apenas no CNPJ.")
        _refuse_unknown_state_or_month(key)
        if key[-1] != check_digit(key[:-1]):
            raise InvalidAccessKey("O dígito verificador da chave de acesso não confere.")
        return super().__new__(cls, key)


def _refuse_unknown_state_or_month(key: str) -> None:
    state_code, month = key[:2], key[4:6]
    if state_of_ibge(state_code) is None:
        raise InvalidAccessKey(f"A chave de acesso não começa com código de estado: {state_code}.")
    if month not in _MONTHS:
        raise InvalidAccessKey(f"O mês da chave de acesso não existe: {month}.")


def padded_tax_id(tax_id: str) -> str:
    """Returns a tax id with 14 characters, as keys and Ids have it: a CPF gets three leading zeros."""
    return tax_id.zfill(_TAX_ID_LENGTH) if is_cpf(tax_id) else tax_id


def is_allowed_numeric_code(code: str, number: int) -> bool:
    """Returns whether a document with this number may have the numeric code (NT 2019.001)."""
    if not _NUMERIC_CODE.fullmatch(code) or code in _TRIVIAL_CODES:
        return False
    return code != f"{number:08d}"[-8:]


def choose_numeric_code(number: int, draw: Callable[[], int]) -> str:
    """Returns the first allowed code of a source of random numbers below a hundred million."""
    for _ in range(_MAX_DRAWS):
        code = f"{draw():08d}"
        if is_allowed_numeric_code(code, number):
            return code
    raise RuntimeError(f"the source of numeric codes returned {_MAX_DRAWS} unusable codes in a row")


def parse_service_key(text: str) -> str:
    """Returns the key of an NFS-e, which the authority assigns; raises ValueError if the text is none.

    The text may have groups and be in either case.
    """
    key = normalize(text)
    if not _NFSE_KEY.fullmatch(key) or key[-1] != check_digit(key[:-1]):
        # The message does not quote the key, which may name a person.
        raise ValueError("A chave da NFS-e tem 50 posições, e a última é o dígito verificador das outras.")
    return key


class InvalidId(ValueError):
    """The parts do not form an Id; the message is Portuguese."""


def document_id(key: AccessKey) -> str:
    """Returns the Id of infNFe, infCte or infMDFe; its prefix follows from the model in the key."""
    return f"{_PREFIXES[key.model]}{key}"


def event_id(event_type: str, key: AccessKey, sequence: int, sequence_digits: int = 2) -> str:
    """Returns the Id of an infEvento; the sequence has two digits in NF-e, three in CT-e and MDF-e."""
    return _checked_id(f"ID{event_type}{key}{sequence:0{sequence_digits}d}", 52 + sequence_digits)


def inutilization_id(
    state_code: str, year: str, cnpj: str, model: str, series: int, first: int, last: int
) -> str:
    """Returns the Id of an infInut, which has the range of unused numbers."""
    return _checked_id(f"ID{state_code}{year}{cnpj}{model}{series:03d}{first:09d}{last:09d}", 43)


def dps_id(city_code: str, tax_id: str, series: int, number: int) -> str:
    """Returns the Id of an infDPS, which identifies an NFS-e until the authority assigns its key."""
    owner = padded_tax_id(tax_id)
    owner_type = "2" if owner == tax_id else "1"
    return _checked_id(f"DPS{city_code}{owner_type}{owner}{series:05d}{number:015d}", 45)


def nfse_event_id(event_type: str, nfse_key: str) -> str:
    """Returns the Id of an infPedReg, the request for an event of an NFS-e."""
    return _checked_id(f"PRE{nfse_key}{event_type}", 59)


def _checked_id(identifier: str, length: int) -> str:
    # A part of the wrong length shifts the others: the signature would refer to an Id that does not exist.
    if len(identifier) != length or not (identifier.isascii() and identifier.isalnum()):
        raise InvalidId(f"As partes não compõem um Id de {length} caracteres.")
    return identifier
