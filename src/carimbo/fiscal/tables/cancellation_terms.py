"""Until when after its authorization a document may be canceled, by model and state."""

from dataclasses import dataclass
from datetime import timedelta
from typing import Annotated

from carimbo.fiscal.tables.table import Table


@dataclass(frozen=True, slots=True)
class CancellationTerms:
    """The terms of one state for one model; all of them run from the authorization."""

    model: Annotated[str, "[0-9]{2}"]
    state: Annotated[str, "[A-Z]{2}"]
    ordinary_minutes: int
    late_minutes: int | None
    """None where the authority takes no cancellation after the ordinary term."""
    substitution_minutes: int | None
    """None for models that no other document can replace (Ajuste SINIEF 19/2016, 15-A, is of NFC-e alone)."""

    @property
    def ordinary(self) -> timedelta:
        """How long a cancellation is in time."""
        return timedelta(minutes=self.ordinary_minutes)

    @property
    def late(self) -> timedelta:
        """How long a cancellation may be asked for at all, in time or not."""
        return self.ordinary if self.late_minutes is None else timedelta(minutes=self.late_minutes)

    @property
    def substitution(self) -> timedelta | None:
        """How long a cancellation may be asked for that names the document which took its place."""
        return None if self.substitution_minutes is None else timedelta(minutes=self.substitution_minutes)


CANCELLATION_TERMS: Table[tuple[str, str], CancellationTerms] = Table(
    "cancellation_terms", CancellationTerms, lambda terms: (terms.model, terms.state)
)
