"""Taxpayers as the distribution services remember them: their last NSU, and how long they must wait."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from carimbo.simulator.distribution_sequence import DistributionSequence
from carimbo.simulator.family import RequestContext
from carimbo.simulator.limits import WINDOW
from carimbo.simulator.store import Store, timestamp_of, timestamp_text

_DORMANT_AFTER = timedelta(days=60)


@dataclass(frozen=True, slots=True, kw_only=True)
class DistributionReader:
    """A taxpayer that asks for its documents, whatever certificate or program it uses."""

    last_nsu: int | None = None
    """The `ultNSU` of the last answer to a distNSU; None before the first answer."""
    asked_at: datetime | None = None
    """When it last asked anything; None if it never did."""
    finished_at: datetime | None = None
    """When a distNSU last returned nothing, or the end of the sequence."""
    blocked_at: datetime | None = None
    """When a question was last refused as overuse (656)."""

    def must_wait(self, now: datetime) -> bool:
        """Returns whether it has read the whole sequence less than an hour ago."""
        return _within_the_hour(self.finished_at, now)

    def is_blocked(self, now: datetime) -> bool:
        """Returns whether a question was refused as overuse less than an hour ago."""
        return _within_the_hour(self.blocked_at, now)

    def is_dormant(self, now: datetime) -> bool:
        """Returns whether it has stopped asking (NT 2014.002: for 60 days)."""
        return self.asked_at is not None and now - self.asked_at > _DORMANT_AFTER


def _within_the_hour(moment: datetime | None, now: datetime) -> bool:
    """A later moment was set while the simulator's clock was ahead, and does not count."""
    return moment is not None and moment <= now < moment + WINDOW


class DistributionReaders:
    """The readers of one family in one environment."""

    def __init__(self, store: Store, environment: str, family: str) -> None:
        self._connection = store.connection
        self._service = (environment, family)

    def get(self, taxpayer: str) -> DistributionReader:
        """Returns a reader; an empty one if the taxpayer has never asked."""
        row = self._connection.execute(
            "select last_nsu, asked_at, finished_at, blocked_at from distribution_readers"
            " where environment = ? and family = ? and taxpayer = ?",
            (*self._service, taxpayer),
        ).fetchone()
        if row is None:
            return DistributionReader()
        return DistributionReader(
            last_nsu=row["last_nsu"],
            asked_at=_moment(row["asked_at"]),
            finished_at=_moment(row["finished_at"]),
            blocked_at=_moment(row["blocked_at"]),
        )

    def keep(self, taxpayer: str, reader: DistributionReader) -> None:
        """Stores a reader."""
        moments = map(_text, (reader.asked_at, reader.finished_at, reader.blocked_at))
        self._connection.execute(
            "insert or replace into distribution_readers values (?, ?, ?, ?, ?, ?, ?)",
            (*self._service, taxpayer, reader.last_nsu, *moments),
        )


def _moment(text: str | None) -> datetime | None:
    return timestamp_of(text) if text else None


def _text(moment: datetime | None) -> str | None:
    return timestamp_text(moment) if moment else None


@dataclass(frozen=True, slots=True)
class Distributor:
    """Adds documents to the sequences of one family, except to those of dormant readers."""

    context: RequestContext
    environment: str
    family: str

    @property
    def sequence(self) -> DistributionSequence:
        """The sequences."""
        return DistributionSequence(self.context.store, self.environment, self.family)

    def add(self, taxpayer: str, access_key: str, schema: str, xml: str) -> None:
        """Adds a document or an event now; a dormant reader never gets it."""
        reader = DistributionReaders(self.context.store, self.environment, self.family).get(taxpayer)
        if not (self.context.controls.limits and reader.is_dormant(self.context.now)):
            self.sequence.add(taxpayer, access_key, schema, xml, self.context.now)
