"""The rules about the recipient's events (MOC 7.0, table 5-42)."""

from datetime import timedelta

from carimbo.simulator.nfe.event_case import EventCase
from carimbo.simulator.nfe.event_types import (
    ACKNOWLEDGED,
    CONCLUSIVE,
    MANIFESTATIONS,
    NOT_PERFORMED,
)
from carimbo.simulator.rule import Finding, Rule
from carimbo.simulator.sefaz.rules.event_identity import event_rule, state_rules

_CONCLUSIVE = frozenset(event_type.code for event_type in CONCLUSIVE)
# NT 2020.001: ten days to say that the document is known, ninety to say how the operation ended.
_IN_TIME = {ACKNOWLEDGED.code: timedelta(days=10), **dict.fromkeys(_CONCLUSIVE, timedelta(days=90))}


def author_is_not_the_recipient(event: EventCase) -> bool:
    """MOC 7.0, 5.11: of a document that is not known nothing can be said."""
    return event.document is not None and event.author != event.document.recipient


def without_reason(event: EventCase) -> bool:
    """MOC 7.0, H01."""
    return not event.detail.text("xJust")


def too_late(event: EventCase) -> Finding:
    """MOC 7.0, H03."""
    limit = _IN_TIME[event.type.code]
    if event.document is None or event.world.now - event.document.received_at <= limit:
        return None
    return f"[{limit.days} dias]"


def after_the_last_word(event: EventCase) -> bool:
    """MOC 7.0, H06."""
    return any(earlier.type in _CONCLUSIVE for earlier in event.earlier)


MANIFESTATION_RULES: tuple[Rule[EventCase], ...] = (
    event_rule("595", without_reason, (NOT_PERFORMED,)),
    event_rule("575", author_is_not_the_recipient, MANIFESTATIONS),
    event_rule("596", too_late, MANIFESTATIONS),
    # MOC 7.0, H04 and H05.
    *state_rules(MANIFESTATIONS),
    event_rule("655", after_the_last_word, (ACKNOWLEDGED,)),
)
