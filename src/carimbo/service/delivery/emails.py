"""E-mails with documents: requests for them, their status, and the progress of each recipient."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from enum import StrEnum
from typing import Annotated
from uuid import UUID

from pydantic import Field

from carimbo.fiscal.body.fields import Body, Record
from carimbo.fiscal.lifecycle import Status
from carimbo.fiscal.parties.customer import Addressee
from carimbo.service.delivery.email_message import PlainEmail, RefusedRecipient
from carimbo.service.document_types import document_type_named
from carimbo.service.documents.queries import (
    DocumentReference,
    audit_document,
    read_request,
    require_document,
    wrong_state,
)
from carimbo.service.errors import ErrorCode, Refusal, invalid_field
from carimbo.service.listing import Page, PageRequest
from carimbo.service.stored_records import readable_record, record_or_partial
from carimbo.storage.audit import AuditAction
from carimbo.storage.database import Database, Tenant
from carimbo.storage.documents import Document
from carimbo.storage.emails import Email, EmailAttempt

_MAX_RECIPIENTS = 10
_PARKED = "O envio foi interrompido por erros internos e aguarda quem cuida desta instalação."
_NO_ADDRESS = "Informe os destinatários em to: o e-mail do destinatário do documento não é conhecido."


class EmailStatus(StrEnum):
    """The status of an e-mail."""

    PENDING = "pending"
    SENT = "sent"
    FAILED = "failed"


class AskedBy(StrEnum):
    """Why a document is sent: its sale, the company's settings, or a request."""

    SALE = "sale"
    COMPANY = "company"
    REQUEST = "request"


class AttemptOutcome(StrEnum):
    """The outcome of an attempt."""

    SENT = "sent"
    REFUSED = "refused"
    NOT_SENT = "notSent"


class EmailRequest(Body):
    """The request to send a document."""

    to: Annotated[list[PlainEmail], Field(min_length=1, max_length=_MAX_RECIPIENTS)] | None = Field(
        default=None,
        description="De 1 a 10 endereços; na falta, o e-mail do destinatário do documento.",
        examples=[["maria@example.com"]],
    )


class RecipientRefusal(Record):
    """A recipient that an attempt did not reach."""

    address: str
    code: int | None = Field(
        description="Código da resposta SMTP; nulo se o servidor não chegou a ser perguntado.", examples=[550]
    )
    message: str
    is_final: bool = Field(description="Se não se tenta de novo.")


class EmailAttemptRecord(Record):
    """One attempt to send an e-mail."""

    number: int
    started_at: datetime
    milliseconds: int = Field(description="Duração, do preparo à resposta do servidor, em milissegundos.")
    to: list[str] = Field(description="Para quem foi esta tentativa: quem ainda não o tinha.")
    outcome: AttemptOutcome = Field(
        description="`sent` (aceito, ao menos para alguém), `refused` (recusado de vez) ou `notSent` (não foi"
        " aceito desta vez)."
    )
    code: int | None = Field(description="Código da resposta SMTP, se houve.", examples=[250])
    message: str | None
    refusals: list[RecipientRefusal] = Field(description="Destinatários que o servidor não aceitou.")


class EmailRecord(Record):
    """An e-mail as callers see it."""

    id: UUID
    to: list[str] = Field(
        description="Destinatários; vazio enquanto não se procurou o do documento.",
        examples=[["maria@example.com"]],
    )
    status: EmailStatus
    asked_by: AskedBy = Field(
        description="Quem pediu: `sale` (a venda), `company` (as configurações) ou `request` (uma chamada)."
    )
    attempts: list[EmailAttemptRecord]
    error: str | None = Field(description="Por que não foi enviado, ou não a todos.")
    sent_at: datetime | None = Field(description="Quando o servidor o aceitou para o primeiro destinatário.")
    created_at: datetime


@dataclass(frozen=True)
class Outbox:
    """E-mail requests of callers."""

    database: Database
    is_open: bool
    """Whether this installation can send e-mails."""

    async def ask(self, which: DocumentReference, request: EmailRequest) -> EmailRecord:
        """Stores a request to send an authorized document."""
        async with self.database.tenant(which.subscription_id) as tenant:
            document = await require_document(tenant, which)
            if document.status != Status.AUTHORIZED:
                raise wrong_state(document, Status.AUTHORIZED)
            if not self.is_open:
                raise Refusal(ErrorCode.EMAIL_NOT_CONFIGURED)
            recipients = await _recipients(tenant, document, request)
            email = await tenant.emails.add(document.company_id, document.id, recipients)
            await audit_document(
                tenant, AuditAction.DOCUMENT_EMAILED, document, {"recipients": len(recipients)}
            )
            return _record(email, [])

    async def list(self, which: DocumentReference, request: PageRequest) -> Page[EmailRecord]:
        """Returns the e-mails of a document, newest first."""
        async with self.database.snapshot(which.subscription_id) as tenant:
            await require_document(tenant, which)
            emails = await tenant.emails.of_document(which.document_id, request.offset, request.page_size)
            total = await tenant.emails.count(which.document_id)
            attempts = await tenant.emails.attempts([email.id for email in emails])
        return Page([_record(email, attempts[email.id]) for email in emails], total, request)


async def addressee_of(tenant: Tenant, document: Document) -> Addressee:
    """Returns the addressee of a document, from its request, or else from the customer of its sale."""
    own = _own_addressee(document)
    sale = await tenant.sales.get(document.sale_id) if document.sale_id and not own.email else None
    customer = await tenant.customers.get(sale.customer_id) if sale and sale.customer_id else None
    return Addressee(own.name or customer.name, customer.email) if customer else own


def _own_addressee(document: Document) -> Addressee:
    """Returns the addressee in the request of a document; an empty one if it can't be read."""
    addressee = document_type_named(document.type).issuing.addressee
    own = record_or_partial("documents", document.id, lambda: addressee(read_request(document)), lambda: None)
    return own or Addressee(None, None)


async def _recipients(tenant: Tenant, document: Document, request: EmailRequest) -> list[str]:
    if request.to:
        return list(dict.fromkeys(request.to))
    own = await addressee_of(tenant, document)
    if own.email is None:
        raise invalid_field("to", _NO_ADDRESS)
    return [own.email]


def _attempt_record(email: Email, attempt: EmailAttempt) -> EmailAttemptRecord:
    values = asdict(attempt) | {"to": attempt.recipients}
    return readable_record("email_attempts", f"{email.id}/{attempt.number}", EmailAttemptRecord, values)


def _record(email: Email, attempts: list[EmailAttempt]) -> EmailRecord:
    return EmailRecord(
        id=email.id,
        to=email.recipients or [],
        # It is not tried again until a person looks at it.
        status=EmailStatus.FAILED if email.parked_reason else EmailStatus(email.status),
        asked_by=AskedBy(email.asked_by),
        attempts=[_attempt_record(email, attempt) for attempt in attempts],
        error=_PARKED if email.parked_reason else email.last_error,
        sent_at=email.sent_at,
        created_at=email.created_at,
    )


_Verdicts = Mapping[str, RefusedRecipient | None]


@dataclass(frozen=True)
class RecipientProgress:
    """Which recipients have an e-mail, and which still wait for it."""

    waiting: tuple[str, ...]
    """The recipients of the next attempt."""
    has_served: bool
    """Whether at least one recipient has it."""
    error: str | None
    """Why a recipient does not have it."""


def recipient_progress(recipients: Sequence[str], attempts: Sequence[EmailAttempt]) -> RecipientProgress:
    """Returns the progress after some attempts, the oldest first."""
    verdicts: dict[str, RefusedRecipient | None] = {}
    for attempt in attempts:
        verdicts |= _verdicts(attempt)
    unserved = [verdict for verdict in verdicts.values() if verdict]
    given_up = {refusal.address for refusal in unserved if refusal.is_final}
    served = verdicts.keys() - {refusal.address for refusal in unserved}
    return RecipientProgress(
        waiting=tuple(address for address in recipients if address not in served | given_up),
        has_served=bool(served),
        error=_error(recipients, attempts, unserved),
    )


def _verdicts(attempt: EmailAttempt) -> _Verdicts:
    """Returns the refusal of each recipient of an attempt; None for a recipient that has the e-mail."""
    verdicts: dict[str, RefusedRecipient | None] = {
        address: _refusal_of_all(attempt, address) for address in attempt.recipients
    }
    return verdicts | {refusal["address"]: RefusedRecipient(**refusal) for refusal in attempt.refusals}


def _refusal_of_all(attempt: EmailAttempt, address: str) -> RefusedRecipient | None:
    if attempt.outcome == AttemptOutcome.SENT:
        return None
    is_final = attempt.outcome == AttemptOutcome.REFUSED
    return RefusedRecipient(address, None, attempt.message or "", is_final)


def _error(
    recipients: Sequence[str], attempts: Sequence[EmailAttempt], unserved: Sequence[RefusedRecipient]
) -> str | None:
    last = attempts[-1] if attempts else None
    if last and last.outcome != AttemptOutcome.SENT and [*last.recipients] == [*recipients]:
        return last.message
    texts = "; ".join(f"{refusal.address} ({_reason(refusal)})" for refusal in unserved)
    return f"Não foi enviado a: {texts}" if texts else None


def _reason(refusal: RefusedRecipient) -> str:
    return f"{refusal.code} {refusal.message}" if refusal.code else refusal.message
