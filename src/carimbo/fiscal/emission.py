"""One attempt to issue a document: its place in the numbering, its moment and its way to the authority."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from carimbo.fiscal.company import Environment


class EmissionType(StrEnum):
    """`tpEmis`: who authorises, before or after the goods leave; it is part of the access key."""

    NORMAL = "1"
    SVC_AN = "6"
    SVC_RS = "7"
    OFFLINE = "9"


@dataclass(frozen=True, slots=True)
class Contingency:
    """Since when and why a document does not go the normal way (`dhCont`, `xJust`)."""

    started_at: datetime
    reason: str


@dataclass(frozen=True, slots=True)
class Emission:
    """What a document is issued under; with the company and the model it makes the access key."""

    environment: Environment
    series: int
    number: int
    numeric_code: str
    issued_at: datetime
    """With the offset of the issuer's zone: the key takes its month from here."""
    type: EmissionType = EmissionType.NORMAL
    contingency: Contingency | None = None
