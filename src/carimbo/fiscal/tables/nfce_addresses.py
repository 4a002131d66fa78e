"""Where consumers look up an NFC-e: the address in the QR code and the one printed beside the key, by state.

For some states their portal and the lists that software makers keep disagree. The table has a line for each
form in use, the one to write first.
"""

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated

from carimbo.fiscal.environment import Environment
from carimbo.fiscal.tables.table import Derived, Table


@dataclass(frozen=True, slots=True)
class NfceAddresses:
    """The two addresses of one state in one environment."""

    qr: str
    consult: str


@dataclass(frozen=True, slots=True)
class NfceForm:
    """One form of the addresses that is in use in a state."""

    state: Annotated[str, "[A-Z]{2}"]
    environment: Environment
    qr: str
    consult: str


NFCE_ADDRESSES: Table[tuple[str, str, str, str], NfceForm] = Table(
    "nfce_addresses", NfceForm, lambda form: (form.state, form.environment, form.qr, form.consult)
)


def nfce_addresses(state: str, environment: Environment) -> NfceAddresses | None:
    """Find the addresses to write in a new document."""
    return next(iter(known_nfce_addresses(state, environment)), None)


def known_nfce_addresses(state: str, environment: Environment) -> tuple[NfceAddresses, ...]:
    """List all the forms in use, for checking a document that others wrote."""
    return _BY_STATE.value.get((state, environment), ())


def _by_state() -> Mapping[tuple[str, str], tuple[NfceAddresses, ...]]:
    found: defaultdict[tuple[str, str], list[NfceAddresses]] = defaultdict(list)
    for form in NFCE_ADDRESSES.rows.values():
        found[form.state, form.environment].append(NfceAddresses(form.qr, form.consult))
    return {place: tuple(addresses) for place, addresses in found.items()}


_BY_STATE = Derived(_by_state)
