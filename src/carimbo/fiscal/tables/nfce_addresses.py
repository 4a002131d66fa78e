"""Where consumers look up an NFC-e: the address in the QR code and the one printed beside the key, by state.

For some states their portal and the lists that software makers keep disagree. The table has a line for each
form in use, the one to write first.
"""

import csv
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from functools import cache
from importlib.resources import files

from carimbo.fiscal.company import Environment

# Not read at the states' own portals: to be confirmed there before production.
SOURCE = "Listas de nfephp-org/sped-nfe e Unimake/DFe; ENCAT (BA, GO, PB, RJ, RN, RR, SP), por terceiros"
DATE = date(2026, 9, 26)


@dataclass(frozen=True, slots=True)
class NfceAddresses:
    """The two addresses of one state in one environment."""

    qr: str
    consult: str


def nfce_addresses(state: str, environment: Environment) -> NfceAddresses | None:
    """Find the addresses to write in a new document."""
    return next(iter(known_nfce_addresses(state, environment)), None)


def known_nfce_addresses(state: str, environment: Environment) -> tuple[NfceAddresses, ...]:
    """List all the forms in use, for checking a document that others wrote."""
    return _by_state().get((state, environment), ())


@cache
def _by_state() -> Mapping[tuple[str, str], tuple[NfceAddresses, ...]]:
    text = files("carimbo.fiscal.tables").joinpath("nfce_addresses.csv").read_text(encoding="utf-8")
    found: defaultdict[tuple[str, str], list[NfceAddresses]] = defaultdict(list)
    for row in csv.DictReader(text.splitlines()):
        found[row["state"], row["environment"]].append(NfceAddresses(row["qr"], row["consult"]))
    return {place: tuple(addresses) for place, addresses in found.items()}
