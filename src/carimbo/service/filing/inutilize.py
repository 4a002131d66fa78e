"""Inutilization: voiding numbers that never became documents."""

from collections.abc import Iterable
from dataclasses import asdict
from datetime import datetime
from typing import Annotated
from uuid import UUID

from pydantic import Field, ValidationInfo, field_validator
from pydantic_core import PydanticCustomError

from carimbo.fiscal.body.fields import AS_STORED, Body, Integer, Record
from carimbo.fiscal.document_type import DocumentType
from carimbo.fiscal.emission import local_moment
from carimbo.fiscal.environment import Environment
from carimbo.fiscal.filing import Justification
from carimbo.fiscal.identity.signature import Signer
from carimbo.fiscal.module_settings import LAST_NUMBER, Series
from carimbo.service.actors import CREATED_BY, ActorRecord, actor_record
from carimbo.service.companies.registration import hold_company
from carimbo.service.companies.snapshot import CompanySnapshot
from carimbo.service.document_types import document_type_named
from carimbo.service.errors import ErrorCode, Refusal, invalid_field, not_found, require_no_problems
from carimbo.service.filing.context import FilingContext
from carimbo.service.filing.in_progress import filing_issuer, inutilization_rules_of, number_range_of
from carimbo.service.filing.outcome import FilingStatus, authority_refusal, status_of, wait_until_settled
from carimbo.service.listing import Page, PageRequest
from carimbo.service.stored_records import readable_record
from carimbo.storage.audit import AuditAction
from carimbo.storage.companies import CompanyRow
from carimbo.storage.database import Database, Tenant
from carimbo.storage.identifiers import new_id
from carimbo.storage.inutilizations import InutilizationRow, NewInutilization, NumberUse

# Authorities have different limits; none is known to refuse this many.
MAX_NUMBERS = 1_000
# The first year of the NF-e.
_FIRST_YEAR = 2006

UnusedNumber = Annotated[Integer, Field(ge=1, le=LAST_NUMBER)]


class InutilizationRequest(Body):
    """The numbers to void, and why."""

    series: Series
    number_start: UnusedNumber = Field(description="Primeiro número (nNFIni).", examples=[10])
    number_end: UnusedNumber = Field(description="Último número (nNFFin).", examples=[12])
    justification: Justification = Field(
        description="Justificativa, de 15 a 255 caracteres (xJust).",
        examples=["Numeração pulada por falha de sistema"],
    )
    year: Annotated[Integer, Field(ge=_FIRST_YEAR)] | None = Field(
        default=None, description="Ano da numeração, até o corrente, que vale na falta (ano)."
    )

    @field_validator("number_end")
    @classmethod
    def not_before_the_first(cls, last: int, info: ValidationInfo) -> int:
        """Refuses a last number below the first."""
        first = info.data.get("number_start")
        if first is not None and last < first:
            raise PydanticCustomError("range_end", "O número final é menor do que o inicial, numberStart.")
        return last


class InutilizationRecord(Record):
    """Numbers that are void, or will be."""

    id: UUID
    status: FilingStatus
    type: str = Field(examples=["nfe"])
    environment: Annotated[Environment, AS_STORED]
    series: int
    number_start: int
    number_end: int
    year: int
    justification: str
    protocol: str | None
    authority_code: str | None
    authority_message: str | None
    authorized_at: datetime | None
    created_at: datetime
    created_by: ActorRecord | None = CREATED_BY


async def inutilize(
    context: FilingContext,
    subscription_id: UUID,
    company: CompanyRow,
    document_type: DocumentType,
    request: InutilizationRequest,
) -> InutilizationRecord:
    """Voids numbers and waits for the outcome; the same range again returns the existing filing."""
    snapshot = await context.snapshot_of(subscription_id, company, document_type)
    new = _new(context, snapshot, document_type, request)
    check_range(context, snapshot, document_type, new)
    async with context.issuing.database.tenant(subscription_id) as tenant:
        filing = await file_range(tenant, new)

    async def poll(filing_id: UUID) -> InutilizationRow | None:
        async with context.issuing.database.autocommit(subscription_id) as tenant:
            return await tenant.inutilizations.get(filing_id)

    filing = await wait_until_settled(filing, context.max_wait, poll)
    if status_of(filing) is FilingStatus.REJECTED:
        raise authority_refusal(document_type, filing)
    return record_of_range(filing)


def check_range(
    context: FilingContext, snapshot: CompanySnapshot, document_type: DocumentType, new: NewInutilization
) -> None:
    """Builds the request with a throwaway signature. Raises Refusal with all its problems."""
    builder = context.issuing.builder
    issuer = filing_issuer(builder, snapshot, Environment(new.environment), Signer.throwaway())
    result = inutilization_rules_of(document_type).issue(number_range_of(new), issuer)
    if isinstance(result, tuple):
        require_no_problems(result)


async def file_range(tenant: Tenant, new: NewInutilization) -> InutilizationRow:
    """Stores a range of unused numbers, or returns the same existing one; the series is locked meanwhile."""
    await hold_company(tenant, new.company_id)
    series = (new.company_id, new.document_type, new.environment, new.series)
    next_number = await tenant.number_sequences.lock(*series)
    use = await tenant.inutilizations.first_use(new)
    if use is not None:
        return await _same_range(tenant, new, use)
    if new.first_number > next_number:
        sentence = (
            f"O próximo número da série é {next_number}: só se inutilizam os que vêm antes ou a partir dele."
        )
        raise invalid_field("numberStart", sentence)
    if new.last_number >= next_number:
        await tenant.number_sequences.set_next_number(*series, new.last_number + 1)
    added = await tenant.inutilizations.add(new)
    await tenant.audit.add(
        AuditAction.INUTILIZATION_FILED,
        company_id=new.company_id,
        subject_id=new.id,
        subject_name=document_type_named(new.document_type).title,
        details={
            "environment": new.environment,
            "series": new.series,
            "numberStart": new.first_number,
            "numberEnd": new.last_number,
        },
    )
    return added


async def _same_range(tenant: Tenant, new: NewInutilization, use: NumberUse) -> InutilizationRow:
    existing = use.inutilization_id and await tenant.inutilizations.get(use.inutilization_id)
    if existing and (existing.first_number, existing.last_number) == (new.first_number, new.last_number):
        return existing
    owner = (
        {"documentId": str(use.document_id)}
        if use.document_id
        else {"inutilizationId": str(use.inutilization_id)}
    )
    sentence = f"O número {use.number} já foi usado ou ainda pode estar em uso."
    raise Refusal(ErrorCode.NUMBER_ALREADY_USED, sentence, number=use.number, **owner)


async def list_ranges(
    database: Database,
    subscription_id: UUID,
    company_id: UUID,
    document_types: Iterable[DocumentType],
    request: PageRequest,
) -> Page[InutilizationRecord]:
    """Returns the inutilizations of some document types of a company, newest first."""
    names = [document_type.name for document_type in document_types]
    async with database.autocommit(subscription_id) as tenant:
        rows = await tenant.inutilizations.page(company_id, names, request.offset, request.page_size)
        total = await tenant.inutilizations.count(company_id, names)
    return Page([record_of_range(row) for row in rows], total, request)


async def read_range_record(
    database: Database, subscription_id: UUID, company_id: UUID, document_type: DocumentType, range_id: UUID
) -> InutilizationRecord:
    """Returns an inutilization."""
    async with database.autocommit(subscription_id) as tenant:
        return record_of_range(await require_range(tenant, company_id, document_type, range_id))


async def require_range(
    tenant: Tenant, company_id: UUID, document_type: DocumentType, range_id: UUID
) -> InutilizationRow:
    """Returns the row of an inutilization. Raises Refusal if the company has none with this id."""
    row = await tenant.inutilizations.get(range_id)
    if row is None or (row.company_id, row.document_type) != (company_id, document_type.name):
        raise not_found("Inutilização não encontrada.")
    return row


def record_of_range(filing: InutilizationRow) -> InutilizationRecord:
    """Returns the record of an inutilization."""
    values = asdict(filing) | {
        "status": status_of(filing),
        "type": filing.document_type,
        "number_start": filing.first_number,
        "number_end": filing.last_number,
        "authorized_at": filing.registered_at,
        "created_by": actor_record(filing.created_by),
    }
    return readable_record("inutilizations", filing.id, InutilizationRecord, values)


def _new(
    context: FilingContext,
    snapshot: CompanySnapshot,
    document_type: DocumentType,
    request: InutilizationRequest,
) -> NewInutilization:
    if request.number_end - request.number_start >= MAX_NUMBERS:
        raise invalid_field("numberEnd", f"Uma inutilização abrange no máximo {MAX_NUMBERS} números.")
    this_year = local_moment(context.issuing.builder.clock(), snapshot.company.address.state).year
    if request.year and request.year > this_year:
        raise invalid_field("year", f"O ano da numeração vai até o corrente, {this_year}.")
    return NewInutilization(
        id=new_id(),
        company_id=snapshot.row.id,
        document_type=document_type.name,
        environment=snapshot.environment_of(document_type),
        series=request.series,
        first_number=request.number_start,
        last_number=request.number_end,
        year=request.year or this_year,
        justification=request.justification,
    )
