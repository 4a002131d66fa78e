"""The XML of a wagon bill and of its closing, and the dialect of its family."""

from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal

from carimbo.fiscal.layouts.group import attribute, child, decimal, group, integer, moment, text
from carimbo.fiscal.layouts.sefaz.dialect import Dialect
from carimbo.fiscal.layouts.sefaz.events import SefazEvent
from carimbo.fiscal.tables.statuses import MDFE_STATUSES

# The addresses and authorities of model 58 are in the official tables.
MODEL = "58"
DIALECT = Dialect(
    namespace="http://www.portalfiscal.inf.br/toy",
    stem="Toy",
    document_tag="Toy",
    archive_tag="toyProc",
    status_tag="consStatServToy",
    version="1.00",
    event_version="1.00",
    distribution_version="1.00",
    sequence_digits=3,
    statuses=MDFE_STATUSES,
    in_lots=False,
    zips_documents=True,
    status_names_state=False,
    distribution_names_state=False,
    cancellations=frozenset(),
    closings=frozenset({"110112"}),
)


@group("ide")
class Identification:
    """The fields that identify a bill."""

    state_code: str = text("cUF", 2)
    numeric_code: str = text("cToy", 8)
    model: str = text("mod", 2)
    series: int = integer("serie")
    number: int = integer("nToy")
    check_digit: str = text("cDV", 1)
    issued_at: datetime = moment("dhEmi")
    emission_type: str = text("tpEmis", 1)
    environment: str = text("tpAmb", 1)
    notes: str | None = text("notes", 200, path="/notes", default=None)


@group("emit")
class Issuer:
    """The company that sends the wagon."""

    cnpj: str = text("CNPJ", 14)


@group("infToy")
class Wagon:
    """The signed part of a bill."""

    id: str = attribute("Id", 47)
    identification: Identification = child("ide")
    issuer: Issuer = child("emit")
    receiver: str = text("receiver", 60)
    axles: int = integer("axles")
    amount: Decimal = decimal("amount")


@group("evEncToy")
class Arrival:
    """Where a wagon arrived."""

    protocol: str = text("nProt", 15)
    city: str = text("city", 60)


@group("detEvento")
class Closing:
    """The detail of a closing."""

    event_type = "110112"
    arrival: Arrival = child("evEncToy")


@group("infEvento")
class EventInformation:
    """The signed part of an event."""

    id: str = attribute("Id", 55)
    organ: str = text("cOrgao", 2)
    environment: str = text("tpAmb", 1)
    cnpj: str = text("CNPJ", 14)
    access_key: str = text("chToy", 44)
    occurred_at: datetime = moment("dhEvento")
    event_type: str = text("tpEvento", 6)
    sequence: int = integer("nSeqEvento")
    detail: Closing = child("detEvento")


@dataclass(frozen=True, slots=True)
class WagonEvent(SefazEvent[Closing]):
    """An event of a wagon bill."""

    dialect = DIALECT

    def information(self) -> EventInformation:
        """Returns the signed part."""
        return EventInformation(
            id=self.id,
            organ=self.organ,
            environment=self.environment,
            cnpj=self.tax_id,
            access_key=self.access_key,
            occurred_at=self.occurred_at,
            event_type=self.detail.event_type,
            sequence=self.sequence,
            detail=self.detail,
        )
