"""Limits of calls and refusals within an hour (656, NT 2018.002)."""

from datetime import datetime, timedelta

from carimbo.simulator.family import RequestContext
from carimbo.simulator.store import Store, timestamp_text

WINDOW = timedelta(hours=1)
_OF_SUBJECT = "taxpayer = ? and service = ? and subject = ?"
CONSULT, REJECTED_DOCUMENT, REFUSED_EVENT = "consult", "rejected document", "refused event"
"""Limited actions."""
CONSULTS_OF_A_KEY = 10
REFUSALS_OF_AN_EVENT = 20
REJECTIONS_OF_A_DOCUMENT = 30


class UsageLog:
    """Uses of services by taxpayer and subject; entries are deleted after an hour."""

    def __init__(self, store: Store) -> None:
        self._connection = store.connection

    def count(self, taxpayer: str, service: str, subject: str, until: datetime) -> int:
        """Returns how often a service was used for a subject in the hour before a moment.

        Later uses happened while the simulator's clock was ahead, and do not count.
        """
        row = self._connection.execute(
            f"select count(*) from uses where {_OF_SUBJECT} and at between ? and ?",
            (taxpayer, service, subject, timestamp_text(until - WINDOW), timestamp_text(until)),
        ).fetchone()
        return int(row[0])

    def add(self, taxpayer: str, service: str, subject: str, at: datetime) -> None:
        """Adds a use, and deletes those older than an hour."""
        self._connection.execute("delete from uses where at < ?", (timestamp_text(at - WINDOW),))
        self._connection.execute(
            "insert into uses values (?, ?, ?, ?)", (taxpayer, service, subject, timestamp_text(at))
        )


def limit_reached(context: RequestContext, taxpayer: str, service: str, subject: str, limit: int) -> bool:
    """Returns whether a limit is reached; always False if the limits are off."""
    if not context.controls.limits:
        return False
    return UsageLog(context.store).count(taxpayer, service, subject, context.now) >= limit


def count_use(context: RequestContext, taxpayer: str, service: str, subject: str) -> None:
    """Counts one more use."""
    UsageLog(context.store).add(taxpayer, service, subject, context.now)
