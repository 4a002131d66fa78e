"""E-mails that carry documents: asked for by callers, and what became of them."""

from dataclasses import asdict, dataclass
from datetime import datetime
from enum import StrEnum
from typing import Annotated
from uuid import UUID

from pydantic import Field

from carimbo.fiscal.addressee import Addressee
from carimbo.fiscal.fields import Body, Record
from carimbo.fiscal.lifecycle import Status
from carimbo.service.delivery.mailbox import PlainEmail
from carimbo.service.documents import Reference, read_request, require_document, wrong_state
from carimbo.service.errors import Code, Refusal, invalid_field
from carimbo.service.kinds import kind_named
from carimbo.service.pages import Page, PageRequest
from carimbo.service.readable import readable, readable_record
from carimbo.storage.database import Database, Tenant
from carimbo.storage.documents import Document
from carimbo.storage.emails import Email, EmailAttempt

_MOST_RECIPIENTS = 10
_SET_ASIDE = "O envio foi interrompido por erros internos e aguarda quem cuida desta instalação."
_NOBODY_KNOWN = "Informe os destinatários em to: o e-mail do destinatário do documento não é conhecido."


class EmailStatus(StrEnum):
    """Where an e-mail stands."""

    PENDING = "pending"
    SENT = "sent"
    FAILED = "failed"


class AskedBy(StrEnum):
    """Who wants a document to be sent: its sale, the company's settings, or a request."""

    SALE = "sale"
    COMPANY = "company"
    REQUEST = "request"


class AttemptOutcome(StrEnum):
    """What came of an attempt."""

    SENT = "sent"
    REFUSED = "refused"
    NOT_SENT = "notSent"


class EmailRequest(Body):
    """To whom a document is to be sent."""

    to: Annotated[list[PlainEmail], Field(min_length=1, max_length=_MOST_RECIPIENTS)] | None = Field(
        default=None,
        description="De 1 a 10 endereços; na falta, o e-mail do destinatário do documento.",
        examples=[["maria@example.com"]],
    )


class RecipientRefusal(Record):
    """A recipient whom an attempt did not serve."""

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
    """Where callers leave what they want to have sent."""

    database: Database
    is_open: bool
    """Whether this installation can send e-mails."""

    async def ask(self, which: Reference, request: EmailRequest) -> EmailRecord:
        """Store that an authorized document is to be sent to somebody."""
        async with self.database.tenant(which.subscription_id) as tenant:
            document = await require_document(tenant, which)
            if document.status != Status.AUTHORIZED:
                raise wrong_state(document, Status.AUTHORIZED)
            if not self.is_open:
                raise Refusal(Code.EMAIL_NOT_CONFIGURED)
            recipients = await _recipients(tenant, document, request)
            return _record(await tenant.emails.add(document.company_id, document.id, recipients), [])

    async def list(self, which: Reference, request: PageRequest) -> Page[EmailRecord]:
        """A document's e-mails, newest first."""
        async with self.database.snapshot(which.subscription_id) as tenant:
            await require_document(tenant, which)
            found = await tenant.emails.of_document(which.document_id, request.offset, request.page_size)
            total = await tenant.emails.count(which.document_id)
            attempts = await tenant.emails.attempts([email.id for email in found])
        return Page([_record(email, attempts[email.id]) for email in found], total, request)


async def addressee_of(tenant: Tenant, document: Document) -> Addressee:
    """Whom a document is for: as it says itself, or else the customer of its sale."""
    own = _own_addressee(document)
    sale = await tenant.sales.get(document.sale_id) if document.sale_id and not own.email else None
    customer = await tenant.customers.get(sale.customer_id) if sale and sale.customer_id else None
    return Addressee(own.name or customer.name, customer.email) if customer else own


def _own_addressee(document: Document) -> Addressee:
    """Returns whom a document is for as its request says; nobody if that can't be read."""
    addressee = kind_named(document.type).issuing.addressee
    own = readable("documents", document.id, lambda: addressee(read_request(document)), lambda: None)
    return own or Addressee(None, None)


async def _recipients(tenant: Tenant, document: Document, request: EmailRequest) -> list[str]:
    if request.to:
        return list(dict.fromkeys(request.to))
    own = await addressee_of(tenant, document)
    if own.email is None:
        raise invalid_field("to", _NOBODY_KNOWN)
    return [own.email]


def _attempt_record(email: Email, attempt: EmailAttempt) -> EmailAttemptRecord:
    values = asdict(attempt) | {"to": attempt.recipients}
    return readable_record("email_attempts", f"{email.id}/{attempt.number}", EmailAttemptRecord, values)


def _record(email: Email, attempts: list[EmailAttempt]) -> EmailRecord:
    return EmailRecord(
        id=email.id,
        to=email.recipients or [],
        # Nothing becomes of it until a person looks: who waits for it is told so.
        status=EmailStatus.FAILED if email.parked_reason else EmailStatus(email.status),
        asked_by=AskedBy(email.asked_by),
        attempts=[_attempt_record(email, attempt) for attempt in attempts],
        error=_SET_ASIDE if email.parked_reason else email.last_error,
        sent_at=email.sent_at,
        created_at=email.created_at,
    )
