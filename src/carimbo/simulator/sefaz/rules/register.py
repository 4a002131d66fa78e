"""What the authorities hold already: the same document, its number, and how often it was refused."""

from collections.abc import Callable
from zoneinfo import ZoneInfo

from carimbo.fiscal.tables.states import state_of_ibge
from carimbo.simulator.ledger import DocumentStatus, StoredDocument
from carimbo.simulator.rule import Finding
from carimbo.simulator.sefaz.document import JudgedDocument
from carimbo.simulator.sefaz.event import JudgedEvent
from carimbo.simulator.sefaz.key_parts import STATE
from carimbo.simulator.sefaz.limits import (
    REFUSALS_OF_AN_EVENT,
    REFUSED_EVENT,
    REJECTED_DOCUMENT,
    REJECTIONS_OF_A_DOCUMENT,
    is_spent,
    spend,
)


def rejected_too_often(document: JudgedDocument) -> bool:
    """NT 2018.002: the same document, refused 30 times in an hour, is not looked at any more."""
    limit = REJECTIONS_OF_A_DOCUMENT
    return is_spent(document.world, document.author, REJECTED_DOCUMENT, document.access_key, limit)


def remember_rejection(document: JudgedDocument) -> None:
    """Counts that a document was refused."""
    spend(document.world, document.author, REJECTED_DOCUMENT, document.access_key)


def refused_too_often(event: JudgedEvent) -> bool:
    """NT 2018.002: the same event refused 20 times in an hour."""
    return is_spent(event.world, event.author, REFUSED_EVENT, event.id, REFUSALS_OF_AN_EVENT)


def remember_refused_event(event: JudgedEvent) -> None:
    """Counts that an event was refused."""
    spend(event.world, event.author, REFUSED_EVENT, event.id)


def number_of_another_document(document: JudgedDocument) -> Finding:
    """MOC 7.0, 2B08-10."""
    holder = document.holder
    if holder is None or holder.access_key == document.access_key:
        return None
    return f"[{document.dialect.key_tag}:{holder.access_key}]{_protocol_of(holder)}"


def held_as(status: DocumentStatus) -> Callable[[JudgedDocument], Finding]:
    """Makes a rule: the document is in the register already, in a state (MOC 7.0, 2B08-20 and 2B08-30)."""

    def is_held(document: JudgedDocument) -> Finding:
        known = document.known
        return _protocol_of(known) if known and known.status is status else None

    return is_held


def _protocol_of(document: StoredDocument) -> str:
    """Returns protocol and moment of the authorization, by the clock of the document's state."""
    state = state_of_ibge(document.access_key[STATE])
    moment = document.received_at.astimezone(ZoneInfo(state.zone) if state else None)
    return f"[nProt:{document.protocol}][dhAut:{moment.isoformat(timespec='seconds')}]"
