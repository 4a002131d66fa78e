"""Events as the authority writes them (evento 1.01), and keeps them."""

from contextlib import suppress
from dataclasses import dataclass
from sqlite3 import IntegrityError

from carimbo.simulator.family import World
from carimbo.simulator.ledger import DocumentStatus, Ledger, StoredEvent
from carimbo.simulator.nfse.answers import local
from carimbo.simulator.nfse.call import NAMESPACE
from carimbo.simulator.nfse.event_types import CANCELED_BY
from carimbo.simulator.nfse.keys import NATIONAL
from carimbo.simulator.nfse.note import VERSION
from carimbo.simulator.place import Place
from carimbo.simulator.writing import APPLICATION, texts

SEQUENCE = 1
"""Every event that is taken here happens to a note once."""
REGISTERED = "201"
"""There is no other code than the status of HTTP."""
_NO_SERIAL = "0"
"""`nDFSe`: the Sefin numbers no events."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Happening:
    """An event that is registered."""

    access_key: str
    type: str
    author: str
    request: str
    """`pedRegEvento`, as it came."""


def register(happening: Happening, place: Place, world: World) -> bytes:
    """Keep an event, and what it does to its note; the answer is `evento`, signed by the authority."""
    xml = _event_xml(happening, world)
    event = StoredEvent(
        environment=place.environment,
        access_key=happening.access_key,
        type=happening.type,
        sequence=SEQUENCE,
        author=happening.author,
        authorizer=place.authorizer,
        registered_at=world.now,
        code=REGISTERED,
        protocol=_NO_SERIAL,
        xml=happening.request.encode(),
        answer_xml=xml,
    )
    ledger = Ledger(world.store)
    # An event that there is gets here only with the rules about it off: the first one stays.
    with suppress(IntegrityError):
        ledger.keep_event(event)
    if happening.type in CANCELED_BY:
        ledger.change_status(place.environment, happening.access_key, DocumentStatus.CANCELED)
    return xml


def _event_xml(happening: Happening, world: World) -> bytes:
    inside = texts(
        {
            "verAplic": APPLICATION,
            "ambGer": NATIONAL,
            "nSeqEvento": str(SEQUENCE),
            "dhProc": local(world.now).isoformat(timespec="seconds"),
            "nDFSe": _NO_SERIAL,
        }
    )
    named = f"EVT{happening.access_key}{happening.type}{SEQUENCE:03d}"
    signed = f'<infEvento Id="{named}">{inside}{happening.request}</infEvento>'
    return world.seal.sign(f'<evento xmlns="{NAMESPACE}" versao="{VERSION}">{signed}</evento>')
