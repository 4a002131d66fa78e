"""Names and topics of events.

A topic is the stored value (`cteOs.canceled`); a name is that of the API (`cte.cancelled`), which several
topics may share.
"""

from collections.abc import Iterable, Mapping

from carimbo.fiscal.document_type import DocumentType
from carimbo.fiscal.lifecycle import Status
from carimbo.fiscal.registry import DOCUMENT_TYPES
from carimbo.service.document_types import RECEIVED_TYPES

CERTIFICATE_EXPIRING = "certificate.expiring"
TEST = "webhook.test"
"""Only sent as a test, to the webhook under test."""
SYSTEM_GROUP = "system"
CLOSED = "closed"
"""What happened to a document that was closed; its status stays authorized."""
EXPIRING = "expiring"
"""What happens to a document that must be closed soon."""

RECEIVED_GROUP = "received"
_OTHER_GROUPS: Mapping[str, str] = {RECEIVED_GROUP: "Documentos recebidos", SYSTEM_GROUP: "Sistema"}

_VERBS: Mapping[Status, str] = {
    Status.AUTHORIZED: "authorized",
    Status.REJECTED: "rejected",
    # Event names have the British spelling, the status the American one.
    Status.CANCELED: "cancelled",
}


def _topics_of_type(document_type: DocumentType) -> Mapping[str, str]:
    verbs: Mapping[str, str] = {status.value: verb for status, verb in _VERBS.items()}
    if document_type.closing:
        verbs = {**verbs, CLOSED: CLOSED}
    if document_type.open_term:
        verbs = {**verbs, EXPIRING: EXPIRING}
    return {
        f"{document_type.name}.{happening}": f"{document_type.event_prefix}.{verb}"
        for happening, verb in verbs.items()
    }


_NAMES: Mapping[str, str] = {
    topic: name for document_type in DOCUMENT_TYPES for topic, name in _topics_of_type(document_type).items()
}


def _received_names() -> tuple[str, ...]:
    """Returns the events of received documents; their topics have the same names."""
    return tuple(
        f"{receiving.event_prefix}.{verb}"
        for document_type in RECEIVED_TYPES
        if (receiving := document_type.receiving)
        for verb in receiving.event_verbs
    )


RECEIVED_EVENTS = _received_names()
"""The events of received documents."""


def _groups() -> Mapping[str, tuple[str, ...]]:
    names = {
        group: [
            name
            for document_type in DOCUMENT_TYPES
            if document_type.event_group == group
            for name in _topics_of_type(document_type).values()
        ]
        for group in dict.fromkeys(document_type.event_group for document_type in DOCUMENT_TYPES)
    }
    return {group: tuple(dict.fromkeys(listed)) for group, listed in names.items()} | {
        **({RECEIVED_GROUP: RECEIVED_EVENTS} if RECEIVED_EVENTS else {}),
        SYSTEM_GROUP: (CERTIFICATE_EXPIRING,),
    }


EVENT_GROUPS: Mapping[str, tuple[str, ...]] = _groups()
"""The events that a webhook can choose, by their list in `events`."""


def group_title(group: str) -> str:
    """Returns the title of a group of events on pages."""
    titles = [document_type.title for document_type in DOCUMENT_TYPES if document_type.event_group == group]
    return _OTHER_GROUPS.get(group) or " e ".join(titles) or group


def name_of(topic: str) -> str:
    """Returns the name of a topic in the API."""
    return _NAMES.get(topic, topic)


def status_in_event(happening: str) -> str:
    """Returns the status of a document in an event, by the second part of its topic."""
    return Status.AUTHORIZED if happening in (CLOSED, EXPIRING) else happening


def topics_of(names: Iterable[str]) -> list[str]:
    """Returns all topics of the given names."""
    chosen = set(names)
    of_documents = [topic for topic, name in _NAMES.items() if name in chosen]
    others = (*RECEIVED_EVENTS, CERTIFICATE_EXPIRING)
    return of_documents + [topic for topic in others if topic in chosen]
