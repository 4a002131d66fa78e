"""The forms that add, change and delete a customer of the catalog."""

from uuid import UUID

from starlette.responses import Response

from carimbo.dashboard.action_form import ActionForm, action_page
from carimbo.dashboard.body_form import TypedForm, cleared_body
from carimbo.dashboard.form_view import problems_of, view_form
from carimbo.dashboard.forms import checked_body, require_filled
from carimbo.dashboard.notices import Notice, with_notice
from carimbo.dashboard.rendering import redirect
from carimbo.dashboard.routes import acting, company_page, form_of
from carimbo.dashboard.visit import CompanyVisit
from carimbo.service.catalog.customer_form import changed_customer_form, new_customer_form, typed_customer
from carimbo.service.catalog.customers import (
    CustomerBody,
    create_customer,
    delete_customer,
    read_customer_facts,
    replace_customer,
)
from carimbo.service.errors import Refusal
from carimbo.service.people.roles import Capability


async def new_customer(visit: CompanyVisit) -> Response:
    """Shows an empty form."""
    return _new_page(visit, TypedForm(new_customer_form(), {}))


async def create(visit: CompanyVisit) -> Response:
    """Adds a customer to the catalog."""
    typed = TypedForm.posted(new_customer_form(), await visit.form())
    database, owner, company_id = visit.services.database, visit.subscription_id, visit.company.id
    try:
        customer = await create_customer(database, owner, company_id, checked_body(CustomerBody, typed.body))
    except Refusal as refusal:
        return _new_page(visit, typed, refusal)
    return redirect(with_notice(_address(visit, customer.id), Notice.CREATED))


async def changes_of_customer(visit: CompanyVisit) -> Response:
    """Shows the form of a customer as it is."""
    database, owner, company_id = visit.services.database, visit.subscription_id, visit.company.id
    customer = await read_customer_facts(database, owner, company_id, _customer_id(visit))
    typed = TypedForm.of_body(changed_customer_form(), typed_customer(customer))
    return _change_page(visit, typed)


async def change(visit: CompanyVisit) -> Response:
    """Changes a customer; blank inputs clear their fields."""
    typed = TypedForm.posted(changed_customer_form(), await visit.form())
    database, owner, customer_id = visit.services.database, visit.subscription_id, _customer_id(visit)
    try:
        require_filled(typed)
        await replace_customer(database, owner, visit.company.id, customer_id, cleared_body(typed))
    except Refusal as refusal:
        return _change_page(visit, typed, refusal)
    return redirect(with_notice(_address(visit, customer_id), Notice.SAVED))


async def deletion(visit: CompanyVisit) -> Response:
    """Asks whether a customer should be deleted."""
    database, owner, company_id = visit.services.database, visit.subscription_id, visit.company.id
    customer = await read_customer_facts(database, owner, company_id, _customer_id(visit))
    address = _address(visit, _customer_id(visit))
    return action_page(
        visit,
        ActionForm(
            title="Excluir o cliente",
            sentence=f"{customer.name} sai do catálogo. As vendas e os documentos feitos ficam como estão.",
            button="Excluir",
            address=f"{address}/excluir",
            back=address,
            back_label=customer.name,
            is_dangerous=True,
        ),
    )


async def delete(visit: CompanyVisit) -> Response:
    """Deletes a customer from the catalog."""
    database, owner, company_id = visit.services.database, visit.subscription_id, visit.company.id
    await delete_customer(database, owner, company_id, _customer_id(visit))
    return redirect(with_notice(f"{visit.company_base}/clientes", Notice.REMOVED))


def _new_page(visit: CompanyVisit, typed: TypedForm, refusal: Refusal | None = None) -> Response:
    form = ActionForm(
        title="Novo cliente",
        sentence="O cliente entra no catálogo desta empresa, e as vendas e os documentos o encontram nele.",
        button="Cadastrar",
        address=f"{visit.company_base}/clientes",
        back=f"{visit.company_base}/clientes",
        back_label="Clientes",
        view=view_form(typed, problems_of(refusal)),
    )
    return _page(visit, form, refusal)


def _change_page(visit: CompanyVisit, typed: TypedForm, refusal: Refusal | None = None) -> Response:
    address = _address(visit, _customer_id(visit))
    form = ActionForm(
        title="Alterar o cliente",
        sentence="Vale para as vendas e os documentos feitos daqui em diante.",
        button="Guardar",
        address=f"{address}/alterar",
        back=address,
        back_label="Cliente",
        view=view_form(typed, problems_of(refusal)),
    )
    return _page(visit, form, refusal)


def _page(visit: CompanyVisit, form: ActionForm, refusal: Refusal | None) -> Response:
    """Shows a form, with a link to the customer that has the same document already."""
    existing_id = ((refusal and refusal.details) or {}).get("existingId")
    existing = existing_id and _address(visit, existing_id)
    return action_page(visit, form, "customers/form.html", existing=existing)


def _customer_id(visit: CompanyVisit) -> UUID:
    return UUID(visit.request.path_params["customer_id"])


def _address(visit: CompanyVisit, customer_id: object) -> str:
    return f"{visit.company_base}/clientes/{customer_id}"


_CUSTOMER = "/clientes/{customer_id:uuid}"
_CHANGE = Capability.CHANGE_CATALOG
ROUTES = (
    form_of(company_page("/clientes/novo", _CHANGE, new_customer)),
    acting(company_page("/clientes", _CHANGE, create)),
    form_of(company_page(f"{_CUSTOMER}/alterar", _CHANGE, changes_of_customer)),
    acting(company_page(f"{_CUSTOMER}/alterar", _CHANGE, change)),
    form_of(company_page(f"{_CUSTOMER}/excluir", _CHANGE, deletion)),
    acting(company_page(f"{_CUSTOMER}/excluir", _CHANGE, delete)),
)
