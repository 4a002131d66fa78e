"""Periodic work of a worker, beside the queue."""

import asyncio
from collections.abc import Awaitable, Callable
from datetime import datetime, timedelta
from uuid import UUID

import structlog

from carimbo.fiscal.local_time import brasilia_day
from carimbo.fiscal.taxes.missing_rates import RATE_COLUMN, RATES_FILE, reported_missing_rates
from carimbo.service.company_status.certificate_expiry import (
    certificates_to_warn_about,
    publish_expiry_warning,
)
from carimbo.service.company_status.open_documents import (
    documents_to_close,
    documents_to_warn_about,
    file_usual_closing,
    publish_warning,
)
from carimbo.service.errors import Refusal
from carimbo.service.exports.monthly_mail import MonthlyMailing, send_monthly_exports
from carimbo.service.filing.context import FilingContext
from carimbo.service.filing.gaps import is_inutilization_day
from carimbo.service.filing.numbering import inutilize_due_gaps
from carimbo.service.people.submissions import SECRET_SHOWN_FOR
from carimbo.service.receiving.decision import BLOCK, MAX_PAUSE
from carimbo.service.receiving.reminders import documents_to_remind_of, publish_reminder
from carimbo.service.receiving.unread_files import read_again, unread_files
from carimbo.storage.database import Database, DatabaseUnavailable
from carimbo.storage.delivery_queue import delete_old_deliveries, purge_deleted_webhooks
from carimbo.storage.document_search import fill_recipients
from carimbo.storage.emails import delete_old_emails
from carimbo.storage.exports import delete_old_exports
from carimbo.storage.form_drafts import delete_old_drafts
from carimbo.storage.form_submissions import delete_old_submissions, forget_shown_secrets
from carimbo.storage.imports import delete_old_imports
from carimbo.storage.numbering import companies_with_automatic_inutilization
from carimbo.storage.person_links import delete_expired_links
from carimbo.storage.probes import delete_old_probes
from carimbo.storage.rate_limits import delete_old_rate_limits
from carimbo.storage.sessions import delete_ended_sessions
from carimbo.storage.streams import delete_old_pages, give_up_gaps, repair_times

_log = structlog.get_logger("carimbo.worker")
HOURLY = timedelta(hours=1)
_DAILY = timedelta(days=1)
_DISTRIBUTED_FOR = timedelta(days=90)
"""So long the authorities keep what they distribute."""
_JOURNAL_KEPT = timedelta(days=100)
_EXPIRED_EXPORTS_KEPT = timedelta(days=90)
_SUBMISSIONS_KEPT = timedelta(days=14)
_FORM_DRAFTS_KEPT = timedelta(days=30)
_IMPORTS_KEPT = timedelta(days=90)
_EXPIRED_LINKS_KEPT = timedelta(days=30)
"""The page of people shows for so long when an invitation expired."""
# Between batches, so that the database is free for callers most of the time.
_PAUSE = timedelta(seconds=1)


async def repeat(chore: Callable[[], Awaitable[None]], name: str, every: timedelta = HOURLY) -> None:
    """Runs a chore periodically until cancelled; a failed run is logged, and repeated the next time."""
    while True:
        try:
            await chore()
        except DatabaseUnavailable as error:
            _log.warning("chore_failed", chore=name, reason=str(error))
        except Exception as error:
            # For example a deadlock, or a schema that is not migrated yet. A chore must never end silently.
            _log.error("chore_failed", chore=name, exc_info=error)
        await asyncio.sleep(every.total_seconds())


async def warn_of_certificates_forever(
    database: Database, clock: Callable[[], datetime], every: timedelta = HOURLY
) -> None:
    """Checks all certificates periodically until cancelled."""

    async def check() -> None:
        await warn_of_certificates(database, clock())

    await repeat(check, "certificates", every)


async def warn_of_certificates(database: Database, now: datetime) -> None:
    """Sends the warnings about expiring certificates that are due; a failure does not stop the others."""
    for certificate in await certificates_to_warn_about(database, now):
        company_id = str(certificate.company_id)
        try:
            if await publish_expiry_warning(database, certificate, now):
                _log.info("certificate_expiring", company_id=company_id)
        except DatabaseUnavailable:
            raise
        except Exception as error:
            _log.error("certificate_not_warned_of", company_id=company_id, exc_info=error)


async def guard_open_documents_forever(context: FilingContext, every: timedelta = HOURLY) -> None:
    """Warns of open documents and closes those that companies want closed, periodically until cancelled."""

    async def guard() -> None:
        now = context.issuing.builder.clock()
        await warn_of_open_documents(context.issuing.database, now)
        await close_forgotten_documents(context, now)

    await repeat(guard, "open_documents", every)


async def warn_of_open_documents(database: Database, now: datetime) -> None:
    """Sends the warnings about open documents that are due; a failure does not stop the others."""
    for row in await documents_to_warn_about(database, now):
        try:
            if await publish_warning(database, row, now):
                _log.info("document_left_open", document=str(row.id))
        except DatabaseUnavailable:
            raise
        except Exception as error:
            _log.error("open_document_not_warned_of", document=str(row.id), exc_info=error)


async def close_forgotten_documents(context: FilingContext, now: datetime) -> None:
    """Files the closings of documents that their companies want closed; a failure does not stop the others.

    Two workers at the same time close nothing twice, because a document has a single closing.
    """
    for row in await documents_to_close(context.issuing.database, now):
        try:
            await file_usual_closing(context, row)
            _log.info("closing_filed", document=str(row.id))
        except Refusal as refusal:
            _log.warning("document_not_closed", document=str(row.id), code=refusal.code.name)
        except DatabaseUnavailable:
            raise
        except Exception as error:
            _log.error("document_not_closed", document=str(row.id), exc_info=error)


async def maintain_received_forever(
    database: Database, clock: Callable[[], datetime], every: timedelta = HOURLY
) -> None:
    """Does the periodic work of received documents until cancelled: terms, times, and unread files."""

    async def guard() -> None:
        await correct_streams(database)
        await remind_of_received(database, clock())
        await read_unread_files(database)

    await repeat(guard, "received", every)


async def correct_streams(database: Database) -> None:
    """Corrects streams whose next question is impossibly late, and gives up gaps that are too old."""
    async with database.connection() as connection:
        if streams := await repair_times(connection, MAX_PAUSE, BLOCK):
            _log.warning("streams_repaired", streams=streams)
        await give_up_gaps(connection, _DISTRIBUTED_FOR)


async def remind_of_received(database: Database, now: datetime) -> None:
    """Sends the warnings about received documents that are due; a failure does not stop the others."""
    for due, receiving in await documents_to_remind_of(database, now):
        try:
            if await publish_reminder(database, due, receiving):
                _log.info("manifestation_due", document=str(due.id))
        except DatabaseUnavailable:
            raise
        except Exception as error:
            _log.error("manifestation_not_warned_of", document=str(due.id), exc_info=error)


async def read_unread_files(database: Database) -> None:
    """Reads files again that could not be read when they came; a failure does not stop the others."""
    for file in await unread_files(database):
        try:
            await read_again(database, file)
        except DatabaseUnavailable:
            raise
        except Exception as error:
            _log.error("unread_file_failed", stream=str(file.stream_id), schema=file.schema, exc_info=error)


async def warn_of_rates_forever(clock: Callable[[], datetime], every: timedelta = _DAILY) -> None:
    """Checks for missing rates of IBS and CBS at the start and then daily, until cancelled."""

    async def check() -> None:
        warn_of_rates(clock())

    await repeat(check, "rates", every)


def warn_of_rates(now: datetime) -> None:
    """Logs a warning for each missing rate."""
    for missing in reported_missing_rates(brasilia_day(now)):
        _log.warning(
            "tax_rate_missing",
            tax=missing.tax.value,
            since=missing.since.isoformat(),
            file=RATES_FILE,
            column=RATE_COLUMN,
            hint="CARIMBO_TABLES_FOLDER, SIGHUP",
        )


async def inutilize_forever(context: FilingContext, every: timedelta = HOURLY) -> None:
    """Inutilizes unused numbers periodically until cancelled, on the days set for it.

    Two workers at the same time file nothing twice, because filing a range locks its series.
    """

    async def inutilize() -> None:
        if is_inutilization_day(context.issuing.builder.clock()):
            await inutilize_everywhere(context)

    await repeat(inutilize, "inutilization", every)


async def inutilize_everywhere(context: FilingContext) -> None:
    """Inutilizes the due gaps of all companies that want it; a failure does not stop the others."""
    async with context.issuing.database.connection() as connection:
        companies = await companies_with_automatic_inutilization(connection)
    for subscription_id, company_id in companies:
        try:
            await _inutilize_company(context, subscription_id, company_id)
        except Refusal as refusal:
            _log.warning("gaps_not_inutilized", company_id=str(company_id), code=refusal.code.name)
        except DatabaseUnavailable:
            raise
        except Exception as error:
            _log.error("gaps_not_inutilized", company_id=str(company_id), exc_info=error)


async def _inutilize_company(context: FilingContext, subscription_id: UUID, company_id: UUID) -> None:
    async with context.issuing.database.autocommit(subscription_id) as tenant:
        company = await tenant.companies.get(company_id)
    if company is None:
        return
    filed = await inutilize_due_gaps(context, subscription_id, company)
    if filed:
        _log.info("gaps_inutilized", company_id=str(company_id), ranges=len(filed))


async def send_monthly_exports_forever(mailing: MonthlyMailing, every: timedelta = HOURLY) -> None:
    """Sends the monthly e-mails that are due, and deletes old exports, periodically until cancelled."""

    async def send() -> None:
        await send_monthly_exports(mailing)
        async with mailing.database.connection() as connection:
            while await delete_old_exports(connection, _EXPIRED_EXPORTS_KEPT):
                pass

    await repeat(send, "monthly_exports", every)


async def delete_old_history_forever(database: Database, keep: timedelta, keep_emails: timedelta) -> None:
    """Deletes old deliveries, e-mails, sessions, links, forms, imports, probes and answers hourly."""

    async def delete() -> None:
        async with database.connection() as connection:
            while await delete_old_deliveries(connection, keep) or await purge_deleted_webhooks(connection):
                pass
            while await delete_old_emails(connection, keep_emails):
                pass
            while await delete_ended_sessions(connection) or await delete_expired_links(
                connection, _EXPIRED_LINKS_KEPT
            ):
                pass
            await forget_shown_secrets(connection, SECRET_SHOWN_FOR)
            while await delete_old_submissions(connection, _SUBMISSIONS_KEPT) or await delete_old_drafts(
                connection, _FORM_DRAFTS_KEPT
            ):
                pass
            while await delete_old_imports(connection, _IMPORTS_KEPT):
                pass
            await delete_old_probes(connection)
            await delete_old_pages(connection, _JOURNAL_KEPT)
            await delete_old_rate_limits(connection)

    await repeat(delete, "delivery_log")


async def fill_recipients_forever(database: Database, pause: timedelta = _PAUSE) -> None:
    """Fills the recipient columns of old documents in batches; hourly until cancelled."""

    async def fill() -> None:
        has_more = True
        while has_more:
            async with database.transaction() as connection:
                has_more = await fill_recipients(connection)
            await asyncio.sleep(pause.total_seconds())

    await repeat(fill, "recipients")
