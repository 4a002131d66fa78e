"""The forms that add, change and delete an item of the catalog."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from starlette.datastructures import FormData
from starlette.responses import Response

from carimbo.dashboard.action_form import ActionForm, action_page, refused_action_page
from carimbo.dashboard.body_form import TypedForm, cleared_body
from carimbo.dashboard.catalog_choice import ITEM_SEARCH, Matches, chosen_item, matching_items
from carimbo.dashboard.form_rows import posted_with_rows
from carimbo.dashboard.form_view import problems_of, view_form
from carimbo.dashboard.forms import checked_body, require_filled, text_of
from carimbo.dashboard.notices import Notice, with_notice
from carimbo.dashboard.pages.catalog_search import NO_ITEM
from carimbo.dashboard.pages.products import product_id_of
from carimbo.dashboard.rendering import page, redirect
from carimbo.dashboard.routes import acting, company_page, filling, form_of
from carimbo.dashboard.security import LONG_FORM
from carimbo.dashboard.visit import CompanyVisit
from carimbo.service.catalog.product_bodies import ProductBody, ProductType
from carimbo.service.catalog.product_form import COMPONENTS, product_form, typed_product
from carimbo.service.catalog.products import (
    CatalogItemRecord,
    create_product,
    delete_product,
    read_product,
    replace_product,
)
from carimbo.service.errors import Refusal, invalid_field
from carimbo.service.people.roles import Capability
from carimbo.service.words import ITEM_TYPES

_TYPE = "tipo"
_UNPROCESSABLE = 422
_TYPE_HINTS: Mapping[str, str] = {
    ProductType.SERVICE: "O que a empresa faz para o cliente: aula, consultoria, assinatura.",
    ProductType.PRODUCT: "Mercadoria, que tem NCM.",
    ProductType.SPLIT: "Um preço que se divide entre serviços e produtos, como um curso com livro.",
}


@dataclass(frozen=True)
class ItemTask:
    """An item that a person is about to add or change."""

    item_type: ProductType
    address: str
    """The address that takes the form."""
    back: str
    fill_address: str
    item: CatalogItemRecord | None = None
    """The item that changes; None for a new one."""


async def new_product(visit: CompanyVisit) -> Response:
    """Shows the form of a type of item, or first the types."""
    item_type = visit.choice(_TYPE, ProductType)
    if item_type is None:
        types = [(each, ITEM_TYPES[each], _TYPE_HINTS[each]) for each in ProductType]
        return page(visit, "products/types.html", types=types)
    typed = TypedForm(product_form(item_type), {})
    if item_type is ProductType.SPLIT:
        # Two parts are the fewest.
        typed = typed.with_row(COMPONENTS, {}).with_row(COMPONENTS, {})
    return _show(visit, _new_task(visit, item_type), typed)


async def create(visit: CompanyVisit) -> Response:
    """Adds an item to the catalog."""
    task = await _posted_task(visit)
    typed = TypedForm.posted(product_form(task.item_type), await visit.form())
    database, owner, company_id = visit.services.database, visit.subscription_id, visit.company.id
    try:
        body = checked_body(ProductBody, {"type": task.item_type, **typed.body})
        item = await create_product(database, owner, company_id, body.root)
    except Refusal as refusal:
        return _show(visit, task, typed, refusal)
    return redirect(with_notice(f"{visit.company_base}/produtos/{item.root.id}", Notice.CREATED))


async def fill_new(visit: CompanyVisit) -> Response:
    """Shows the form of a new item again, after a button of its parts."""
    return await _filled(visit, await _posted_task(visit))


async def changes_of_product(visit: CompanyVisit) -> Response:
    """Shows the form of an item as it is."""
    task, item = await _change_task(visit)
    return _show(visit, task, TypedForm.of_body(product_form(task.item_type), typed_product(item)))


async def change(visit: CompanyVisit) -> Response:
    """Changes an item; blank inputs clear their fields."""
    task, item = await _change_task(visit)
    typed = TypedForm.posted(product_form(task.item_type), await visit.form())
    database, owner, company_id = visit.services.database, visit.subscription_id, visit.company.id
    try:
        require_filled(typed)
        await replace_product(database, owner, company_id, item.id, cleared_body(typed))
    except Refusal as refusal:
        return _show(visit, task, typed, refusal)
    return redirect(with_notice(task.back, Notice.SAVED))


async def fill_changes(visit: CompanyVisit) -> Response:
    """Shows the form of an item again, after a button of its parts."""
    task, _ = await _change_task(visit)
    return await _filled(visit, task)


async def deletion(visit: CompanyVisit) -> Response:
    """Asks whether an item should be deleted."""
    return action_page(visit, await _deletion(visit))


async def delete(visit: CompanyVisit) -> Response:
    """Deletes an item from the catalog; a part of a split item is refused."""
    database, owner, company_id = visit.services.database, visit.subscription_id, visit.company.id
    try:
        await delete_product(database, owner, company_id, product_id_of(visit))
    except Refusal as refusal:
        return refused_action_page(visit, await _deletion(visit), refusal)
    return redirect(with_notice(f"{visit.company_base}/produtos", Notice.REMOVED))


async def _deletion(visit: CompanyVisit) -> ActionForm:
    item = await _read(visit)
    address = f"{visit.company_base}/produtos/{item.id}"
    return ActionForm(
        title="Excluir o item",
        sentence=f"{item.name} sai do catálogo. As vendas feitas ficam como estão.",
        button="Excluir",
        address=f"{address}/excluir",
        back=address,
        back_label=item.name,
        is_dangerous=True,
    )


async def _read(visit: CompanyVisit) -> CatalogItemRecord:
    database, owner, company_id = visit.services.database, visit.subscription_id, visit.company.id
    return (await read_product(database, owner, company_id, product_id_of(visit))).root


def _new_task(visit: CompanyVisit, item_type: ProductType) -> ItemTask:
    products = f"{visit.company_base}/produtos"
    return ItemTask(item_type, products, products, f"{products}/preencher")


async def _posted_task(visit: CompanyVisit) -> ItemTask:
    """Returns the new item that a form describes, by its type."""
    try:
        return _new_task(visit, ProductType(text_of(await visit.form(), _TYPE)))
    except ValueError:
        raise invalid_field("type", "Escolha o tipo do item.") from None


async def _change_task(visit: CompanyVisit) -> tuple[ItemTask, CatalogItemRecord]:
    item = await _read(visit)
    address = f"{visit.company_base}/produtos/{item.id}"
    task = ItemTask(item.type, f"{address}/alterar", address, f"{address}/preencher", item)
    return task, item


async def _filled(visit: CompanyVisit, task: ItemTask) -> Response:
    """Shows a form after a button: another part, one less, or an item of the catalog as a part."""
    sent: FormData = await visit.form()
    typed = posted_with_rows(product_form(task.item_type), sent)
    item = await chosen_item(visit, sent)
    if item is not None:
        typed = typed.with_row(COMPONENTS, {"sku": item.sku})
    matches = None if item else await matching_items(visit, text_of(sent, ITEM_SEARCH), None)
    return _show(visit, task, typed, matches=matches)


def _show(
    visit: CompanyVisit,
    task: ItemTask,
    typed: TypedForm,
    refusal: Refusal | None = None,
    *,
    matches: Matches | None = None,
) -> Response:
    details: Mapping[str, Any] = (refusal and refusal.details) or {}
    existing_id = details.get("existingId")
    return page(
        visit,
        "products/form.html",
        _UNPROCESSABLE if refusal else 200,
        task=task,
        view=view_form(typed, problems_of(refusal)),
        type_name=ITEM_TYPES[task.item_type],
        existing=existing_id and f"{visit.company_base}/produtos/{existing_id}",
        matches=matches,
        no_item=NO_ITEM,
        has_parts=task.item_type is ProductType.SPLIT,
        path=task.fill_address.removeprefix(visit.company_base),
    )


_PRODUCT = "/produtos/{product_id}"
_CHANGE = Capability.CHANGE_CATALOG
# Before the pages of single items, whose addresses these would match.
ROUTES = (
    form_of(company_page("/produtos/novo", _CHANGE, new_product)),
    acting(company_page("/produtos", _CHANGE, create), LONG_FORM),
    filling(company_page("/produtos/preencher", _CHANGE, fill_new)),
    form_of(company_page(f"{_PRODUCT}/alterar", _CHANGE, changes_of_product)),
    acting(company_page(f"{_PRODUCT}/alterar", _CHANGE, change), LONG_FORM),
    filling(company_page(f"{_PRODUCT}/preencher", _CHANGE, fill_changes)),
    form_of(company_page(f"{_PRODUCT}/excluir", _CHANGE, deletion)),
    acting(company_page(f"{_PRODUCT}/excluir", _CHANGE, delete)),
)
