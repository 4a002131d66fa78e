"""The companies of a subscription: create, list, change, delete and lock them."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict
from typing import Any
from uuid import UUID

from carimbo.fiscal.environment import Environment
from carimbo.fiscal.lifecycle import Status
from carimbo.fiscal.parties.company import (
    IbsCbsOption,
    TaxRegime,
    problem_of_options,
)
from carimbo.fiscal.problems import counted
from carimbo.service.audit import changed_fields
from carimbo.service.change_bodies import refuse_read_only_changes
from carimbo.service.companies.company_bodies import (
    CompanyChanges,
    CompanyDetails,
    CompanyRecord,
    CreatedCompany,
    Deleted,
    EnvironmentChange,
    EnvironmentRecord,
    NewCompany,
)
from carimbo.service.errors import ErrorCode, Refusal, invalid_field, not_found
from carimbo.service.listing import Page, PageRequest
from carimbo.service.stored_records import readable_record
from carimbo.storage.audit import AuditAction
from carimbo.storage.companies import CompanyRow, logo_file
from carimbo.storage.database import Database, Tenant
from carimbo.storage.document_search import DocumentFilter
from carimbo.storage.identifiers import new_id
from carimbo.storage.monitoring import count_open_filings

_READ_ONLY = frozenset({"id", "tax_id", "environment", "created_at", "updated_at"})


async def create_company(database: Database, subscription_id: UUID, command: NewCompany) -> CreatedCompany:
    """Registers a company; a subscription has each CNPJ at most once."""
    _refuse_options(command.tax_regime, command.ibs_cbs_regime)
    columns = {**_columns(command), "environment": command.environment or Environment.PRODUCTION}
    async with database.tenant(subscription_id) as tenant:
        company = await tenant.companies.add(new_id(), command.tax_id, columns)
        if company is None:
            raise Refusal(
                ErrorCode.DUPLICATE_RESOURCE,
                "Já existe uma empresa com este CNPJ.",
                field="taxId",
                existingId=str(await tenant.companies.find_by_tax_id(command.tax_id)),
            )
        record = CompanyRecord.model_validate(company)
        details = {"environment": record.environment}
        await audit_company(tenant, AuditAction.COMPANY_CREATED, company, details)
    in_production = (
        "A empresa emite em produção, com valor fiscal, porque environment não foi informado. Para testar sem"
        f' valor fiscal, envie PATCH /v1/companies/{company.id}/environment com {{"environment":'
        ' "homologation"}.'
    )
    return CreatedCompany(**dict(record), warnings=[] if command.environment else [in_production])


async def list_companies(
    database: Database, subscription_id: UUID, request: PageRequest, tax_id: str | None = None
) -> Page[CompanyRecord]:
    """Lists the companies of a subscription, newest first; only the one with a CNPJ if it is given."""
    async with database.tenant(subscription_id) as tenant:
        rows = await tenant.companies.page(request.offset, request.page_size, tax_id)
        total = await tenant.companies.count(tax_id)
    return Page([company_record(row) for row in rows], total, request)


def company_record(company: CompanyRow) -> CompanyRecord:
    """Returns a company as callers see it, without the values that can't be read."""
    values = {name: value for name, value in asdict(company).items() if name in CompanyRecord.model_fields}
    return readable_record("companies", company.id, CompanyRecord, values)


async def find_company(
    database: Database, subscription_id: UUID, company_id: UUID, *, deleted_too: bool = False
) -> CompanyRow:
    """Returns a company, or refuses as if it never existed.

    `deleted_too` is for reading: the documents of a deleted company stay readable.
    """
    async with database.autocommit(subscription_id) as tenant:
        return await require_company(tenant, company_id, deleted_too=deleted_too)


async def visible_companies(
    database: Database, subscription_id: UUID, ids: Collection[UUID] | None, size: int
) -> list[CompanyRow]:
    """Returns the first companies by name, only those with these ids if any are given."""
    async with database.autocommit(subscription_id) as tenant:
        return await tenant.companies.by_name(ids, size)


async def count_visible_companies(
    database: Database, subscription_id: UUID, ids: Collection[UUID] | None
) -> int:
    """Returns how many companies there are, only of those with these ids if any are given."""
    async with database.autocommit(subscription_id) as tenant:
        return await tenant.companies.count_search(ids, None)


async def company_names(
    database: Database, subscription_id: UUID, ids: Collection[UUID]
) -> Mapping[UUID, str]:
    """Returns the names of companies by their ids, without those that were deleted."""
    companies = await visible_companies(database, subscription_id, ids, len(ids)) if ids else []
    return {company.id: company.shown_name for company in companies}


async def find_only_company(database: Database, subscription_id: UUID) -> CompanyRow:
    """Returns the only company of a subscription; refuses if it has none or several."""
    async with database.autocommit(subscription_id) as tenant:
        companies = await tenant.companies.page(0, 2)
    if not companies:
        raise unknown_company()
    if len(companies) > 1:
        raise Refusal(ErrorCode.COMPANY_AMBIGUOUS)
    return companies[0]


async def update_company(
    database: Database, subscription_id: UUID, company_id: UUID, changes: CompanyChanges
) -> CompanyRecord:
    """Changes the fields that were sent, and only those."""
    async with database.tenant(subscription_id) as tenant:
        return await change_registration(tenant, company_id, changes)


async def change_registration(tenant: Tenant, company_id: UUID, changes: CompanyChanges) -> CompanyRecord:
    """Changes the fields that were sent, in a transaction of the caller."""
    current = company_record(await lock_company(tenant, company_id))
    refuse_read_only_changes(changes, current, _READ_ONLY - {"updated_at"})
    sent = changes.model_fields_set
    if {"tax_regime", "ibs_cbs_regime"} & sent:
        _refuse_options(
            changes.tax_regime if "tax_regime" in sent else current.tax_regime,
            changes.ibs_cbs_regime if "ibs_cbs_regime" in sent else current.ibs_cbs_regime,
        )
    company = await tenant.companies.update(company_id, _columns(changes))
    if company is None:
        raise unknown_company()
    record = company_record(company)
    await audit_company(tenant, AuditAction.COMPANY_CHANGED, company, changed_fields(current, record))
    return record


async def switch_environment(
    database: Database, subscription_id: UUID, company_id: UUID, change: EnvironmentChange
) -> EnvironmentRecord:
    """Switches a company between production and homologation."""
    async with database.tenant(subscription_id) as tenant:
        company = await lock_company(tenant, company_id)
        updated_at = await tenant.companies.set_environment(company_id, change.environment)
        details = {"previous": company.environment, "environment": change.environment}
        await audit_company(tenant, AuditAction.ENVIRONMENT_SWITCHED, company, details)
    return EnvironmentRecord(
        company_id=company_id,
        environment=change.environment,
        previous_environment=Environment(company.environment),
        updated_at=updated_at,
    )


async def delete_company(database: Database, subscription_id: UUID, company_id: UUID) -> Deleted:
    """Deletes a company with its certificate, secrets and logo. Its documents stay."""
    async with database.tenant(subscription_id) as tenant:
        # First without a lock: a company that accepts documents all the time might never get it.
        await _require_nothing_under_way(tenant, company_id)
        company = await tenant.companies.lock_for_deletion(company_id)
        if company is None:
            raise unknown_company()
        await _require_nothing_under_way(tenant, company_id)
        await tenant.companies.delete(company_id)
        await tenant.sales.unschedule_all(company_id)
        await tenant.receptions.stop_all(company_id)
        await tenant.imports.cancel_all(company_id)
        await tenant.state_registrations.delete_all(company_id)
        await tenant.certificates.delete(company_id)
        await tenant.secrets.delete_all(company_id)
        await delete_logo_file(tenant, company)
        await audit_company(tenant, AuditAction.COMPANY_DELETED, company)
    return Deleted(id=company_id)


async def audit_company(
    tenant: Tenant, action: AuditAction, company: CompanyRow, details: Mapping[str, Any] | None = None
) -> None:
    """Stores a change of a company's data in the audit."""
    await tenant.audit.add(
        action,
        company_id=company.id,
        subject_id=company.id,
        subject_name=company.shown_name,
        details=details,
    )


async def delete_logo_file(tenant: Tenant, company: CompanyRow) -> None:
    """Deletes the file of a company's logo, if it has one."""
    if company.logo_digest:
        await tenant.archive.delete(company.id, logo_file(company.logo_digest))


async def _require_nothing_under_way(tenant: Tenant, company_id: UUID) -> None:
    """Refuses while a document or event is in processing: its outcome needs the certificate."""
    documents = await tenant.documents.count(company_id, DocumentFilter(status=Status.PROCESSING))
    events = await count_open_filings(tenant.connection, tenant.subscription_id, company_id)
    if documents or events:
        raise Refusal(
            ErrorCode.INVALID_STATE,
            f"A empresa tem {counted(documents, 'documento', 'documentos')} e"
            f" {counted(events, 'evento ou inutilização', 'eventos ou inutilizações')} em processamento:"
            " aguarde o resultado para excluí-la.",
            currentStatus=Status.PROCESSING,
            allowed=[status for status in Status if status is not Status.PROCESSING],
        )


async def lock_company(tenant: Tenant, company_id: UUID) -> CompanyRow:
    """Returns a company and locks it; every change of a company's data takes this lock first.

    So a change never races with another one, or with the company's deletion. The company's receptions, which
    may have waited for the change, come up again.
    """
    company = await tenant.companies.lock(company_id)
    if company is None:
        raise unknown_company()
    await tenant.receptions.wake(company_id)
    return company


async def hold_company(tenant: Tenant, company_id: UUID) -> None:
    """Keeps a company from being deleted until the transaction ends; refuses one that is deleted.

    A transaction that accepts work for an authority calls this first: a deletion then either waits and finds
    the work, or comes first and the work is refused.
    """
    if not await tenant.companies.hold(company_id):
        raise unknown_company()


async def require_company(tenant: Tenant, company_id: UUID, *, deleted_too: bool = False) -> CompanyRow:
    """Returns a company, or refuses as if it never existed."""
    company = await tenant.companies.get(company_id, deleted_too=deleted_too)
    if company is None:
        raise unknown_company()
    return company


def unknown_company() -> Refusal:
    """Returns the refusal of a company that does not exist or was deleted."""
    return not_found("Empresa não encontrada.")


def _refuse_options(tax_regime: TaxRegime | None, options: Sequence[IbsCbsOption] | None) -> None:
    """Refuses options for IBS and CBS that the tax regime does not allow."""
    problem = problem_of_options(tax_regime, options or ())
    if problem:
        raise invalid_field("ibsCbsRegime", problem)


def _columns(registration: CompanyDetails) -> dict[str, Any]:
    """Returns the columns to write: only fields that were sent, so that absent and null differ."""
    columns = registration.model_dump(exclude_unset=True, exclude={*_READ_ONLY, "settings", "warnings"})
    if registration.address is not None and "address" in columns:
        columns["address"] = registration.address.model_dump(mode="json", by_alias=True)
    if "ibs_cbs_regime" in columns:
        options = registration.ibs_cbs_regime or ()
        columns["ibs_cbs_regime"] = [option.model_dump(mode="json", by_alias=True) for option in options]
    return columns
