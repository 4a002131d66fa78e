"""State registrations of a company."""

from uuid import UUID

from fastapi import APIRouter

from carimbo.api.context import (
    OF_COMPANY,
    CurrentCompany,
    CurrentDatabase,
    CurrentSubscription,
    RequestedPage,
)
from carimbo.api.documented import refuses
from carimbo.api.envelope import Listing, Success, listing
from carimbo.api.json_body import JsonBody
from carimbo.api.route import Endpoint
from carimbo.service import state_registrations
from carimbo.service.companies import Deleted
from carimbo.service.errors import Code
from carimbo.service.state_registrations import NewStateRegistration, StateRegistrationRecord

router = APIRouter(
    prefix="/v1/companies/{companyId}/state-registrations",
    tags=["Inscrições estaduais"],
    route_class=Endpoint,
    dependencies=OF_COMPANY,
)


@router.get(
    "",
    operation_id="listStateRegistrations",
    summary="Lista as inscrições estaduais",
    responses=refuses(Code.NOT_FOUND),
)
async def list_state_registrations(
    database: CurrentDatabase,
    subscription: CurrentSubscription,
    company: CurrentCompany,
    page: RequestedPage,
) -> Listing[StateRegistrationRecord]:
    found = await state_registrations.list_state_registrations(database, subscription.id, company.id, page)
    return listing(found)


@router.post(
    "",
    operation_id="addStateRegistration",
    summary="Acrescenta uma inscrição estadual",
    description="Uma por UF. A da UF da empresa vai em `emit/IE`; a da UF do destinatário, em `emit/IEST`."
    " `isDefault` marca uma delas para quem lê e não muda qual vai no documento.",
    responses=refuses(Code.NOT_FOUND, Code.DUPLICATE_RESOURCE),
)
async def add_state_registration(
    database: CurrentDatabase,
    subscription: CurrentSubscription,
    company: CurrentCompany,
    body: JsonBody[NewStateRegistration],
) -> Success[StateRegistrationRecord]:
    added = await state_registrations.add_state_registration(database, subscription.id, company.id, body)
    return Success(data=added)


@router.delete(
    "/{id}",
    operation_id="deleteStateRegistration",
    summary="Remove uma inscrição estadual",
    responses=refuses(Code.NOT_FOUND),
)
async def delete_state_registration(
    id: UUID,  # noqa: A002
    database: CurrentDatabase,
    subscription: CurrentSubscription,
    company: CurrentCompany,
) -> Success[Deleted]:
    deleted = await state_registrations.delete_state_registration(database, subscription.id, company.id, id)
    return Success(data=deleted)
