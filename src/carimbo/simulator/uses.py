"""What taxpayers did within the last hour, as far as there is a limit to it (656, NT 2018.002)."""

from datetime import datetime, timedelta

from carimbo.simulator.store import Store, moment_text

WINDOW = timedelta(hours=1)
_OF_SUBJECT = "taxpayer = ? and service = ? and subject = ?"


class Uses:
    """Who used which service for what, and when; nothing stays for longer than an hour."""

    def __init__(self, store: Store) -> None:
        self._connection = store.connection

    def count(self, taxpayer: str, service: str, subject: str, until: datetime) -> int:
        """How often a service was used for a subject within the hour before a moment.

        What comes after it was done while the simulator's clock ran ahead.
        """
        row = self._connection.execute(
            f"select count(*) from uses where {_OF_SUBJECT} and at between ? and ?",
            (taxpayer, service, subject, moment_text(until - WINDOW), moment_text(until)),
        ).fetchone()
        return int(row[0])

    def add(self, taxpayer: str, service: str, subject: str, at: datetime) -> None:
        """Remember one more use, and forget those that no limit counts any more."""
        self._connection.execute("delete from uses where at < ?", (moment_text(at - WINDOW),))
        self._connection.execute(
            "insert into uses values (?, ?, ?, ?)", (taxpayer, service, subject, moment_text(at))
        )
