"""Received documents, their events and the statements of a company, for tests of the rows."""

from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any
from uuid import UUID

from carimbo.fiscal.receiving import TaxedAmount
from carimbo.service.receiving.decision import REST
from carimbo.storage.database import Tenant
from carimbo.storage.identifiers import new_id
from carimbo.storage.manifestations import NewManifestation
from carimbo.storage.received import NewReceived, NewReceivedEvent
from carimbo.storage.received_search import ReceivedFilter
from carimbo.storage.streams import open_stream

SERVICE, ENVIRONMENT = "nfe", "production"
RECEIVED_KEY = "35" + 42 * "7"
ISSUED_AT = datetime(2026, 11, 10, 12, tzinfo=UTC)
ALL_RECEIVED = ReceivedFilter(service=SERVICE, environment=ENVIRONMENT)
TAXED = TaxedAmount(
    cfop="1102", tax="icms", cst="00", items=Decimal(100), base=Decimal(100), amount=Decimal(18)
)


def new_received(company_id: UUID, **changes: Any) -> NewReceived:
    """Returns the summary of an NF-e that can still be acknowledged."""
    values: dict[str, Any] = {
        "id": new_id(),
        "company_id": company_id,
        "service": SERVICE,
        "type": "nfe",
        "environment": ENVIRONMENT,
        "access_key": RECEIVED_KEY,
        "series": 1,
        "number": 42,
        "role": "recipient",
        "issuer_tax_id": "12ABC34501DE35",
        "issuer_name": "Fornecedora Ltda",
        "amount": Decimal("59.80"),
        "issued_at": ISSUED_AT,
        "authorized_at": ISSUED_AT,
        "protocol": "135260000000001",
        "situation": "authorized",
        "status": "pending",
        "has_full_xml": False,
        "nsu": 7,
        "source": "distribution",
        "is_distributed": True,
        "acknowledge_by": datetime.now(UTC) + timedelta(days=10),
        "respond_by": datetime.now(UTC) + timedelta(days=90),
    }
    return NewReceived(**{**values, **changes})


def new_received_event(company_id: UUID) -> NewReceivedEvent:
    return NewReceivedEvent(
        id=new_id(),
        company_id=company_id,
        environment=ENVIRONMENT,
        access_key=RECEIVED_KEY,
        code="110110",
        description="Carta de Correção",
        sequence=1,
        author_tax_id="12ABC34501DE35",
        protocol="135260000000002",
        occurred_at=ISSUED_AT,
        registered_at=ISSUED_AT,
        situation=None,
        text=None,
        has_full_xml=False,
        nsu=8,
    )


def new_manifestation(company_id: UUID, document_id: UUID) -> NewManifestation:
    """Returns the automatic acknowledgement of a received document."""
    return NewManifestation(
        id=new_id(),
        company_id=company_id,
        document_id=document_id,
        type="science",
        sequence=1,
        request="{}",
        status_after="science",
        is_conclusive=False,
        is_automatic=True,
    )


async def add_received(tenant: Tenant, company_id: UUID, tax_id: str) -> dict[str, UUID]:
    """Makes a company follow a stream, with a received document that it acknowledges; returns their ids."""
    stream_id = await open_stream(tenant.connection, SERVICE, ENVIRONMENT, tax_id, REST)
    reception = await tenant.receptions.start(company_id, SERVICE, ENVIRONMENT, stream_id)
    document = await tenant.received.add(new_received(company_id))
    await tenant.received.add_event(new_received_event(company_id))
    await tenant.received.put_amounts(document.id, [TAXED])
    manifestation = new_manifestation(company_id, document.id)
    await tenant.manifestations.add_for_lot(manifestation)
    return {
        "reception_id": reception.id,
        "received_id": document.id,
        "manifestation_id": manifestation.id,
    }
