"""Codes of goods under tax substitution (CEST), found by the NCM that they cover."""

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from typing import Annotated

from carimbo.fiscal.tables.table import Derived, Table

_SHORTEST, _LONGEST = 2, 8


@dataclass(frozen=True, slots=True)
class Cest:
    """A code; its first two digits are the segment of Convênio ICMS 142/2018."""

    code: Annotated[str, "[0-9]{7}"]
    ncm_prefixes: tuple[str, ...]
    """Beginnings of the NCM codes that it covers; a few codes cover goods of any NCM and have none."""
    description: str
    since: date | None = None
    """First day in force; None where the source does not tell it."""
    until: date | None = None
    """Last day in force; None where the source tells no end."""


CESTS: Table[str, Cest] = Table("cest", Cest, lambda cest: cest.code)


def cests_of_ncm(ncm: str) -> tuple[Cest, ...]:
    """Find the codes that cover an NCM, in their order."""
    beginnings = [ncm[:length] for length in range(_SHORTEST, _LONGEST + 1)]
    found = {cest for prefix in set(beginnings) for cest in _BY_PREFIX.value.get(prefix, ())}
    return tuple(sorted(found, key=lambda cest: cest.code))


def _by_prefix() -> Mapping[str, list[Cest]]:
    found: defaultdict[str, list[Cest]] = defaultdict(list)
    for cest in CESTS.rows.values():
        for prefix in cest.ncm_prefixes:
            found[prefix].append(cest)
    return dict(found)


_BY_PREFIX = Derived(_by_prefix)
