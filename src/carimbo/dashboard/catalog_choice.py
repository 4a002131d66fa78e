"""Choosing customers and items of the catalog in forms: what was searched, and what a choice fills in."""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from uuid import UUID

from starlette.datastructures import FormData

from carimbo.dashboard.forms import text_of
from carimbo.dashboard.shown import NOTHING, tax_id, unit_price
from carimbo.dashboard.visit import CompanyVisit
from carimbo.fiscal.catalog.sale import ItemType
from carimbo.fiscal.issue_form import ChosenItem
from carimbo.fiscal.parties.customer import CustomerFacts
from carimbo.service.catalog.customers import list_customers, read_customer_facts
from carimbo.service.catalog.product_bodies import ProductType
from carimbo.service.catalog.products import list_products, read_chosen_item
from carimbo.service.errors import Refusal
from carimbo.service.listing import PageRequest
from carimbo.storage.products import ProductFilter

CUSTOMER_SEARCH, ITEM_SEARCH = "busca-cliente", "busca-produto"
USE_CUSTOMER, USE_ITEM = "usar-cliente", "usar-produto"
_FIRST = PageRequest(1, 8)


@dataclass(frozen=True)
class Match:
    """A customer or an item that a search found."""

    value: str
    """What its button sends."""
    name: str
    detail: str


@dataclass(frozen=True)
class Matches:
    """The results of a search."""

    search: str
    items: Sequence[Match]
    total: int


async def matching_customers(visit: CompanyVisit, search: str) -> Matches | None:
    """Returns the first customers that match a search; None without a search."""
    if not search:
        return None
    page = await list_customers(
        visit.services.database, visit.subscription_id, visit.company.id, search, _FIRST
    )
    matches = [
        Match(
            str(each.id),
            each.name,
            " · ".join(filter(None, (each.document and tax_id(each.document), each.email))),
        )
        for each in page.items
    ]
    return Matches(search, matches, page.total)


async def matching_items(visit: CompanyVisit, search: str, item_type: ItemType | None) -> Matches | None:
    """Returns the first items of a type, or of all types, that match a search; None without a search."""
    if not search:
        return None
    wanted = ProductFilter(search=search, type=ProductType(item_type) if item_type else None)
    page = await list_products(
        visit.services.database, visit.subscription_id, visit.company.id, wanted, _FIRST
    )
    matches = [
        Match(item.id, item.name, f"{item.sku} · {NOTHING if item.price is None else unit_price(item.price)}")
        for item in (record.root for record in page.items)
    ]
    return Matches(search, matches, page.total)


async def chosen_customer(visit: CompanyVisit, form: FormData | Mapping[str, str]) -> CustomerFacts | None:
    """Returns the customer whose button was pressed; None if there was none."""
    customer_id = form.get(USE_CUSTOMER)
    # One that was deleted meanwhile, or that no page offered, chooses nothing.
    with suppress(ValueError, Refusal):
        if isinstance(customer_id, str) and customer_id:
            return await read_customer_facts(
                visit.services.database, visit.subscription_id, visit.company.id, UUID(customer_id)
            )
    return None


async def chosen_item(visit: CompanyVisit, form: FormData | Mapping[str, str]) -> ChosenItem | None:
    """Returns the item whose button was pressed; None if there was none."""
    item_id = form.get(USE_ITEM)
    with suppress(Refusal):
        if isinstance(item_id, str) and item_id:
            return await read_chosen_item(
                visit.services.database, visit.subscription_id, visit.company.id, item_id
            )
    return None


async def searches_of(
    visit: CompanyVisit, form: FormData, item_type: ItemType | None
) -> tuple[Matches | None, Matches | None]:
    """Returns the results of both searches in a form that was sent without a script."""
    customers = await matching_customers(visit, text_of(form, CUSTOMER_SEARCH))
    items = await matching_items(visit, text_of(form, ITEM_SEARCH), item_type)
    return customers, items
