"""The monthly e-mail of a company: on which day, and to whom."""

from dataclasses import dataclass
from datetime import date, datetime
from typing import Annotated
from uuid import UUID

from pydantic import Field

from carimbo.fiscal.body.fields import Body, Flag, Integer
from carimbo.fiscal.local_time import local_day
from carimbo.service.companies.registration import hold_company, require_company
from carimbo.service.delivery.email_message import PlainEmail
from carimbo.service.errors import ErrorCode, Refusal, not_found
from carimbo.service.exports.month import ExportContent, month_before
from carimbo.storage.audit import AuditAction
from carimbo.storage.database import Database, Tenant
from carimbo.storage.export_schedules import ExportSchedule

LAST_DAY = 28
_MAX_RECIPIENTS = 10


class ScheduleBody(Body):
    """The schedule as a person fills it in."""

    day: Annotated[Integer, Field(ge=1, le=LAST_DAY)] = Field(description="Dia do mês, de 1 a 28.")
    recipients: Annotated[list[PlainEmail], Field(min_length=1, max_length=_MAX_RECIPIENTS)] = Field(
        description="De 1 a 10 endereços."
    )
    content: ExportContent = Field(default=ExportContent.XML, description="Só XML, ou XML e PDF.")
    is_active: Flag = Field(default=True, alias="active", description="Se o e-mail é enviado.")


@dataclass(frozen=True)
class DueMonth:
    """The month that a schedule last had to send, and the day on which it had to."""

    month: date
    day: date


def due_month(day: int, today: date) -> DueMonth:
    """Returns the last due day until today, and the month before that day."""
    due_day = today.replace(day=day) if today.day >= day else month_before(today).replace(day=day)
    return DueMonth(month_before(due_day), due_day)


async def save_schedule(
    database: Database,
    subscription_id: UUID,
    company_id: UUID,
    body: ScheduleBody,
    now: datetime,
    *,
    sends_email: bool,
) -> ExportSchedule:
    """Stores the monthly e-mail of a company. Refuses it if this installation can't send e-mails."""
    if not sends_email:
        raise Refusal(ErrorCode.EMAIL_NOT_CONFIGURED)
    async with database.tenant(subscription_id) as tenant:
        company = await require_company(tenant, company_id)
        await hold_company(tenant, company_id)
        schedule = await tenant.export_schedules.save(
            company_id,
            body.day,
            list(dict.fromkeys(body.recipients)),
            body.content,
            local_day(now, company.local_state),
            is_active=body.is_active,
        )
        await _audit(tenant, AuditAction.EXPORT_SCHEDULE_SAVED, schedule)
    return schedule


async def read_schedule(database: Database, subscription_id: UUID, company_id: UUID) -> ExportSchedule | None:
    """Returns the monthly e-mail of a company, or None."""
    async with database.autocommit(subscription_id) as tenant:
        return await tenant.export_schedules.get(company_id)


async def delete_schedule(database: Database, subscription_id: UUID, company_id: UUID) -> None:
    """Deletes the monthly e-mail of a company. Raises Refusal."""
    async with database.tenant(subscription_id) as tenant:
        schedule = await tenant.export_schedules.get(company_id)
        if schedule is None or not await tenant.export_schedules.delete(company_id):
            raise not_found("A empresa não tem envio mensal.")
        await _audit(tenant, AuditAction.EXPORT_SCHEDULE_DELETED, schedule)


async def _audit(tenant: Tenant, action: AuditAction, schedule: ExportSchedule) -> None:
    await tenant.audit.add(
        action,
        company_id=schedule.company_id,
        subject_id=schedule.company_id,
        details={"day": schedule.day, "recipients": len(schedule.recipients), "content": schedule.content},
    )
