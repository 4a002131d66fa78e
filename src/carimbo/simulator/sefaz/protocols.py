"""Numbers that an authority gives: protocols and receipts (MOC 7.0, 4.3.4 and 4.3.5)."""

from carimbo.fiscal.tables.authorizers import NATIONAL
from carimbo.simulator.sefaz.call import Received

NATIONAL_ORGAN = "91"
"""`cOrgao` of the national environment."""
_STATE = "1"


def next_protocol(received: Received, state_code: str) -> str:
    """Returns a new protocol: kind of authority, state, year and ten digits."""
    beginning = _beginning(received, state_code)
    counter = f"protocol {received.place.environment} {beginning}"
    return f"{beginning}{received.world.store.next_of(counter):010d}"


def made_up_protocol(received: Received, state_code: str) -> str:
    """Returns a protocol that looks like every other and is never given: they are counted from one."""
    return f"{_beginning(received, state_code)}{0:010d}"


def next_receipt(received: Received, state_code: str) -> str:
    """Returns a new receipt: state, kind of authority and twelve digits."""
    beginning = f"{state_code}{_digit(received)}"
    counter = f"receipt {received.place.environment} {beginning}"
    return f"{beginning}{received.world.store.next_of(counter):012d}"


def _beginning(received: Received, state_code: str) -> str:
    where = NATIONAL_ORGAN if received.place.authorizer == NATIONAL else state_code
    return f"{_digit(received)}{where}{received.world.now:%y}"


def _digit(received: Received) -> str:
    """Returns the digit that tells a state's own authority from those that serve several."""
    return received.dialect.protocol_digits.get(received.place.authorizer, _STATE)
