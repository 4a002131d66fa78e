"""What a municipality has agreed with the national environment of NFS-e, and what it told it."""

from dataclasses import dataclass
from datetime import date
from decimal import Decimal


@dataclass(frozen=True, slots=True)
class Agreement:
    """Whether a municipality takes part, and whether its taxpayers issue at the national emitter."""

    city_code: str
    """IBGE."""
    is_active: bool
    uses_national_emitter: bool


@dataclass(frozen=True, slots=True)
class MunicipalRate:
    """The ISS rate of a service in a municipality on a day."""

    city_code: str
    """IBGE."""
    service_code: str
    """Of the national list, with the municipality's own digits: `01.01.01.000`."""
    rate: Decimal | None
    """In percent; None where the municipality told none."""


@dataclass(frozen=True, slots=True)
class Jurisdiction:
    """Which municipalities (IBGE) have a say in a document."""

    cities: tuple[str, ...]
    """Whose agreements are to be known."""
    taxed_at: str | None = None
    """Which of them taxes the service, where its rate is worth asking for."""
    service_code: str = ""
    """The service as that one is asked about it: `01.01.01.000`."""
    on: date | None = None
    """The day that the body tells; None where it tells none: then the rate of today is asked for."""
