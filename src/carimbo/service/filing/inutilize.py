"""Giving up numbers that never became documents."""

from dataclasses import asdict
from datetime import datetime
from typing import Annotated
from uuid import UUID

from pydantic import Field, ValidationInfo, field_validator
from pydantic_core import PydanticCustomError

from carimbo.fiscal.document_type import DocumentType
from carimbo.fiscal.emission import local_moment
from carimbo.fiscal.environment import Environment
from carimbo.fiscal.fields import AS_STORED, Body, Integer, Record
from carimbo.fiscal.filing import Justification
from carimbo.fiscal.module_settings import LAST_NUMBER, Series
from carimbo.fiscal.signature import Signer
from carimbo.service.companies import hold_company
from carimbo.service.dossier import Dossier
from carimbo.service.errors import Code, Refusal, invalid_field, not_found
from carimbo.service.filing.desk import Desk
from carimbo.service.filing.numbers import range_of, voiding_of
from carimbo.service.filing.outcome import FilingStatus, authority_refusal, settled, status_of
from carimbo.service.filing.statement import teller_of
from carimbo.service.pages import Page, PageRequest
from carimbo.service.problems import require_no_problems
from carimbo.service.readable import readable_record
from carimbo.storage.companies import Company
from carimbo.storage.database import Database, Tenant
from carimbo.storage.identifiers import new_id
from carimbo.storage.inutilizations import Inutilization, NewInutilization, NumberUse

# Authorities differ in how many they take at once; none is known to refuse so many.
MOST_NUMBERS = 1_000
# The first year of the NF-e.
_FIRST_YEAR = 2006

UnusedNumber = Annotated[Integer, Field(ge=1, le=LAST_NUMBER)]


class InutilizationRequest(Body):
    """Numbers to be given up, and why."""

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
    """Numbers that are given up, or are about to be."""

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


async def inutilize(
    desk: Desk, subscription_id: UUID, company: Company, kind: DocumentType, request: InutilizationRequest
) -> InutilizationRecord:
    """Give numbers up and wait for the outcome; the same range again is the one that there is."""
    dossier = await desk.dossier_of(subscription_id, company, kind)
    new = _new(desk, dossier, kind, request)
    try_range(desk, dossier, kind, new)
    async with desk.counter.database.tenant(subscription_id) as tenant:
        filing = await file_range(tenant, new)

    async def look(filing_id: UUID) -> Inutilization | None:
        async with desk.counter.database.autocommit(subscription_id) as tenant:
            return await tenant.inutilizations.get(filing_id)

    filing = await settled(filing, desk.patience, look)
    if status_of(filing) is FilingStatus.REJECTED:
        raise authority_refusal(kind, filing)
    return record_of_range(filing)


def try_range(desk: Desk, dossier: Dossier, kind: DocumentType, new: NewInutilization) -> None:
    """Make the request for trial, and refuse it with everything that the authority would."""
    workshop = desk.counter.workshop
    teller = teller_of(workshop, dossier, Environment(new.environment), Signer.throwaway())
    made = voiding_of(kind).issue(range_of(new), teller)
    if isinstance(made, tuple):
        require_no_problems(made)


async def file_range(tenant: Tenant, new: NewInutilization) -> Inutilization:
    """Store a range of which no number is in use, or find the same one; no document takes one meanwhile."""
    await hold_company(tenant, new.company_id)
    place = (new.company_id, new.document_type, new.environment, new.series)
    next_number = await tenant.number_sequences.lock(*place)
    use = await tenant.inutilizations.first_use(new)
    if use is not None:
        return await _same_range(tenant, new, use)
    if new.first_number > next_number:
        sentence = (
            f"O próximo número da série é {next_number}: só se inutilizam os que vêm antes ou a partir dele."
        )
        raise invalid_field("numberStart", sentence)
    if new.last_number >= next_number:
        await tenant.number_sequences.set_next_number(*place, new.last_number + 1)
    return await tenant.inutilizations.add(new)


async def _same_range(tenant: Tenant, new: NewInutilization, use: NumberUse) -> Inutilization:
    found = use.inutilization_id and await tenant.inutilizations.get(use.inutilization_id)
    if found and (found.first_number, found.last_number) == (new.first_number, new.last_number):
        return found
    owner = (
        {"documentId": str(use.document_id)}
        if use.document_id
        else {"inutilizationId": str(use.inutilization_id)}
    )
    sentence = f"O número {use.number} já foi usado ou ainda pode estar em uso."
    raise Refusal(Code.NUMBER_ALREADY_USED, sentence, number=use.number, **owner)


async def list_ranges(
    database: Database, subscription_id: UUID, company_id: UUID, kind: DocumentType, request: PageRequest
) -> Page[InutilizationRecord]:
    """List what numbers a company has given up, newest first."""
    async with database.autocommit(subscription_id) as tenant:
        found = await tenant.inutilizations.page(company_id, kind.name, request.offset, request.page_size)
        total = await tenant.inutilizations.count(company_id, kind.name)
    return Page([record_of_range(one) for one in found], total, request)


async def read_range_record(
    database: Database, subscription_id: UUID, company_id: UUID, kind: DocumentType, range_id: UUID
) -> InutilizationRecord:
    """Read what became of numbers that were to be given up."""
    async with database.autocommit(subscription_id) as tenant:
        return record_of_range(await require_range(tenant, company_id, kind, range_id))


async def require_range(
    tenant: Tenant, company_id: UUID, kind: DocumentType, range_id: UUID
) -> Inutilization:
    """Find the range that is meant, or refuse as if it never existed."""
    found = await tenant.inutilizations.get(range_id)
    if found is None or (found.company_id, found.document_type) != (company_id, kind.name):
        raise not_found("Inutilização não encontrada.")
    return found


def record_of_range(filing: Inutilization) -> InutilizationRecord:
    """Show numbers that are given up."""
    values = asdict(filing) | {
        "status": status_of(filing),
        "type": filing.document_type,
        "number_start": filing.first_number,
        "number_end": filing.last_number,
        "authorized_at": filing.registered_at,
    }
    return readable_record("inutilizations", filing.id, InutilizationRecord, values)


def _new(desk: Desk, dossier: Dossier, kind: DocumentType, request: InutilizationRequest) -> NewInutilization:
    if request.number_end - request.number_start >= MOST_NUMBERS:
        raise invalid_field("numberEnd", f"Uma inutilização abrange no máximo {MOST_NUMBERS} números.")
    this_year = local_moment(desk.counter.workshop.clock(), dossier.company.address.state).year
    if request.year and request.year > this_year:
        raise invalid_field("year", f"O ano da numeração vai até o corrente, {this_year}.")
    return NewInutilization(
        id=new_id(),
        company_id=dossier.row.id,
        document_type=kind.name,
        environment=dossier.environment_of(kind),
        series=request.series,
        first_number=request.number_start,
        last_number=request.number_end,
        year=request.year or this_year,
        justification=request.justification,
    )
