"""Payloads of events, the same for webhooks and for the list of events."""

from datetime import datetime
from typing import Annotated, Any
from uuid import UUID

from pydantic import ConfigDict, Field

from carimbo.fiscal.body.fields import AS_STORED, Number, Record
from carimbo.fiscal.lifecycle import Status
from carimbo.service.delivery.event_names import (
    CERTIFICATE_EXPIRING,
    RECEIVED_EVENTS,
    name_of,
    status_in_event,
)
from carimbo.service.documents.files import Links
from carimbo.service.documents.record import Rejection, number_of
from carimbo.service.receiving.record import ReceivedRecord
from carimbo.service.stored_records import partial_record, record_or_partial
from carimbo.storage.events import PublishedEvent


def _is_none(value: object) -> bool:
    return value is None


def _if_any(description: str, example: str | None = None) -> Any:
    """Returns a field that is left out if it has no value."""
    examples = [example] if example else None
    return Field(default=None, exclude_if=_is_none, description=description, examples=examples)


class DocumentData(Record):
    """The data of an event about a document, as the document was then."""

    model_config = ConfigDict(json_schema_serialization_defaults_required=False)

    id: UUID = Field(description="Id do documento.")
    sale_id: UUID | None = _if_any("Presente quando o documento é de uma venda.")
    external_id: str | None = _if_any("Presente quando foi informado.", "pedido-1001")
    company_id: UUID
    tax_id: str = Field(description="CNPJ da empresa.", examples=["11222333000181"])
    status: Annotated[Status, AS_STORED]
    type: str = Field(examples=["nfe"])
    amount: Number = Field(examples=[199.9])
    invoice_number: str | None = Field(examples=["1001"])
    issued_at: datetime | None
    closed_at: datetime | None = Field(
        default=None, exclude_if=_is_none, description="Presente quando o documento foi encerrado."
    )
    close_by: datetime | None = Field(
        default=None,
        exclude_if=_is_none,
        description="Em `mdfe.expiring`: quando a SEFAZ passa a recusar novos, se ele continuar aberto.",
    )
    days_left: int | None = Field(
        default=None, exclude_if=_is_none, description="Em `mdfe.expiring`: dias até lá."
    )
    rejection: Rejection | None = Field(
        default=None, exclude_if=_is_none, description="Presente quando o documento foi rejeitado."
    )
    pdf_url: str | None = _if_any(
        "Link temporário que abre o PDF sem credenciais.", "https://fiscal.example.com/files/….pdf"
    )
    xml_url: str | None = _if_any(
        "Link temporário que abre o XML sem credenciais.", "https://fiscal.example.com/files/….xml"
    )


class CertificateData(Record):
    """The data of an event about a certificate."""

    company_id: UUID
    tax_id: str = Field(description="CNPJ da empresa.", examples=["11222333000181"])
    expires_at: datetime
    days_left: int = Field(description="Dias até o vencimento; o último conta por inteiro.", examples=[30])


class ReceivedData(ReceivedRecord):
    """The data of an event about a received document, as the document was then."""

    company_id: UUID
    tax_id: str = Field(description="CNPJ da empresa.", examples=["11222333000181"])


class EventPayload(Record):
    """An event as webhooks and `GET /v1/events` show it."""

    id: UUID
    event: str = Field(examples=["nfe.authorized"])
    created_at: datetime
    data: DocumentData | ReceivedData | CertificateData | dict[str, Any]


def payload_json(event: PublishedEvent, links: Links) -> dict[str, Any]:
    """Returns the payload of an event as JSON values; its links are valid from now on."""
    return event_payload(event, links).model_dump(mode="json")


def event_payload(event: PublishedEvent, links: Links) -> EventPayload:
    """Returns the payload of an event, without the fields that can't be read."""
    data = record_or_partial(
        "events", event.id, lambda: _data(event, links), lambda: _readable_data(event, links)
    )
    return EventPayload(id=event.id, event=name_of(event.topic), created_at=event.created_at, data=data)


def _data(
    event: PublishedEvent, links: Links
) -> DocumentData | ReceivedData | CertificateData | dict[str, Any]:
    if event.topic in RECEIVED_EVENTS:
        return ReceivedData.model_validate(_company_of(event) | (event.details or {}))
    if event.document_id is not None:
        return DocumentData.model_validate(_document_values(event, event.document_id, links))
    data = _company_of(event) | (event.details or {})
    return CertificateData.model_validate(data) if event.topic == CERTIFICATE_EXPIRING else data


def _readable_data(event: PublishedEvent, links: Links) -> DocumentData | dict[str, Any]:
    """Returns the readable part of an event."""
    if event.document_id is None or event.topic in RECEIVED_EVENTS:
        return _company_of(event)
    return partial_record(DocumentData, _document_values(event, event.document_id, links))


def _document_values(event: PublishedEvent, document_id: UUID, links: Links) -> dict[str, Any]:
    details = event.details or {}
    status = status_in_event(event.status)
    number = number_of(event.type, event.number, event.assigned_number)
    is_filed = status in (Status.AUTHORIZED, Status.CANCELED) and event.authorized_at is not None
    return {
        "id": document_id,
        # Of a discarded document only the details are left.
        "sale_id": event.sale_id or details.get("saleId"),
        "external_id": event.external_id or details.get("externalId"),
        "company_id": event.company_id,
        "tax_id": event.tax_id,
        "status": status,
        "type": event.type,
        "amount": event.amount,
        "invoice_number": None if number is None else str(number),
        "issued_at": event.issued_at,
        "closed_at": details.get("closedAt"),
        "close_by": details.get("closeBy"),
        "days_left": details.get("daysLeft"),
        "rejection": details.get("rejection"),
        "pdf_url": links.pdf(event.subscription_id, document_id) if is_filed else None,
        "xml_url": links.xml(event.subscription_id, document_id) if is_filed else None,
    }


def _company_of(event: PublishedEvent) -> dict[str, Any]:
    return {"companyId": str(event.company_id), "taxId": event.tax_id} if event.company_id else {}
