"""Deadlines of events in words."""

from datetime import datetime

from carimbo.dashboard.shown import distance, moment
from carimbo.service.documents.deadlines import DocumentDeadline


def deadline_words(deadline: DocumentDeadline, now: datetime, state: str | None) -> list[str]:
    """Returns until when an event is possible, and what is possible later, as short sentences."""
    end, late = moment(deadline.at, state), deadline.late_until
    if deadline.at > now:
        words = [f"até {end} ({distance(deadline.at, now)})"]
        if late:
            words.append(f"Depois disso, com atraso, a autoridade ainda aceita até {moment(late, state)}.")
        return words
    if late and late > now:
        return [f"o prazo terminou em {end}; com atraso, a autoridade ainda aceita até {moment(late, state)}"]
    words = [f"o prazo terminou em {moment(late or deadline.at, state)}"]
    return [*words, deadline.alternative] if deadline.alternative else words
