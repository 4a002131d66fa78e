"""Agreements and ISS rates of municipalities in the national environment of NFS-e."""

from dataclasses import dataclass
from datetime import date
from decimal import Decimal


@dataclass(frozen=True, slots=True)
class Agreement:
    """The agreement of a municipality with the national environment."""

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
    """In percent; None if the municipality has registered none."""


@dataclass(frozen=True, slots=True)
class Jurisdiction:
    """The municipalities (IBGE codes) whose rules apply to a document."""

    cities: tuple[str, ...]
    """Those whose agreements are needed."""
    taxed_at: str | None = None
    """The one that taxes the service, if its rate is needed."""
    service_code: str = ""
    """The code of the service in the query for the rate: `01.01.01.000`."""
    on: date | None = None
    """The day of the rate, from the body; None means today."""
