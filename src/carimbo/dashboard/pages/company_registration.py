"""The forms of a company's registration: a new company, its data, and its registrations in states."""

from collections.abc import Sequence
from typing import Any
from uuid import UUID

from starlette.responses import Response

from carimbo.dashboard.action_form import ActionForm, action_page
from carimbo.dashboard.body_form import TypedForm
from carimbo.dashboard.company_forms import START, after_form, company_form_page
from carimbo.dashboard.form_view import FormProblem, problems_of, view_form
from carimbo.dashboard.forms import checked_body, checked_changes
from carimbo.dashboard.notices import Notice, with_notice
from carimbo.dashboard.rendering import redirect
from carimbo.dashboard.routes import acting, company_page, form_of, subscription_page
from carimbo.dashboard.security import LONG_FORM
from carimbo.dashboard.visit import CompanyVisit, SubscriptionVisit
from carimbo.fiscal.environment import Environment
from carimbo.fiscal.tables.geography import find_municipality
from carimbo.service.companies.company_bodies import CompanyChanges, NewCompany
from carimbo.service.companies.company_form import (
    COMPANY_FORM,
    IBS_CBS_OPTIONS,
    NEW_COMPANY_FORM,
    STATE_REGISTRATION_FORM,
)
from carimbo.service.companies.registration import company_record, create_company, update_company
from carimbo.service.companies.state_registrations import (
    NewStateRegistration,
    StateRegistrationRecord,
    add_state_registration,
    choose_default_registration,
    delete_state_registration,
    list_state_registrations,
)
from carimbo.service.errors import Refusal, not_found
from carimbo.service.listing import PageRequest
from carimbo.service.people.roles import Capability

ALL_REGISTRATIONS = PageRequest(1, 100)
_NEW, _CHANGE = "/empresas/nova", "/cadastro"
_ADD, _REMOVE = "/inscricoes/nova", "/inscricoes/{registration_id:uuid}/remover"


async def new_company(visit: SubscriptionVisit) -> Response:
    """Shows the form of a new company."""
    return _new_company_page(visit, TypedForm(NEW_COMPANY_FORM, {}))


async def create(visit: SubscriptionVisit) -> Response:
    """Registers a company in homologation, and leads to its first steps."""
    typed = TypedForm.posted(NEW_COMPANY_FORM, await visit.form())
    try:
        body = checked_body(NewCompany, {**typed.body, "environment": Environment.HOMOLOGATION.value})
        company = await create_company(visit.services.database, visit.subscription_id, body)
    except Refusal as refusal:
        return _new_company_page(visit, typed, problems_of(refusal))
    return redirect(with_notice(visit.of_company(company.id) + START, Notice.COMPANY_CREATED))


def _new_company_page(
    visit: SubscriptionVisit, typed: TypedForm, problems: Sequence[FormProblem] = ()
) -> Response:
    action = ActionForm(
        title="Nova empresa",
        sentence=(
            "A empresa começa em homologação, o ambiente de testes: os documentos não têm valor fiscal."
            " Quando tudo estiver pronto, você a passa para produção."
        ),
        button="Cadastrar empresa",
        address=visit.base + _NEW,
        back=f"{visit.base}/empresas",
        back_label="Empresas",
        view=view_form(typed, problems),
    )
    return action_page(visit, action)


async def company_data(visit: CompanyVisit) -> Response:
    """Shows the form with the registration of a company."""
    return _company_page(visit, TypedForm.of_body(COMPANY_FORM, _shown_body(visit)))


async def change_company_data(visit: CompanyVisit) -> Response:
    """Changes the registration of a company."""
    typed = TypedForm.posted(COMPANY_FORM, await visit.form())
    try:
        changes = checked_changes(CompanyChanges, typed)
        await update_company(visit.services.database, visit.subscription_id, visit.company.id, changes)
    except Refusal as refusal:
        return _company_page(visit, typed, problems_of(refusal))
    return after_form(visit, Notice.SAVED)


def _shown_body(visit: CompanyVisit) -> dict[str, Any]:
    """Returns the registration as the form shows it.

    The code of the city stays out if its name says the same: a person who changes the city would forget it.
    """
    record = company_record(visit.company).model_dump(mode="json", by_alias=True, exclude_none=True)
    names = {part.path.partition(".")[0] for part in COMPANY_FORM.parts}
    body = {name: value for name, value in record.items() if name in names}
    address = body.get("address")
    if address:
        city = find_municipality(address["city"], address["state"])
        left_out = {"countryCode", *(["cityCode"] if city and city.ibge == address.get("cityCode") else ())}
        body["address"] = {name: value for name, value in address.items() if name not in left_out}
    return body


def _company_page(visit: CompanyVisit, typed: TypedForm, problems: Sequence[FormProblem] = ()) -> Response:
    return company_form_page(
        visit,
        _CHANGE,
        title="Cadastro da empresa",
        sentence="As mudanças valem para os documentos que forem emitidos daqui em diante. O CNPJ não muda.",
        # A blank entry at the end, for another option.
        view=view_form(typed.with_row(IBS_CBS_OPTIONS, {}), problems),
    )


async def new_registration(visit: CompanyVisit) -> Response:
    """Shows the form of a state registration, with the state of the company."""
    return _registration_page(visit, TypedForm(STATE_REGISTRATION_FORM, {"state": visit.state or ""}))


async def add_registration(visit: CompanyVisit) -> Response:
    """Adds a state registration."""
    typed = TypedForm.posted(STATE_REGISTRATION_FORM, await visit.form())
    try:
        body = checked_body(NewStateRegistration, typed.body)
        await add_state_registration(visit.services.database, visit.subscription_id, visit.company.id, body)
    except Refusal as refusal:
        return _registration_page(visit, typed, problems_of(refusal))
    return after_form(visit, Notice.SAVED)


def _registration_page(
    visit: CompanyVisit, typed: TypedForm, problems: Sequence[FormProblem] = ()
) -> Response:
    return company_form_page(
        visit,
        _ADD,
        title="Nova inscrição estadual",
        sentence="A empresa tem no máximo uma inscrição em cada UF. Precisa da UF em que fica para emitir.",
        button="Acrescentar",
        view=view_form(typed, problems),
    )


async def registration_to_remove(visit: CompanyVisit) -> Response:
    """Asks whether a state registration should be removed."""
    registration = await _registration(visit)
    return company_form_page(
        visit,
        f"/inscricoes/{registration.id}/remover",
        title=f"Remover a inscrição estadual em {registration.state}?",
        sentence="Sem a inscrição na UF da empresa, os documentos que precisam dela deixam de ser emitidos.",
        button="Remover",
        facts=[("UF", registration.state), ("Número", registration.number)],
        is_dangerous=True,
    )


async def remove_registration(visit: CompanyVisit) -> Response:
    """Removes a state registration."""
    await delete_state_registration(
        visit.services.database, visit.subscription_id, visit.company.id, _registration_id(visit)
    )
    return after_form(visit, Notice.REMOVED)


async def make_default_registration(visit: CompanyVisit) -> Response:
    """Makes a state registration the default one."""
    await choose_default_registration(
        visit.services.database, visit.subscription_id, visit.company.id, _registration_id(visit)
    )
    return after_form(visit, Notice.SAVED)


async def _registration(visit: CompanyVisit) -> StateRegistrationRecord:
    """Returns the state registration that the address names. Raises Refusal if there is none."""
    registrations = await list_state_registrations(
        visit.services.database, visit.subscription_id, visit.company.id, ALL_REGISTRATIONS
    )
    for registration in registrations.items:
        if registration.id == _registration_id(visit):
            return registration
    raise not_found("Inscrição estadual não encontrada.")


def _registration_id(visit: CompanyVisit) -> UUID:
    return UUID(visit.request.path_params["registration_id"])


ROUTES = (
    form_of(subscription_page(_NEW, Capability.CREATE_COMPANIES, new_company)),
    acting(subscription_page(_NEW, Capability.CREATE_COMPANIES, create)),
    form_of(company_page(_CHANGE, Capability.CHANGE_COMPANIES, company_data)),
    acting(company_page(_CHANGE, Capability.CHANGE_COMPANIES, change_company_data), LONG_FORM),
    form_of(company_page(_ADD, Capability.CHANGE_COMPANIES, new_registration)),
    acting(company_page(_ADD, Capability.CHANGE_COMPANIES, add_registration)),
    form_of(company_page(_REMOVE, Capability.CHANGE_COMPANIES, registration_to_remove)),
    acting(company_page(_REMOVE, Capability.CHANGE_COMPANIES, remove_registration)),
    acting(
        company_page(
            "/inscricoes/{registration_id:uuid}/padrao",
            Capability.CHANGE_COMPANIES,
            make_default_registration,
        )
    ),
)
