"""Records of received documents, as callers and webhooks see them."""

from collections.abc import Sequence
from datetime import datetime
from enum import StrEnum
from typing import Annotated
from uuid import UUID

from pydantic import Field

from carimbo.fiscal.body.fields import AS_STORED, Number, Record
from carimbo.fiscal.environment import Environment
from carimbo.fiscal.receiving import ReceivedDetails, Receiving, ResponseKind, Role, Situation
from carimbo.service.actors import ActorRecord, actor_record
from carimbo.service.filing.outcome import FilingStatus, status_of
from carimbo.service.json_values import read_exact_json
from carimbo.service.receiving.in_progress import is_of_another_program
from carimbo.service.stored_records import readable_record
from carimbo.storage.manifestations import Manifestation
from carimbo.storage.received import ReceivedEventRow, ReceivedRow


class ReceivedIssuer(Record):
    """The issuer of a received document."""

    tax_id: str = Field(description="CNPJ ou CPF.", examples=["11222333000181"])
    name: str


class ReceivedRecord(Record):
    """A document that somebody else issued and the company received."""

    id: UUID
    type: str = Field(examples=["nfe"])
    access_key: str
    series: int | None
    number: int | None
    environment: Annotated[Environment, AS_STORED]
    role: Annotated[Role, AS_STORED] = Field(description="O papel da empresa no documento.")
    issuer: ReceivedIssuer
    amount: Number | None
    issued_at: datetime
    authorized_at: datetime | None
    protocol: str | None
    status: str = Field(
        description="A última manifestação da empresa; `pending` quando não há nenhuma.", examples=["science"]
    )
    situation: Annotated[Situation, AS_STORED] = Field(
        description="O que o emitente fez dele: `corrected` depois de uma carta de correção."
    )
    has_full_xml: bool = Field(description="Se já há o XML inteiro, e não só o resumo da SEFAZ.")
    nsu: int | None = Field(description="Número na sequência da distribuição; nulo no que foi importado.")
    manifest_deadline: datetime | None = Field(
        description="Até quando a empresa pode se manifestar; nulo quando não lhe cabe."
    )
    version: int = Field(description="Aumenta a cada mudança; use-o em `after`.")
    created_at: datetime
    updated_at: datetime


class ReceivedDetailsRecord(ReceivedRecord):
    """A received document with what its XML says."""

    details: ReceivedDetails | None = Field(
        description="Partes, itens e totais; nulo enquanto só há o resumo."
    )


class Origin(StrEnum):
    """Who made an event of a received document."""

    COMPANY = "company"
    ISSUER = "issuer"
    OTHER = "other"


class ReceivedEventRecord(Record):
    """An event of a received document."""

    id: UUID
    origin: Origin = Field(
        description="`company` se foi a própria empresa, por este serviço; `issuer` se foi o emitente."
    )
    type: str = Field(description="O tipo da manifestação, ou o código oficial do evento.")
    description: str
    status: FilingStatus
    sequence: int
    protocol: str | None
    text: str | None = Field(description="O texto da carta de correção, ou o motivo e a justificativa.")
    authority_code: str | None
    authority_message: str | None
    is_automatic: bool
    actor: ActorRecord | None = Field(
        default=None, description="Quem fez a manifestação; nulo nos eventos de outros."
    )
    registered_at: datetime | None
    created_at: datetime


def received_record(row: ReceivedRow) -> ReceivedRecord:
    """Returns the record of a received document."""
    return readable_record("received_documents", row.id, ReceivedRecord, received_values(row))


def received_values(row: ReceivedRow) -> dict[str, object]:
    """Returns the values of a record."""
    issuer = ReceivedIssuer(tax_id=row.issuer_tax_id, name=row.issuer_name)
    deadline = row.respond_by if Situation(row.situation).is_valid else None
    return {**vars(row), "issuer": issuer, "manifest_deadline": deadline}


def event_records(
    document: ReceivedRow,
    receiving: Receiving,
    events: Sequence[ReceivedEventRow],
    manifestations: Sequence[Manifestation],
) -> list[ReceivedEventRecord]:
    """Returns the events of a document in order."""
    kinds = {kind.name: kind for kind in receiving.responses}
    records = [
        *(_distributed(event, document.issuer_tax_id) for event in events),
        *(_declared(manifestation, kinds.get(manifestation.type)) for manifestation in manifestations),
    ]
    return sorted(records, key=lambda record: (record.registered_at or record.created_at, record.id))


def _distributed(event: ReceivedEventRow, issuer_tax_id: str) -> ReceivedEventRecord:
    return ReceivedEventRecord(
        id=event.id,
        origin=Origin.ISSUER if event.author_tax_id == issuer_tax_id else Origin.OTHER,
        type=event.code,
        description=event.description,
        status=FilingStatus.AUTHORIZED,
        sequence=event.sequence,
        protocol=event.protocol,
        text=event.text,
        authority_code=None,
        authority_message=None,
        is_automatic=False,
        registered_at=event.registered_at,
        created_at=event.created_at,
    )


def _declared(manifestation: Manifestation, kind: ResponseKind | None) -> ReceivedEventRecord:
    is_ours = not is_of_another_program(manifestation)
    return ReceivedEventRecord(
        id=manifestation.id,
        origin=Origin.COMPANY,
        type=manifestation.type,
        description=kind.description if kind else manifestation.type,
        status=status_of(manifestation),
        sequence=manifestation.sequence,
        protocol=manifestation.protocol,
        text=kind.text_of(read_exact_json(manifestation.request)) if kind and is_ours else None,
        authority_code=manifestation.authority_code,
        authority_message=manifestation.authority_message,
        is_automatic=manifestation.is_automatic,
        actor=actor_record(manifestation.created_by),
        registered_at=manifestation.registered_at,
        created_at=manifestation.created_at,
    )
