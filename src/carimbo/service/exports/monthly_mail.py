"""Sends the monthly e-mails: a link to the archive of the month before, with the totals.

Each schedule has one e-mail a month. A worker claims the schedule before it sends, so that no two workers
send the same e-mail. If a worker dies after the mail server has accepted the e-mail and before that is
stored, the e-mail is sent again, with the same link and the same Message-ID: twice is better than never.
"""

import base64
import hashlib
import hmac
import secrets
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from uuid import UUID, uuid5

import structlog

from carimbo.fiscal.environment import Environment
from carimbo.fiscal.identity.tax_ids import shown_tax_id
from carimbo.fiscal.local_time import CAPITAL, local_day
from carimbo.fiscal.money import format_amount
from carimbo.fiscal.problems import counted
from carimbo.service.companies.registration import require_company
from carimbo.service.delivery.email_message import MailNotSent, MailRefused, MailSent, TextEmail
from carimbo.service.errors import Refusal
from carimbo.service.exports.links import MonthlyExport, audit_export, export_address, store_export
from carimbo.service.exports.month import (
    ArchiveSize,
    ExportContent,
    TypeTotal,
    archive_size,
    issue_period,
    month_before,
)
from carimbo.service.exports.schedules import due_month
from carimbo.service.ports import Mailer
from carimbo.service.words import month_name
from carimbo.storage.actors import Actor, ActorKind, actor_of
from carimbo.storage.audit import AuditAction
from carimbo.storage.companies import CompanyRow
from carimbo.storage.database import Database, DatabaseUnavailable
from carimbo.storage.export_schedules import ActiveSchedule, ClaimedSchedule, active_schedules
from carimbo.storage.identifiers import NIL, new_id

_log = structlog.get_logger("carimbo.exports")
_LINK_LIFETIME = timedelta(days=30)
# Longer than counting and an SMTP session take together.
_CLAIM = timedelta(minutes=15)
# Hourly attempts over three days.
_MAX_ATTEMPTS = 72
_KEY_NAME = "export-link-key"
_KEY_BYTES = 32
_CONTENTS = {ExportContent.XML: "os arquivos XML", ExportContent.XML_AND_PDF: "os arquivos XML e PDF"}


@dataclass(frozen=True)
class MonthlyMailing:
    """Everything needed to send the monthly e-mails."""

    database: Database
    mailer: Mailer | None
    """None if e-mail is not configured: nothing is sent then, and the first run with e-mail sends it."""
    link_base: str
    clock: Callable[[], datetime]


@dataclass(frozen=True)
class _Claimed:
    """An e-mail that this worker sends now."""

    subscription_id: UUID
    company: CompanyRow
    schedule: ClaimedSchedule
    export: MonthlyExport
    token: str
    size: ArchiveSize


async def send_monthly_exports(mailing: MonthlyMailing) -> None:
    """Sends all e-mails that are due; a failure does not stop the others."""
    if mailing.mailer is None:
        return
    now = mailing.clock()
    async with mailing.database.connection() as connection:
        # The local day of a company is at most one day ahead.
        last_month = month_before((now + timedelta(days=1)).date())
        schedules = await active_schedules(connection, last_month)
    for schedule in schedules:
        try:
            await _send_if_due(mailing, mailing.mailer, schedule, now)
        except Refusal as refusal:
            _log.warning("monthly_export_not_sent", company=str(schedule.company_id), code=refusal.code.name)
        except DatabaseUnavailable:
            raise
        except Exception as error:
            _log.error("monthly_export_not_sent", company=str(schedule.company_id), exc_info=error)


async def _send_if_due(
    mailing: MonthlyMailing, mailer: Mailer, schedule: ActiveSchedule, now: datetime
) -> None:
    due = due_month(schedule.day, local_day(now, schedule.state or CAPITAL))
    is_sent = schedule.last_sent_month is not None and schedule.last_sent_month >= due.month
    if is_sent or due.day < schedule.starts_on:
        return
    claimed = await _claim(mailing, schedule, due.month)
    if claimed is None:
        return
    waiting = claimed.schedule.waiting
    if not waiting:
        await _settle(mailing, claimed, None, None)
        return
    # Outside of any transaction, because a mail server may be slow.
    outcome = await mailer.send_text(_email(mailing, claimed))
    await _store(mailing, claimed, outcome)
    _log.info("monthly_export_sent", company=str(schedule.company_id), outcome=type(outcome).__name__)


async def _claim(mailing: MonthlyMailing, schedule: ActiveSchedule, month: date) -> _Claimed | None:
    """Claims the e-mail of a month and stores its link; None if another worker has it."""
    key = await _link_key(mailing.database)
    async with mailing.database.tenant(schedule.subscription_id) as tenant:
        claim = await tenant.export_schedules.claim(schedule.company_id, month, new_id(), _CLAIM)
        if claim is None:
            return None
        company = await require_company(tenant, schedule.company_id)
        content, token = ExportContent(claim.content), _token(key, claim.export_id)
        export = await store_export(
            tenant, company, month, content, token, _LINK_LIFETIME, claim.export_id, _author(claim)
        )
        if claim.attempts == 1:
            await audit_export(tenant, AuditAction.LINK_CREATED, export)
        size = await archive_size(tenant, issue_period(company, export.environment, month), content)
    return _Claimed(schedule.subscription_id, company, claim, export, token, size)


def _author(claim: ClaimedSchedule) -> Actor:
    """Returns the author of a link: the schedule, with the id of its person, whose links end with it."""
    person = claim.created_by and actor_of(claim.created_by)
    return Actor(ActorKind.SCHEDULE, person.id if person else None)


async def _store(
    mailing: MonthlyMailing, claimed: _Claimed, outcome: MailSent | MailRefused | MailNotSent
) -> None:
    """Stores the outcome: the recipients that do not have the e-mail are tried again after an hour."""
    waiting = _still_waiting(claimed.schedule.waiting, outcome)
    sent_at = mailing.clock() if isinstance(outcome, MailSent) else None
    refused = "; ".join(f"{refusal.address}: {refusal.message}" for refusal in outcome.refusals)
    error = refused or (None if sent_at else outcome.message)
    if not waiting or claimed.schedule.attempts >= _MAX_ATTEMPTS:
        await _settle(mailing, claimed, sent_at, error)
        return
    async with mailing.database.autocommit(claimed.subscription_id) as tenant:
        await tenant.export_schedules.release(claimed.company.id, claimed.schedule, waiting, sent_at, error)


async def _settle(
    mailing: MonthlyMailing, claimed: _Claimed, sent_at: datetime | None, error: str | None
) -> None:
    async with mailing.database.autocommit(claimed.subscription_id) as tenant:
        await tenant.export_schedules.settle(claimed.company.id, claimed.schedule, sent_at, error)


def _still_waiting(waiting: Sequence[str], outcome: MailSent | MailRefused | MailNotSent) -> list[str]:
    """Returns the recipients to whom a further attempt may bring the e-mail."""
    final = {refusal.address for refusal in outcome.refusals if refusal.is_final}
    refused = {refusal.address for refusal in outcome.refusals}
    if isinstance(outcome, MailRefused):
        return []
    if isinstance(outcome, MailSent):
        return [address for address in waiting if address in refused - final]
    return [address for address in waiting if address not in final]


async def _link_key(database: Database) -> bytes:
    """Returns the key of the tokens, or creates it; it is encrypted like any secret."""
    async with database.tenant(NIL) as installation:
        return await installation.secrets.get_or_create(NIL, _KEY_NAME, secrets.token_bytes(_KEY_BYTES))


def _token(key: bytes, export_id: UUID) -> str:
    """Returns the token of a link, the same at every attempt: only its hash is stored."""
    digest = hmac.digest(key, str(export_id).encode(), hashlib.sha256)
    return base64.urlsafe_b64encode(digest).rstrip(b"=").decode()


def _email(mailing: MonthlyMailing, claimed: _Claimed) -> TextEmail:
    company, export = claimed.company, claimed.export
    name = company.shown_name
    month = month_name(export.month)
    is_test = export.environment != Environment.PRODUCTION
    lines = [
        "Olá.",
        "",
        f"Os documentos fiscais de {month} da empresa {company.legal_name},"
        f" CNPJ {shown_tax_id(company.tax_id)}, estão prontos para baixar, com {_CONTENTS[export.content]}:",
        "",
        export_address(mailing.link_base, claimed.token),
        "",
        f"O link vale até {local_day(export.expires_at, company.local_state):%d/%m/%Y} e dispensa senha:"
        " só o repasse a quem deve ver os documentos.",
        "",
        *_total_lines(claimed.size.totals),
    ]
    if is_test:
        lines += ["", "Atenção: são documentos de homologação, um ambiente de testes, sem valor fiscal."]
    lines += ["", "Este e-mail foi enviado automaticamente.", ""]
    return TextEmail(
        # The recipients that were reached already keep the first message.
        id=uuid5(export.id, "monthly e-mail"),
        to=tuple(claimed.schedule.waiting),
        subject=f"{'[SEM VALOR FISCAL] ' if is_test else ''}Documentos fiscais de {month} de {name}",
        text="\n".join(lines),
    )


def _total_lines(totals: Sequence[TypeTotal]) -> list[str]:
    if not totals:
        return ["Não houve documentos nesse mês."]
    return [
        f"- {total.title}{' (recebidos)' if total.is_received else ''}: {_total_text(total)}"
        for total in totals
    ]


def _total_text(total: TypeTotal) -> str:
    canceled = f", e {counted(total.canceled, 'cancelado', 'cancelados')}" if total.canceled else ""
    return f"{counted(total.valid, 'documento', 'documentos')}, R$ {format_amount(total.amount)}{canceled}"
