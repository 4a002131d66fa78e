"""When what could not be delivered is tried again: a pure decision."""

from dataclasses import dataclass
from datetime import timedelta

# So much of a pause is added by chance: what failed together does not come back together.
_SPREAD = 0.2
# Whoever asks for more would keep us from telling that nothing comes through.
_LONGEST_WISH = timedelta(days=1)
_FORM = "informe segundos entre 0 e 86400, separados por vírgulas"


@dataclass(frozen=True)
class RetrySchedule:
    """The pause after each failure in turn; past the last one it is given up."""

    pauses: tuple[timedelta, ...]

    @classmethod
    def parse(cls, text: str) -> "RetrySchedule":
        """Read seconds, separated by commas; none at all means no retries."""
        try:
            seconds = [float(part) for part in text.split(",") if part.strip()]
        except ValueError:
            raise ValueError(_FORM) from None
        if any(not 0 < one <= _LONGEST_WISH.total_seconds() for one in seconds):
            raise ValueError(_FORM)
        return cls(tuple(timedelta(seconds=one) for one in seconds))

    def pause_after(self, failures: int, dice: float, wished: timedelta | None = None) -> timedelta | None:
        """The pause after so many failures in a row, or as long as wished; None when it is given up."""
        if failures > len(self.pauses):
            return None
        planned = self.pauses[failures - 1] * (1 + _SPREAD * dice)
        return max(planned, min(wished or planned, _LONGEST_WISH))
