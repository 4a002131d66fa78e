"""The forms that register and change a sale. They compute it while a person types, and store nothing then."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from starlette.datastructures import FormData
from starlette.responses import Response

from carimbo.dashboard.body_form import MAX_ROWS, TypedForm
from carimbo.dashboard.catalog_choice import USE_CUSTOMER, Matches, chosen_item, searches_of
from carimbo.dashboard.contents import AmountRow
from carimbo.dashboard.form_rows import posted_with_rows
from carimbo.dashboard.form_view import view_form
from carimbo.dashboard.forms import checked_body, require_filled, text_of
from carimbo.dashboard.notices import Notice, with_notice
from carimbo.dashboard.pages.catalog_search import NO_CUSTOMER, NO_ITEM
from carimbo.dashboard.rendering import fragment, page, redirect
from carimbo.dashboard.routes import acting, company_page, filling, form_of
from carimbo.dashboard.sale_problems import sale_problems
from carimbo.dashboard.security import LONG_FORM
from carimbo.dashboard.shown import money
from carimbo.dashboard.submissions import FORM_ID, sent_form_id
from carimbo.dashboard.trial_result import TrialResult
from carimbo.dashboard.visit import CompanyVisit
from carimbo.fiscal.body.form_layout import FormLayout
from carimbo.service.catalog.customers import read_customer_facts
from carimbo.service.errors import ErrorCode, Refusal, invalid_field
from carimbo.service.json_values import patch_between, write_json
from carimbo.service.people.form_drafts import FormKey, delete_form_draft, keep_form_draft, read_form_draft
from carimbo.service.people.roles import Capability
from carimbo.service.sales.body import EmitWhen, SaleBody
from carimbo.service.sales.change import ChangeableSale, MergeMode, change_sale, read_changeable_sale
from carimbo.service.sales.create import SaleOrder, create_sale
from carimbo.service.sales.sale_form import CUSTOMER, ITEMS_TITLE, LINES, line_of, sale_form, typed_sale
from carimbo.service.sales.trial import SaleTrial, try_change, try_sale
from carimbo.storage.form_drafts import FormDraft

_UNPROCESSABLE = 422
_OTHER_CUSTOMER = "outro-cliente"
_TOO_LONG = f"Esta venda tem mais de {MAX_ROWS} itens, e o formulário não os mostra: altere-a pela API."
_KNOWN_ORDER = "Já existe outra venda com este número: nada foi registrado."
_NO_BUYER = "Informe o nome, o CPF ou o CNPJ."
_GONE = "Cliente que saiu do catálogo"


@dataclass(frozen=True)
class SaleTask:
    """A sale that a person is about to register or change."""

    address: str
    """The page of the form, which also takes the form."""
    back: str
    draft_key: FormKey
    current: ChangeableSale | None = None
    """The sale that changes; None for a new one."""


async def form(visit: CompanyVisit) -> Response:
    """Shows the form: as the person left it, or else with the sale that changes."""
    task = await _task(visit)
    draft = await read_form_draft(visit.services.database, task.draft_key)
    if draft is not None:
        layout = sale_form(has_customer=bool(draft.fields.get(CUSTOMER)), is_new=task.current is None)
        return await _show(visit, task, TypedForm(layout, draft.fields), draft=draft)
    return await _show(visit, task, _stored_form(visit, task))


async def fill(visit: CompanyVisit) -> Response:
    """Shows the form again, after a button in it added, removed or chose something."""
    task, sent = await _task(visit), await visit.form()
    typed, item = _posted(task, sent), await chosen_item(visit, sent)
    if item is not None and typed.rows(LINES) < MAX_ROWS:
        texts = TypedForm.of_body(typed.layout, {LINES.path: [line_of(item)]}).texts
        typed = typed.with_row(LINES, {name.partition("].")[2]: text for name, text in texts.items()})
    await _keep(visit, task, typed)
    customers, items = await searches_of(visit, sent, None)
    check = await _check(visit, task, typed)
    return await _show(visit, task, typed, check=check, customers=customers, items=items)


async def check(visit: CompanyVisit) -> Response:
    """Computes the sale and says what is wrong with it."""
    task = await _task(visit)
    typed = _posted(task, await visit.form())
    await _keep(visit, task, typed)
    result = await _check(visit, task, typed)
    if visit.is_fragment:
        return fragment(visit, "issue/check.html", check=result)
    return await _show(visit, task, typed, check=result)


async def save(visit: CompanyVisit) -> Response:
    """Registers the sale of the form, or changes it. Its documents are emitted if the form says so."""
    task, sent = await _task(visit), await visit.form()
    typed = _posted(task, sent)
    try:
        if task.current is None:
            sale_id, notice = await _create(visit, typed, sent)
        else:
            sale_id, notice = await _change(visit, task, typed)
    except Refusal as refusal:
        await keep_form_draft(visit.services.database, task.draft_key, typed.texts)
        return await _show(visit, task, typed, refusal)
    await delete_form_draft(visit.services.database, task.draft_key)
    return redirect(with_notice(f"{visit.company_base}/vendas/{sale_id}", notice))


async def discard(visit: CompanyVisit) -> Response:
    """Deletes the draft of the form."""
    task = await _task(visit)
    await delete_form_draft(visit.services.database, task.draft_key)
    return redirect(task.address)


async def _task(visit: CompanyVisit) -> SaleTask:
    """Returns the sale that the address names, or a new one. Raises Refusal for one that may not change."""
    sales, owner, company_id = f"{visit.company_base}/vendas", visit.subscription_id, visit.company.id
    person_id, text = visit.session.person.id, visit.request.path_params.get("sale_id")
    if text is None:
        return SaleTask(f"{sales}/nova", sales, FormKey(owner, company_id, person_id, "vendas/nova"))
    current = await read_changeable_sale(visit.services.database, owner, company_id, UUID(text))
    if max(len(current.lines), len(current.sale.payments or ())) > MAX_ROWS:
        raise Refusal(ErrorCode.INVALID_STATE, _TOO_LONG)
    key = FormKey(owner, company_id, person_id, f"vendas/{text}/{current.sale.updated_at.isoformat()}")
    return SaleTask(f"{sales}/{text}/alterar", f"{sales}/{text}", key, current)


def _stored_form(visit: CompanyVisit, task: SaleTask) -> TypedForm:
    """Returns the form of a sale as it is stored; an empty one for a new sale."""
    if task.current is None:
        return TypedForm(_layout(task, has_customer=False), {"emitWhen": EmitWhen.IMMEDIATELY.value})
    body = typed_sale(task.current, visit.company.local_state)
    return TypedForm.of_body(_layout(task, has_customer=isinstance(body.get(CUSTOMER), str)), body)


def _layout(task: SaleTask, *, has_customer: bool) -> FormLayout:
    return sale_form(has_customer=has_customer, is_new=task.current is None)


def _posted(task: SaleTask, sent: FormData) -> TypedForm:
    """Returns the form that a browser sent, after the button that was pressed."""
    is_other = bool(text_of(sent, _OTHER_CUSTOMER))
    customer_id = text_of(sent, USE_CUSTOMER) or ("" if is_other else text_of(sent, CUSTOMER))
    typed = posted_with_rows(_layout(task, has_customer=bool(customer_id)), sent)
    return typed.with_texts({CUSTOMER: customer_id}) if customer_id else typed


async def _keep(visit: CompanyVisit, task: SaleTask, typed: TypedForm) -> None:
    """Keeps the form as a draft, unless it shows the sale as it is stored.

    A check may arrive after its form was sent: that form has no draft any more.
    """
    shown = _stored_form(visit, task).texts
    if {name: text for name, text in typed.texts.items() if text} != shown:
        form_id = await sent_form_id(visit)
        await keep_form_draft(visit.services.database, task.draft_key, typed.texts, unless_sent=form_id)


def _order(visit: CompanyVisit, typed: TypedForm, key: str | None = None) -> SaleOrder:
    body = checked_body(SaleBody, typed.body)
    return SaleOrder(visit.membership.subscription, visit.company, body, write_json(typed.body), key)


async def _create(visit: CompanyVisit, typed: TypedForm, sent: FormData) -> tuple[UUID, Notice]:
    """Registers a sale. The id of the form is its idempotency key."""
    order = _order(visit, typed, f"painel-{text_of(sent, FORM_ID)}")
    accepted = await create_sale(visit.services.issuing, order)
    if not accepted.is_new and accepted.record.warnings:
        raise invalid_field("externalId", _KNOWN_ORDER)
    return accepted.record.id, Notice.QUEUED if accepted.goes_now else Notice.CREATED


async def _change(visit: CompanyVisit, task: SaleTask, typed: TypedForm) -> tuple[UUID, Notice]:
    subscription, company, context = visit.membership.subscription, visit.company, visit.services.issuing
    sale_id, changes = _sale_id(task), _changes(visit, task, typed)
    changed = await change_sale(context, subscription, company, sale_id, changes, MergeMode.DEEP)
    return sale_id, Notice.QUEUED if changed.goes_now else Notice.SAVED


def _changes(visit: CompanyVisit, task: SaleTask, typed: TypedForm) -> dict[str, Any]:
    """Returns the merge patch between the sale as it is and the form. Raises Refusal."""
    require_filled(typed)
    before, after = _stored_form(visit, task).body, typed.body
    buyer = after.get(CUSTOMER)
    is_unnamed = isinstance(buyer, dict) and not any(buyer.get(name) for name in ("name", "document"))
    if is_unnamed and isinstance(before.get(CUSTOMER), str):
        # The patch would complete the data of the customer that the person removed.
        raise invalid_field("customer.name", _NO_BUYER)
    return patch_between(before, after)


def _sale_id(task: SaleTask) -> UUID:
    if task.current is None:
        raise LookupError("a new sale has no id yet")
    return task.current.sale.id


async def _check(visit: CompanyVisit, task: SaleTask, typed: TypedForm) -> TrialResult:
    context, subscription = visit.services.issuing, visit.membership.subscription
    try:
        if task.current is None:
            trial = await try_sale(context, _order(visit, typed))
        else:
            changes = _changes(visit, task, typed)
            trial = await try_change(context, subscription, visit.company, _sale_id(task), changes)
    except Refusal as refusal:
        trial = SaleTrial(None, refusal=refusal)
    warnings = [warning for draft in trial.drafts for warning in draft.review.warnings]
    return TrialResult(list(_amounts(trial)), warnings, view_form(typed, sale_problems(typed, trial.refusal)))


def _amounts(trial: SaleTrial) -> Iterator[AmountRow]:
    for draft in trial.drafts:
        yield AmountRow(draft.document_type.title, money(draft.review.amount), is_total=False)
    if trial.amount is not None:
        yield AmountRow("Total da venda", money(trial.amount), is_total=True)


async def _show(
    visit: CompanyVisit,
    task: SaleTask,
    typed: TypedForm,
    refusal: Refusal | None = None,
    *,
    check: TrialResult | None = None,
    customers: Matches | None = None,
    items: Matches | None = None,
    draft: FormDraft | None = None,
) -> Response:
    customer_id = typed.texts.get(CUSTOMER)
    return page(
        visit,
        "sales/form.html",
        _UNPROCESSABLE if refusal else 200,
        task=task,
        view=view_form(typed, sale_problems(typed, refusal)),
        customer_name=customer_id and await _customer_name(visit, customer_id),
        check=check,
        customers=customers,
        items=items,
        draft=draft,
        no_customer=NO_CUSTOMER,
        no_item=NO_ITEM,
        items_title=ITEMS_TITLE,
        path=task.address.removeprefix(visit.company_base),
    )


async def _customer_name(visit: CompanyVisit, customer_id: str) -> str:
    database, owner, company_id = visit.services.database, visit.subscription_id, visit.company.id
    try:
        return (await read_customer_facts(database, owner, company_id, UUID(customer_id))).name
    except (ValueError, Refusal):
        return _GONE


_ISSUE = Capability.ISSUE_DOCUMENTS
ROUTES = tuple(
    route
    for path in ("/vendas/nova", "/vendas/{sale_id:uuid}/alterar")
    for route in (
        form_of(company_page(path, _ISSUE, form)),
        acting(company_page(path, _ISSUE, save), LONG_FORM),
        filling(company_page(f"{path}/preencher", _ISSUE, fill)),
        filling(company_page(f"{path}/conferir", _ISSUE, check)),
        acting(company_page(f"{path}/descartar", _ISSUE, discard)),
    )
)
