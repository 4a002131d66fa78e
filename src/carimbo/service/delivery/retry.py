"""When a failed delivery or e-mail is tried again: a pure decision."""

from dataclasses import dataclass
from datetime import timedelta

# Up to this share of a pause is added at random, so that simultaneous failures are not retried together.
_SPREAD = 0.2
# A longer wait would delay the report that a receiver gets nothing.
_MAX_RETRY_AFTER = timedelta(days=1)
_FORM = "informe segundos entre 0 e 86400, separados por vírgulas"


@dataclass(frozen=True)
class RetrySchedule:
    """The pauses between attempts. A delivery that fails again after the last pause is given up."""

    pauses: tuple[timedelta, ...]

    @classmethod
    def parse(cls, text: str) -> "RetrySchedule":
        """Parses seconds separated by commas; an empty text means no retries."""
        try:
            seconds = [float(part) for part in text.split(",") if part.strip()]
        except ValueError:
            raise ValueError(_FORM) from None
        if any(not 0 < pause <= _MAX_RETRY_AFTER.total_seconds() for pause in seconds):
            raise ValueError(_FORM)
        return cls(tuple(timedelta(seconds=pause) for pause in seconds))

    def pause_after(
        self, failures: int, jitter: float, retry_after: timedelta | None = None
    ) -> timedelta | None:
        """Returns the pause after some failures in a row, `retry_after` at least; None to give up."""
        if failures > len(self.pauses):
            return None
        planned = self.pauses[failures - 1] * (1 + _SPREAD * jitter)
        return max(planned, min(retry_after or planned, _MAX_RETRY_AFTER))
