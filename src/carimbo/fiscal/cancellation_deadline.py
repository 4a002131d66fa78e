"""Deadlines for cancellations, by model and state of the document (`tables/cancellation_terms.csv`)."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Annotated

from carimbo.fiscal.identity.access_key import AccessKey
from carimbo.fiscal.tables.geography import state_of_ibge
from carimbo.fiscal.tables.table import Table


@dataclass(frozen=True, slots=True)
class CancellationTerms:
    """The terms of a state for a model; all of them begin with the authorization."""

    model: Annotated[str, "[0-9]{2}"]
    state: Annotated[str, "[A-Z]{2}"]
    ordinary_minutes: int
    late_minutes: int | None
    """None if the authority accepts no cancellation after the ordinary term."""
    substitution_minutes: int | None
    """None for models that can't be substituted (Ajuste SINIEF 19/2016, 15-A, covers only NFC-e)."""

    @property
    def ordinary(self) -> timedelta:
        """The ordinary term."""
        return timedelta(minutes=self.ordinary_minutes)

    @property
    def late(self) -> timedelta:
        """The term within which late cancellations are accepted too."""
        return self.ordinary if self.late_minutes is None else timedelta(minutes=self.late_minutes)

    @property
    def substitution(self) -> timedelta | None:
        """The term of a cancellation by substitution, which names the document that replaces this one."""
        return None if self.substitution_minutes is None else timedelta(minutes=self.substitution_minutes)


CANCELLATION_TERMS: Table[tuple[str, str], CancellationTerms] = Table(
    "cancellation_terms", CancellationTerms, lambda terms: (terms.model, terms.state)
)


def in_time_until(access_key: str, authorized_at: datetime) -> datetime | None:
    """Returns the end of the ordinary term; None if it is unknown and only the authority decides."""
    terms = _terms_of(access_key)
    return authorized_at + terms.ordinary if terms else None


def last_moment(access_key: str, authorized_at: datetime, _request: object) -> datetime | None:
    """Returns the end of the term for late cancellations; None if it is unknown."""
    terms = _terms_of(access_key)
    return authorized_at + terms.late if terms else None


def last_moment_for_substitution(access_key: str, authorized_at: datetime) -> datetime | None:
    """Returns the end of the term for a cancellation by substitution; None if it is unknown."""
    terms = _terms_of(access_key)
    return authorized_at + (terms.substitution or terms.late) if terms else None


def _terms_of(access_key: str) -> CancellationTerms | None:
    key = AccessKey.parse(access_key)
    state = state_of_ibge(key.state_code)
    return CANCELLATION_TERMS.get((key.model, state.code)) if state else None
