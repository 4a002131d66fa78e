"""What a recipient may say of a document that names it (MOC 7.0, table 5-42)."""

from datetime import timedelta

from carimbo.simulator.nfe.event_case import (
    ACKNOWLEDGED,
    CONCLUSIVE,
    MANIFESTATIONS,
    NOT_PERFORMED,
    UNKNOWN,
    EventCase,
)
from carimbo.simulator.nfe.rules.event_scope import event_rule
from carimbo.simulator.rule import Finding, Rule

# NT 2020.001: ten days to say that the document is known, ninety to say how the operation ended.
_IN_TIME = {ACKNOWLEDGED: timedelta(days=10), **dict.fromkeys(CONCLUSIVE, timedelta(days=90))}


def author_is_not_the_recipient(case: EventCase) -> bool:
    """MOC 7.0, 5.11: of a document that is not known nothing can be said."""
    return case.document is not None and case.author != case.document.recipient


def without_reason(case: EventCase) -> bool:
    """MOC 7.0, H01."""
    return not case.text("detEvento/xJust")


def too_late(case: EventCase) -> Finding:
    """MOC 7.0, H03."""
    limit = _IN_TIME[case.type]
    if case.document is None or case.world.now - case.document.received_at <= limit:
        return None
    return f"[{limit.days} dias]"


def of_what_is_canceled(case: EventCase) -> bool:
    """MOC 7.0, H04 and H05."""
    return case.document is not None and case.document.is_canceled


def after_the_last_word(case: EventCase) -> bool:
    """MOC 7.0, H06."""
    return any(event.type in CONCLUSIVE for event in case.earlier)


MANIFESTATION_RULES: tuple[Rule[EventCase], ...] = (
    event_rule("595", without_reason, {NOT_PERFORMED}),
    event_rule("575", author_is_not_the_recipient, MANIFESTATIONS),
    event_rule("596", too_late, MANIFESTATIONS),
    event_rule("650", of_what_is_canceled, {ACKNOWLEDGED}),
    event_rule("651", of_what_is_canceled, {UNKNOWN}),
    event_rule("655", after_the_last_word, {ACKNOWLEDGED}),
)
