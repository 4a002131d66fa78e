"""Ends the exports of a person who may not export any more: links, downloads and monthly e-mails."""

from collections.abc import Collection
from uuid import UUID

from carimbo.storage.audit import AuditAction
from carimbo.storage.database import Tenant


async def end_exports_of(tenant: Tenant, person_id: UUID, kept: Collection[UUID] | None) -> None:
    """Revokes the links and stops the monthly e-mails of a person.

    Those of the companies `kept`, in which the person may still export, stay; None means all companies.
    """
    if kept is None:
        return
    # First the schedules: a worker that is sending one has stored its link when we get its row.
    for company_id in await tenant.export_schedules.stop_of_author(person_id, kept):
        await tenant.audit.add(
            AuditAction.EXPORT_SCHEDULE_STOPPED,
            company_id=company_id,
            subject_id=company_id,
            details={"author": str(person_id)},
        )
    for export in await tenant.exports.revoke_of_author(person_id, kept):
        if export.is_link:
            await tenant.audit.add(
                AuditAction.LINK_REVOKED,
                company_id=export.company_id,
                subject_id=export.id,
                subject_name=f"documentos de {export.month:%m/%Y}",
                details={"author": str(person_id)},
            )
