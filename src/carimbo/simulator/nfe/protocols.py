"""Numbers that an authority gives: protocols and receipts (MOC 7.0, 4.3.4 and 4.3.5)."""

from carimbo.simulator.family import World
from carimbo.simulator.nfe.answers import NATIONAL_ORGAN
from carimbo.simulator.place import Place

_KINDS = {"SVAN": "2", "SVRS": "3", "SVCAN": "6", "SVCRS": "7", "AN": "8"}
_STATE = "1"


def next_protocol(place: Place, state_code: str, world: World) -> str:
    """Kind of authority, state, year and ten digits."""
    beginning = _beginning(place, state_code, world)
    return f"{beginning}{world.store.next_of(f'protocol {place.environment} {beginning}'):010d}"


def made_up_protocol(place: Place, state_code: str, world: World) -> str:
    """A protocol that looks like every other and is never given: they are counted from one."""
    return f"{_beginning(place, state_code, world)}{0:010d}"


def next_receipt(place: Place, state_code: str, world: World) -> str:
    """State, kind of authority and twelve digits."""
    beginning = f"{state_code}{kind_of(place)}"
    return f"{beginning}{world.store.next_of(f'receipt {place.environment} {beginning}'):012d}"


def _beginning(place: Place, state_code: str, world: World) -> str:
    where = NATIONAL_ORGAN if place.authorizer == "AN" else state_code
    return f"{kind_of(place)}{where}{world.now:%y}"


def kind_of(place: Place) -> str:
    """The digit that tells a state's own authority from those that serve several."""
    return _KINDS.get(place.authorizer, _STATE)
