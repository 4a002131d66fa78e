"""What an operator of the simulator has switched: outages, delays, failures, the clock."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from decimal import Decimal
from enum import StrEnum

from carimbo.simulator.calendar import FAKE_CBS_RATE, Calendar, Milestone


class Contingency(StrEnum):
    """Whether a contingency authority (SVC) serves."""

    AUTO = "auto"
    """While the authorizer of the issuer's state is out of service."""
    ON = "on"
    CLOSING = "closing"
    """Serves, and its status says that it soon will not (113)."""
    OFF = "off"


@dataclass(frozen=True, slots=True, kw_only=True)
class Controls:
    """The switches, as they were when a request came in."""

    outages: Mapping[str, str] = field(default_factory=dict)
    """By authorizer, the code that it answers everything with: 108 or 109."""
    contingency: Mapping[str, Contingency] = field(default_factory=dict)
    """By contingency authority (`SVCAN`, `SVCRS`); what is not here is `AUTO`."""
    latency_seconds: float = 0
    lost_answers: float = 0
    """Share of requests that are judged and never answered, 0 to 1."""
    failures: float = 0
    """Share of requests that get HTTP 503 and are not judged, 0 to 1."""
    clock_offset: timedelta = timedelta()
    """How far the simulator's clock runs ahead."""
    lot_seconds: float = 1
    """How long a lot of several documents is in process."""
    limits: bool = True
    """Whether too many calls are refused (656)."""
    revocation_list: bool = True
    """Whether the list of revoked certificates can be reached."""
    rules_off: frozenset[str] = frozenset()
    """Codes of rules that are not checked."""
    moved_dates: Mapping[Milestone, date] = field(default_factory=dict)
    """Dates of the authorities' calendar that differ from the built-in ones."""
    cbs_rate: Decimal = FAKE_CBS_RATE
    """The CBS rate from 2027 on, in percent."""
    seed: int = 0
    """What the draws of lost answers and failures begin from: the same one makes the same run."""

    def contingency_of(self, authorizer: str) -> Contingency:
        """The switch of a contingency authority."""
        return self.contingency.get(authorizer, Contingency.AUTO)

    @property
    def calendar(self) -> Calendar:
        """The dates and rates of the authorities."""
        return Calendar(self.moved_dates, self.cbs_rate)

    def time_at(self, real: datetime) -> datetime:
        """What the simulator's clock shows at a real moment."""
        return real + self.clock_offset
