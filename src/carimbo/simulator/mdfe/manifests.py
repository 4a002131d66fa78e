"""The open MDF-e of a vehicle and of an issuer: until it is closed or canceled, one blocks others."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from carimbo.simulator.ledger import DocumentStatus
from carimbo.simulator.store import Store, timestamp_of, timestamp_text

_OPEN = (
    "select manifests.*, documents.protocol, documents.received_at"
    " from manifests join documents using (environment, access_key)"
    f" where environment = ? and documents.status = '{DocumentStatus.AUTHORIZED}'"
)
_WITHOUT_INCLUSION = (
    "loads_later = 1 and received_at < ? and not exists (select 1 from events where type = ?"
    " and events.environment = manifests.environment and events.access_key = manifests.access_key)"
)
_OLDEST_FIRST = "order by received_at, documents.rowid limit ?"
_ANY_NUMBER = -1


@dataclass(frozen=True, slots=True, kw_only=True)
class Trip:
    """What rules compare of two MDF-e: the issuer, the vehicle and the way."""

    issuer: str
    issuer_base: str
    plate: str
    """Of the tractor; empty if the trip is not by road."""
    issuer_type: str
    """`tpEmit`."""
    start_state: str
    end_state: str
    states_between: int
    loads_later: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenManifest:
    """An authorized MDF-e that is neither closed nor canceled."""

    access_key: str
    protocol: str
    authorized_at: datetime
    trip: Trip

    @property
    def detail(self) -> str:
        """Key and protocol, as rejections because of it have them."""
        return f"[chMDFe:{self.access_key}][nProt:{self.protocol}]"


class OpenManifests:
    """The open MDF-e in one environment, the oldest first."""

    def __init__(self, store: Store, environment: str) -> None:
        self._connection = store.connection
        self._environment = environment

    def keep(self, access_key: str, trip: Trip) -> None:
        """Stores the trip of an authorized MDF-e."""
        self._connection.execute(
            "insert or ignore into manifests values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (
                self._environment,
                access_key,
                trip.issuer,
                trip.issuer_base,
                trip.plate,
                trip.issuer_type,
                trip.start_state,
                trip.end_state,
                trip.states_between,
                int(trip.loads_later),
            ),
        )

    def of_vehicle(self, issuer_base: str, plate: str) -> list[OpenManifest]:
        """Returns those of a vehicle, by all branches of an issuer."""
        return self._where("issuer_base = ? and plate = ?", issuer_base, plate)

    def of_issuer(self, issuer: str, limit: int = _ANY_NUMBER) -> list[OpenManifest]:
        """Returns those of a CNPJ or CPF, the oldest ones if there is a limit."""
        return self._where("manifests.issuer = ?", issuer, limit=limit)

    def without_inclusion(self, issuer: str, event_type: str, before: datetime) -> list[OpenManifest]:
        """Returns the oldest one that was to load later, authorized before a moment, and never did."""
        moment = timestamp_text(before)
        return self._where(
            f"manifests.issuer = ? and {_WITHOUT_INCLUSION}", issuer, moment, event_type, limit=1
        )

    def _where(self, condition: str, *values: str, limit: int = _ANY_NUMBER) -> list[OpenManifest]:
        query = f"{_OPEN} and {condition} {_OLDEST_FIRST}"
        rows = self._connection.execute(query, (self._environment, *values, limit))
        return [_manifest(row) for row in rows.fetchall()]


def _manifest(row: Any) -> OpenManifest:
    trip = Trip(
        issuer=row["issuer"],
        issuer_base=row["issuer_base"],
        plate=row["plate"],
        issuer_type=row["issuer_type"],
        start_state=row["start_state"],
        end_state=row["end_state"],
        states_between=row["states_between"],
        loads_later=bool(row["loads_later"]),
    )
    return OpenManifest(
        access_key=row["access_key"],
        protocol=row["protocol"],
        authorized_at=timestamp_of(row["received_at"]),
        trip=trip,
    )
