"""Texts of documents without fiscal value."""

from carimbo.fiscal.findings import Incomplete
from carimbo.fiscal.layouts import canonical
from carimbo.fiscal.layouts.canonical import Unwritable
from carimbo.fiscal.problems import SCHEMA_PROBLEM, Problem

HOMOLOGATION_NAME = "NF-E EMITIDA EM AMBIENTE DE HOMOLOGACAO - SEM VALOR FISCAL"
"""Name of the buyer in NF-e and NFC-e (MOC 7.0, E04-20)."""

HOMOLOGATION_ITEM = "NOTA FISCAL EMITIDA EM AMBIENTE DE HOMOLOGACAO - SEM VALOR FISCAL"
"""Description of the first item of an NFC-e (MOC 7.0, I04-10)."""


def in_homologation(fixed: str, given: str | None, longest: int, path: str) -> str:
    """Returns the fixed text of a field; raises `Incomplete` if production could not write the given one."""
    try:
        canonical.text(given or fixed, longest)
    except Unwritable as reason:
        raise Incomplete(Problem(SCHEMA_PROBLEM, path, f"O campo {reason}.")) from None
    return fixed
