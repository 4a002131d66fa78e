"""State registrations of a company, one per state."""

from datetime import datetime
from uuid import UUID

from pydantic import Field, ValidationInfo, field_validator
from pydantic_core import PydanticCustomError

from carimbo.fiscal.fields import Body, Flag, Record, StateCode, StateRegistrationNumber
from carimbo.fiscal.state_registration import registration_problem
from carimbo.service.companies import Deleted, lock_company
from carimbo.service.errors import Code, Refusal, not_found
from carimbo.service.pages import Page, PageRequest
from carimbo.storage.database import Database
from carimbo.storage.identifiers import new_id


class NewStateRegistration(Body):
    """A registration to be added."""

    state: StateCode
    number: StateRegistrationNumber = Field(examples=["110042490114"])
    is_default: Flag | None = Field(
        default=None, description="A primeira inscrição da empresa é sempre a padrão."
    )

    @field_validator("number")
    @classmethod
    def a_number_of_its_own(cls, number: str, others: ValidationInfo) -> str:
        """An issuer is registered or has no registration; ISENTO is for recipients."""
        if number == "ISENTO":
            raise PydanticCustomError(
                "state_registration", "Inscrição estadual inválida: informe de 2 a 14 dígitos."
            )
        # Of a state that is wrong itself nothing is known.
        state = others.data.get("state")
        if state and (problem := registration_problem(number, state)):
            raise PydanticCustomError(
                "state_registration", "Inscrição estadual inválida: {problem}.", {"problem": problem}
            )
        return number


class StateRegistrationRecord(Record):
    """A registration as callers see it."""

    id: UUID
    state: str = Field(examples=["SP"])
    number: str = Field(examples=["110042490114"])
    is_default: bool
    created_at: datetime


async def add_state_registration(
    database: Database, subscription_id: UUID, company_id: UUID, command: NewStateRegistration
) -> StateRegistrationRecord:
    """Add a registration; the first one, or one marked so, becomes the default."""
    async with database.tenant(subscription_id) as tenant:
        await lock_company(tenant, company_id)
        registrations = tenant.state_registrations
        existing = await registrations.find_by_state(company_id, command.state)
        if existing is not None:
            raise Refusal(
                Code.DUPLICATE_RESOURCE,
                f"A empresa já tem inscrição estadual em {command.state}.",
                field="state",
                existingId=str(existing),
            )
        is_default = bool(command.is_default) or not await registrations.all(company_id)
        if is_default:
            await registrations.clear_default(company_id)
        added = await registrations.add(company_id, new_id(), command.state, command.number, is_default)
    return StateRegistrationRecord.model_validate(added)


async def list_state_registrations(
    database: Database, subscription_id: UUID, company_id: UUID, request: PageRequest
) -> Page[StateRegistrationRecord]:
    """List a company's registrations, newest first."""
    async with database.tenant(subscription_id) as tenant:
        rows = await tenant.state_registrations.all(company_id)
    wanted = rows[request.offset : request.offset + request.page_size]
    return Page([StateRegistrationRecord.model_validate(row) for row in wanted], len(rows), request)


async def delete_state_registration(
    database: Database, subscription_id: UUID, company_id: UUID, registration_id: UUID
) -> Deleted:
    """Remove a registration; the default passes on to the oldest left."""
    async with database.tenant(subscription_id) as tenant:
        await lock_company(tenant, company_id)
        if not await tenant.state_registrations.delete(company_id, registration_id):
            raise not_found("Inscrição estadual não encontrada.")
    return Deleted(id=registration_id)
