"""The state registrations (inscrição estadual) of a company, one per state."""

from datetime import datetime
from uuid import UUID

from pydantic import Field, ValidationError, ValidationInfo, ValidatorFunctionWrapHandler, field_validator
from pydantic_core import PydanticCustomError

from carimbo.fiscal.body.fields import Body, Flag, Record, StateCode, StateRegistrationNumber
from carimbo.fiscal.identity.state_registration import expected_length, registration_problem
from carimbo.service.companies.company_bodies import Deleted
from carimbo.service.companies.registration import lock_company
from carimbo.service.errors import ErrorCode, Refusal, not_found
from carimbo.service.listing import Page, PageRequest
from carimbo.storage.audit import AuditAction
from carimbo.storage.database import Database
from carimbo.storage.identifiers import new_id


class NewStateRegistration(Body):
    """The body that adds a registration."""

    state: StateCode
    number: StateRegistrationNumber = Field(examples=["110042490114"])
    is_default: Flag | None = Field(
        default=None, description="A primeira inscrição da empresa é sempre a padrão."
    )

    @field_validator("number", mode="wrap")
    @classmethod
    def a_number_of_its_own(
        cls, value: object, parse: ValidatorFunctionWrapHandler, others: ValidationInfo
    ) -> str:
        """Refuses a number that the state does not issue; ISENTO is for recipients."""
        # There is no state if the state itself is invalid.
        state = others.data.get("state")
        try:
            number: str = parse(value)
        except ValidationError as error:
            if state and error.errors()[0]["type"] in _NO_REGISTRATION:
                raise _invalid(expected_length(state)) from None
            raise
        if number == "ISENTO":
            raise _invalid(expected_length(state) if state else "informe de 2 a 14 dígitos")
        if state and (problem := registration_problem(number, state)):
            raise _invalid(problem)
        return number


_NO_REGISTRATION = ("state_registration", "string_too_long")
"""Error types of texts that are not a registration in any state."""


def _invalid(problem: str) -> PydanticCustomError:
    return PydanticCustomError(
        "state_registration", "Inscrição estadual inválida: {problem}.", {"problem": problem}
    )


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
    """Adds a registration; the first one, or one marked as such, becomes the default."""
    async with database.tenant(subscription_id) as tenant:
        await lock_company(tenant, company_id)
        registrations = tenant.state_registrations
        existing = await registrations.find_by_state(company_id, command.state)
        if existing is not None:
            raise Refusal(
                ErrorCode.DUPLICATE_RESOURCE,
                f"A empresa já tem inscrição estadual em {command.state}.",
                field="state",
                existingId=str(existing),
            )
        is_default = bool(command.is_default) or not await registrations.all(company_id)
        if is_default:
            await registrations.clear_default(company_id)
        added = await registrations.add(company_id, new_id(), command.state, command.number, is_default)
        await tenant.audit.add(
            AuditAction.STATE_REGISTRATION_ADDED,
            company_id=company_id,
            subject_id=added.id,
            subject_name=f"{added.state} {added.number}",
        )
    return StateRegistrationRecord.model_validate(added)


async def list_state_registrations(
    database: Database, subscription_id: UUID, company_id: UUID, request: PageRequest
) -> Page[StateRegistrationRecord]:
    """Lists a company's registrations, newest first."""
    async with database.tenant(subscription_id) as tenant:
        rows = await tenant.state_registrations.all(company_id)
    page = rows[request.offset : request.offset + request.page_size]
    return Page([StateRegistrationRecord.model_validate(row) for row in page], len(rows), request)


async def choose_default_registration(
    database: Database, subscription_id: UUID, company_id: UUID, registration_id: UUID
) -> StateRegistrationRecord:
    """Makes a registration the default, in place of the one that is."""
    async with database.tenant(subscription_id) as tenant:
        await lock_company(tenant, company_id)
        await tenant.state_registrations.clear_default(company_id)
        chosen = await tenant.state_registrations.set_default(company_id, registration_id)
        if chosen is None:
            raise not_found("Inscrição estadual não encontrada.")
        await tenant.audit.add(
            AuditAction.DEFAULT_REGISTRATION_CHOSEN,
            company_id=company_id,
            subject_id=chosen.id,
            subject_name=f"{chosen.state} {chosen.number}",
        )
    return StateRegistrationRecord.model_validate(chosen)


async def delete_state_registration(
    database: Database, subscription_id: UUID, company_id: UUID, registration_id: UUID
) -> Deleted:
    """Deletes a registration; if it was the default, the oldest remaining one becomes it."""
    async with database.tenant(subscription_id) as tenant:
        await lock_company(tenant, company_id)
        if not await tenant.state_registrations.delete(company_id, registration_id):
            raise not_found("Inscrição estadual não encontrada.")
        await tenant.audit.add(
            AuditAction.STATE_REGISTRATION_DELETED, company_id=company_id, subject_id=registration_id
        )
    return Deleted(id=registration_id)
