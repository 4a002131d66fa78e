"""Access keys of the national NFS-e, which the authority gives."""

import re

from carimbo.fiscal.access_key import check_digit
from carimbo.fiscal.taxpayer import normalize

# The pattern in the XSD of 2026-07-27 has letters where real keys have none, so this one follows the keys.
_KEY = re.compile(
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


def parse_service_key(text: str) -> str:
    """Read a key as people write it, in groups and in either case, or raise ValueError."""
    key = normalize(text)
    if not _KEY.fullmatch(key) or key[-1] != check_digit(key[:-1]):
        # Leaves the key out, which names a person.
        raise ValueError("A chave da NFS-e tem 50 posições, e a última é o dígito verificador das outras.")
    return key
