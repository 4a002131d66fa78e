"""The names of events, and the topics that they stand for.

A topic tells what happened in the words of our rows (`cteOs.canceled`); a name, in those of the API
(`cte.cancelled`), which several topics may share.
"""

from collections.abc import Iterable, Mapping

from carimbo.fiscal.document_type import SettingsModule
from carimbo.fiscal.lifecycle import Status
from carimbo.fiscal.registry import DOCUMENT_TYPES, MODULES

CERTIFICATE_EXPIRING = "certificate.expiring"
TEST = "webhook.test"
"""Nobody listens to it: it is sent to a webhook that is to be tried."""
SYSTEM_GROUP = "system"

_VERBS: Mapping[Status, str] = {
    Status.AUTHORIZED: "authorized",
    Status.REJECTED: "rejected",
    # Names are spelt otherwise than the status.
    Status.CANCELED: "cancelled",
}


def _topics_of_type(kind: SettingsModule) -> Mapping[str, str]:
    return {f"{kind.name}.{status}": f"{kind.event_prefix}.{verb}" for status, verb in _VERBS.items()}


_NAMES: Mapping[str, str] = {topic: name for kind in MODULES for topic, name in _topics_of_type(kind).items()}


def _groups() -> Mapping[str, tuple[str, ...]]:
    names = {
        group: [
            name for kind in MODULES if kind.event_group == group for name in _topics_of_type(kind).values()
        ]
        for group in dict.fromkeys(kind.event_group for kind in MODULES)
    }
    return {group: tuple(dict.fromkeys(told)) for group, told in names.items()} | {
        SYSTEM_GROUP: (CERTIFICATE_EXPIRING,)
    }


EVENT_GROUPS: Mapping[str, tuple[str, ...]] = _groups()
"""The names that a webhook may listen to, by the list of its `events` that holds them."""
SILENT_GROUPS = frozenset(kind.event_group for kind in MODULES) - {
    kind.event_group for kind in DOCUMENT_TYPES
}
"""Those of types that are not issued yet: nothing happens to them."""


def name_of(topic: str) -> str:
    """What an event is called in the API."""
    return _NAMES.get(topic, topic)


def topics_of(names: Iterable[str]) -> list[str]:
    """Everything that the given names stand for."""
    chosen = set(names)
    of_documents = [topic for topic, name in _NAMES.items() if name in chosen]
    return of_documents + [CERTIFICATE_EXPIRING] * (CERTIFICATE_EXPIRING in chosen)
