"""The check beside a form: what a trial of it says."""

from collections.abc import Sequence
from dataclasses import dataclass

from carimbo.dashboard.contents import AmountRow
from carimbo.dashboard.form_view import FormView


@dataclass(frozen=True)
class TrialResult:
    """What a trial of a form says: nothing was stored, numbered or sent."""

    totals: Sequence[AmountRow]
    warnings: Sequence[str]
    view: FormView
    """The form with the problems that the trial found."""
