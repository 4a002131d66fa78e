"""The search in the catalog while a person types: parts of pages for htmx."""

from starlette.responses import Response

from carimbo.dashboard.catalog_choice import (
    CUSTOMER_SEARCH,
    ITEM_SEARCH,
    USE_CUSTOMER,
    USE_ITEM,
    matching_customers,
    matching_items,
)
from carimbo.dashboard.rendering import fragment
from carimbo.dashboard.routes import company_page
from carimbo.dashboard.visit import CompanyVisit
from carimbo.fiscal.catalog.sale import ItemType
from carimbo.service.errors import not_found
from carimbo.service.people.roles import Capability

NO_CUSTOMER = "Nenhum cliente com este nome, e-mail ou documento."
NO_ITEM = "Nenhum item com este nome ou SKU."


async def search_customers(visit: CompanyVisit) -> Response:
    """Returns the buttons of the customers that match."""
    matches = await matching_customers(visit, visit.filter(CUSTOMER_SEARCH) or "")
    address = _fill_address(visit)
    return fragment(
        visit, "forms/matches.html", matches=matches, button=USE_CUSTOMER, address=address, empty=NO_CUSTOMER
    )


async def search_items(visit: CompanyVisit) -> Response:
    """Returns the buttons of the items that match; of one type, if the address names it."""
    item_type = visit.choice("tipo", ItemType)
    matches = await matching_items(visit, visit.filter(ITEM_SEARCH) or "", item_type)
    address = _fill_address(visit)
    return fragment(
        visit, "forms/matches.html", matches=matches, button=USE_ITEM, address=address, empty=NO_ITEM
    )


def _fill_address(visit: CompanyVisit) -> str:
    """Returns where the buttons send their form: an address of this company that the form names."""
    path = visit.filter("para") or ""
    address = f"{visit.company_base}{path}"
    try:
        is_allowed = path.startswith("/") and visit.may_send(address)
    except LookupError:
        is_allowed = False
    if not is_allowed:
        raise not_found("Formulário não encontrado.")
    return address


ROUTES = (
    company_page("/busca/clientes", Capability.READ_CATALOG, search_customers),
    company_page("/busca/produtos", Capability.READ_CATALOG, search_items),
)
