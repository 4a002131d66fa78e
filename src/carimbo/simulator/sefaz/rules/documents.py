"""Rules about a document: its key, its date, and documents that the authorities have stored already."""

from collections.abc import Callable, Collection
from datetime import timedelta
from zoneinfo import ZoneInfo

from carimbo.fiscal.tables.authorities import states_of
from carimbo.fiscal.tables.geography import state_of_ibge
from carimbo.simulator.identifiers import KEY_STATE, has_valid_check_digit
from carimbo.simulator.ledger import DocumentStatus, StoredDocument
from carimbo.simulator.limits import (
    REFUSALS_OF_AN_EVENT,
    REFUSED_EVENT,
    REJECTED_DOCUMENT,
    REJECTIONS_OF_A_DOCUMENT,
    count_use,
    limit_reached,
)
from carimbo.simulator.rules import Finding
from carimbo.simulator.sefaz.judged import JudgedDocument, JudgedEvent

TOLERANCE = timedelta(minutes=5)
"""Between the clocks of company and authority (MOC 7.0, B09-10)."""


def key_differs_from_its_fields(document: JudgedDocument) -> bool:
    """MOC 7.0, A03-10."""
    return document.access_key != _composed_key(document)


def wrong_check_digit(document: JudgedDocument) -> bool:
    """MOC 7.0, B23-10."""
    return not has_valid_check_digit(_composed_key(document))


def state_of_another_authorizer(document: JudgedDocument) -> bool:
    """MOC 7.0, B02-10."""
    model, authorizer = document.dialect.model_at(document.service_path), document.service_path.authorizer
    return state_of(document) not in states_of(model, authorizer)


def other_environment(document: JudgedDocument) -> bool:
    """MOC 7.0, B24-10."""
    return document.text("ide/tpAmb") != document.service_path.environment


def state_of(document: JudgedDocument) -> str:
    """Returns the issuer's state in letters, from `cUF`; empty if there is no such state."""
    state = state_of_ibge(document.text("ide/cUF"))
    return state.code if state else ""


def _composed_key(document: JudgedDocument) -> str:
    """The 44 positions from the fields (MOC 7.0, 2.2.6); the month is local to the issuer."""
    text = document.text
    month = text("ide/dhEmi")[2:4] + text("ide/dhEmi")[5:7]
    numbered = f"{document.model}{document.series:03d}{document.number:09d}"
    issued = f"{text('ide/cUF')}{month}{document.author.zfill(14)}{numbered}"
    numeric_code = text(f"ide/{document.dialect.numeric_code_tag}")
    return f"{issued}{document.emission}{numeric_code}{text('ide/cDV')}"


def issued_in_the_future(document: JudgedDocument) -> bool:
    """MOC 7.0, B09-10."""
    return document.issued_at > document.context.now + TOLERANCE


def issued_before(limit: timedelta, emissions: Collection[str]) -> Callable[[JudgedDocument], bool]:
    """Returns a rule: a document of some emission types (`tpEmis`) was issued too long ago."""

    def is_too_old(document: JudgedDocument) -> bool:
        return document.emission in emissions and document.issued_at < document.context.now - limit

    return is_too_old


def rejected_too_often(document: JudgedDocument) -> bool:
    """NT 2018.002: the same document was rejected 30 times in an hour."""
    limit = REJECTIONS_OF_A_DOCUMENT
    return limit_reached(document.context, document.author, REJECTED_DOCUMENT, document.access_key, limit)


def count_rejection(document: JudgedDocument) -> None:
    """Counts the rejection of a document."""
    count_use(document.context, document.author, REJECTED_DOCUMENT, document.access_key)


def refused_too_often(event: JudgedEvent) -> bool:
    """NT 2018.002: the same event was refused 20 times in an hour."""
    return limit_reached(event.context, event.author, REFUSED_EVENT, event.id, REFUSALS_OF_AN_EVENT)


def count_refused_event(event: JudgedEvent) -> None:
    """Counts the refusal of an event."""
    count_use(event.context, event.author, REFUSED_EVENT, event.id)


def number_of_another_document(document: JudgedDocument) -> Finding:
    """MOC 7.0, 2B08-10."""
    holder = document.holder
    if holder is None or holder.access_key == document.access_key:
        return None
    return f"[{document.dialect.key_tag}:{holder.access_key}]{_protocol_of(holder)}"


def already_held_as(status: DocumentStatus) -> Callable[[JudgedDocument], Finding]:
    """Returns a rule: the document is stored with a status (MOC 7.0, 2B08-20 and 2B08-30)."""

    def is_held(document: JudgedDocument) -> Finding:
        stored = document.stored
        return _protocol_of(stored) if stored and stored.status is status else None

    return is_held


def _protocol_of(document: StoredDocument) -> str:
    """Protocol and time of the authorization, in the time zone of the document's state."""
    state = state_of_ibge(document.access_key[KEY_STATE])
    moment = document.received_at.astimezone(ZoneInfo(state.zone) if state else None)
    return f"[nProt:{document.protocol}][dhAut:{moment.isoformat(timespec='seconds')}]"
