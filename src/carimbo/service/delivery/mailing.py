"""Sends a document by e-mail, and stores the outcome."""

import asyncio
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import asdict, dataclass, field, replace
from datetime import datetime, timedelta
from typing import TypeVar

import structlog

from carimbo.fiscal.environment import Environment
from carimbo.fiscal.lifecycle import Status
from carimbo.fiscal.local_time import local_day
from carimbo.fiscal.parties.customer import Addressee
from carimbo.service.companies.registration import require_company
from carimbo.service.delivery.email_message import (
    Attachment,
    MailNotSent,
    MailRefused,
    MailSent,
    OutgoingEmail,
    RefusedRecipient,
    is_plain,
)
from carimbo.service.delivery.emails import (
    AskedBy,
    AttemptOutcome,
    EmailStatus,
    addressee_of,
    recipient_progress,
)
from carimbo.service.delivery.retry import RetrySchedule
from carimbo.service.document_types import document_type_named
from carimbo.service.documents.files import XmlFile, xml_of
from carimbo.service.documents.queries import DocumentReference, require_document
from carimbo.service.documents.record import record_of
from carimbo.service.errors import ErrorCode
from carimbo.service.ports import Mailer
from carimbo.service.printouts import PdfDownload, PreparedPdf, Printouts
from carimbo.service.waiting import jitter
from carimbo.storage import work
from carimbo.storage.companies import CompanyRow
from carimbo.storage.database import Database, DatabaseUnavailable, Tenant
from carimbo.storage.documents import Document
from carimbo.storage.emails import Email, EmailAttempt, EmailOutcome
from carimbo.storage.work import Lease, LeaseLost

_log = structlog.get_logger("carimbo.mail")
_MAX_AT_ONCE = 20
# If more e-mails than this wait, further ones are postponed, so that documents find free places in the queue.
_MAX_WAITING = 200
_POSTPONED_BY = timedelta(seconds=30)
_NOT_PREPARED = "O e-mail não pôde ser preparado: houve um erro ao reunir o XML e o PDF do documento."
_UNUSUAL_ADDRESS = "Endereço com caracteres que nem todo servidor de e-mail aceita antes do @."
_OUTCOMES: dict[type, AttemptOutcome] = {
    MailSent: AttemptOutcome.SENT,
    MailRefused: AttemptOutcome.REFUSED,
    MailNotSent: AttemptOutcome.NOT_SENT,
}


@dataclass(frozen=True)
class NothingToSend:
    """Why an e-mail can never be sent."""

    reason: str
    """A sentence in Portuguese."""


NO_RECIPIENT = NothingToSend("Sem endereço de e-mail: nem o documento nem o cadastro do cliente o informam.")
_NOT_AUTHORIZED = NothingToSend("O documento deixou de estar autorizado antes do envio.")


@dataclass(frozen=True, kw_only=True)
class EmailContent:
    """The content of an e-mail, without the PDF, which is rendered later."""

    email: Email
    document: Document
    company: CompanyRow
    addressee: Addressee
    recipients: tuple[str, ...]
    xml: XmlFile
    sheet: PreparedPdf

    def message(self, recipients: tuple[str, ...], pdf: PdfDownload) -> OutgoingEmail:
        """Returns the message for some of the recipients."""
        record, company = record_of(self.document), self.company
        state = company.local_state
        is_to_addressee = self.recipients == (self.addressee.email,)
        return OutgoingEmail(
            id=self.email.id,
            to=tuple(filter(is_plain, self.recipients)),
            recipients=recipients,
            addressee=self.addressee.name if is_to_addressee else None,
            issuer=company.shown_name,
            tax_id=company.tax_id,
            reply_to=company.email if company.email and is_plain(company.email) else None,
            title=document_type_named(record.type).title,
            number=record.number,
            series=record.series,
            amount=record.amount,
            issued_on=local_day(record.issued_at or record.created_at, state),
            access_key=record.access_key or "",
            is_valid=record.environment is Environment.PRODUCTION,
            attachments=(
                Attachment(self.xml.name, "application/xml", self.xml.xml),
                Attachment(pdf.name, "application/pdf", pdf.pdf or b""),
            ),
            total_due=record.total_due,
        )


async def load_email_content(
    tenant: Tenant, email: Email, printouts: Printouts
) -> EmailContent | NothingToSend:
    """Reads the content of an e-mail, all as of one instant; the files are those that callers download."""
    document = await require_document(tenant, DocumentReference(tenant.subscription_id, email.document_id))
    if document.status != Status.AUTHORIZED:
        return _NOT_AUTHORIZED
    addressee = await addressee_of(tenant, document)
    recipients = tuple(email.recipients or filter(None, [addressee.email]))
    if not recipients:
        return NO_RECIPIENT
    company = await require_company(tenant, document.company_id, deleted_too=True)
    xml = await xml_of(tenant, document)
    return EmailContent(
        email=email,
        document=document,
        company=company,
        addressee=addressee,
        recipients=recipients,
        xml=xml,
        sheet=await printouts.sheet(tenant, document, company, xml=xml.xml),
    )


MailOutcome = MailSent | MailRefused | MailNotSent
_Result = TypeVar("_Result")


@dataclass
class SendingLimit:
    """Limits the e-mails that are sent at the same time."""

    entered: int = 0
    """Number of e-mails that are being sent or wait for a slot."""
    slots: asyncio.Semaphore = field(default_factory=lambda: asyncio.Semaphore(_MAX_AT_ONCE))

    @property
    def is_full(self) -> bool:
        return self.entered >= _MAX_WAITING

    async def __aenter__(self) -> None:
        self.entered += 1
        try:
            await self.slots.acquire()
        except BaseException:
            self.entered -= 1
            raise

    async def __aexit__(self, *_: object) -> None:
        self.slots.release()
        self.entered -= 1


@dataclass(frozen=True)
class MailingContext:
    """Everything needed to send e-mails."""

    database: Database
    printouts: Printouts
    mailer: Mailer | None
    """None if e-mail is not configured."""
    schedule: RetrySchedule
    clock: Callable[[], datetime]
    tried: Callable[[str], None]
    """Called with the status of an e-mail after each attempt."""
    limit: SendingLimit = field(default_factory=SendingLimit, compare=False)
    rendering: asyncio.Semaphore = field(default_factory=lambda: asyncio.Semaphore(1), compare=False)
    """Lets one PDF be rendered at a time, because documents and webhooks need the processor."""


async def send_email(mailing: MailingContext, lease: Lease) -> None:
    """Sends a due e-mail and stores the outcome."""
    if mailing.limit.is_full:
        await _postpone(mailing, lease)
        return
    async with mailing.limit:
        outcome = await _attempt(mailing, lease, *await _read(mailing, lease))
        async with mailing.database.autocommit(lease.key.subscription_id) as tenant:
            if outcome is None:
                await tenant.emails.forget(lease)
                return
            await tenant.emails.write(lease, outcome)
    mailing.tried(outcome.status)


async def _postpone(mailing: MailingContext, lease: Lease) -> None:
    pause = _POSTPONED_BY * (1 + jitter())
    async with mailing.database.connection() as connection:
        await work.postpone(connection, lease, pause, progressed=True)


async def _read(mailing: MailingContext, lease: Lease) -> tuple[Email, Sequence[EmailAttempt]]:
    """Returns the row and its previous attempts."""
    async with mailing.database.autocommit(lease.key.subscription_id) as tenant:
        email = await tenant.emails.get(lease.key.id)
        if email is None:
            raise LookupError(f"{lease.key} has no row")
        return email, (await tenant.emails.attempts([email.id]))[email.id] if email.attempts_made else ()


async def _attempt(
    mailing: MailingContext, lease: Lease, email: Email, log: Sequence[EmailAttempt]
) -> EmailOutcome | None:
    """Attempts to send an e-mail and returns its new status; None if the row is to be deleted."""
    if mailing.mailer is None:
        return _given_up(email, ErrorCode.EMAIL_NOT_CONFIGURED.message)
    started_at, started = mailing.clock(), time.perf_counter()
    content = await _or_failure(_load_content(mailing, lease, email), email)
    if isinstance(content, NothingToSend):
        # The settings of the company ask for every document, also for those without an address.
        is_expected = content != NO_RECIPIENT or email.asked_by != AskedBy.COMPANY
        return _given_up(email, content.reason) if is_expected else None
    recipients = tuple(email.recipients or ()) if isinstance(content, MailNotSent) else content.recipients
    waiting = recipient_progress(recipients, log).waiting
    outcome: MailOutcome = (
        content
        if isinstance(content, MailNotSent)
        else await _or_failure(_send(mailing, mailing.mailer, lease, content, waiting), email)
    )
    attempt = EmailAttempt(
        number=email.attempts_made + 1,
        started_at=started_at,
        milliseconds=round((time.perf_counter() - started) * 1000),
        recipients=waiting,
        outcome=_OUTCOMES[type(outcome)],
        code=outcome.code,
        message=outcome.message,
        refusals=[asdict(refusal) for refusal in outcome.refusals],
    )
    return _decide(mailing, recipients, [*log, attempt], outcome)


def _given_up(email: Email, reason: str) -> EmailOutcome:
    return EmailOutcome(status=EmailStatus.SENT if email.sent_at else EmailStatus.FAILED, error=reason)


async def _or_failure(step: Awaitable[_Result], email: Email) -> _Result | MailNotSent:
    """Turns an unexpected error into a failed attempt, which callers see and which is limited in number."""
    try:
        return await step
    except (LeaseLost, DatabaseUnavailable):
        raise
    except Exception as error:
        _log.error("email_not_prepared", email=str(email.id), exc_info=error)
        return MailNotSent(message=_NOT_PREPARED)


async def _load_content(mailing: MailingContext, lease: Lease, email: Email) -> EmailContent | NothingToSend:
    async with mailing.database.snapshot(lease.key.subscription_id) as tenant:
        return await load_email_content(tenant, email, mailing.printouts)


async def _send(
    mailing: MailingContext, mailer: Mailer, lease: Lease, content: EmailContent, waiting: Sequence[str]
) -> MailOutcome:
    """Sends the e-mail, outside of any transaction because a mail server may be slow."""
    unusual = tuple(
        RefusedRecipient(address, None, _UNUSUAL_ADDRESS, True)
        for address in waiting
        if not is_plain(address)
    )
    plain = tuple(filter(is_plain, waiting))
    if not plain:
        return MailRefused(message=_UNUSUAL_ADDRESS, refusals=unusual)
    async with mailing.rendering:
        pdf = await mailing.printouts.drawn(content.sheet)
    lease.require_held()
    outcome = await mailer.send(content.message(plain, pdf))
    return replace(outcome, refusals=(*outcome.refusals, *unusual))


def _decide(
    mailing: MailingContext, recipients: tuple[str, ...], log: Sequence[EmailAttempt], outcome: MailOutcome
) -> EmailOutcome:
    """Decides after an attempt: another one follows while a recipient is waiting and attempts are left."""
    progress, attempt = recipient_progress(recipients, log), log[-1]
    is_open = bool(progress.waiting) or not recipients
    pause = mailing.schedule.pause_after(attempt.number, jitter()) if is_open else None
    settled = EmailStatus.SENT if progress.has_served else EmailStatus.FAILED
    message_id = outcome.message_id if isinstance(outcome, MailSent) else None
    return EmailOutcome(
        status=EmailStatus.PENDING if pause else settled,
        error=progress.error,
        recipients=recipients or None,
        message_id=message_id,
        sent_at=mailing.clock() if message_id else None,
        pause=pause,
        attempt=attempt,
    )
