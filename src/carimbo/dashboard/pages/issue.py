"""Issuing in forms: new documents, and drafts and rejected ones that are corrected and sent again."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from starlette.datastructures import FormData
from starlette.responses import Response

from carimbo.dashboard.api_command import api_command, smallest_body
from carimbo.dashboard.body_form import MAX_ROWS, TypedForm
from carimbo.dashboard.catalog_choice import Matches, chosen_customer, chosen_item, searches_of
from carimbo.dashboard.contents import total_rows
from carimbo.dashboard.form_rows import posted_with_rows
from carimbo.dashboard.form_view import FormProblem, problems_of, view_form, with_labels
from carimbo.dashboard.forms import checked_body, text_of
from carimbo.dashboard.pages.catalog_search import NO_CUSTOMER, NO_ITEM
from carimbo.dashboard.rendering import fragment, page, redirect
from carimbo.dashboard.routes import acting, company_page, filling, form_of
from carimbo.dashboard.security import LONG_FORM
from carimbo.dashboard.submissions import FORM_ID, sent_form_id, was_sent
from carimbo.dashboard.trial_result import TrialResult
from carimbo.dashboard.visit import CompanyVisit
from carimbo.fiscal.document_type import DocumentType
from carimbo.fiscal.issue_form import IssueForm
from carimbo.fiscal.lifecycle import EMITTABLE, Status
from carimbo.fiscal.registry import DOCUMENT_TYPES
from carimbo.service.document_types import find_document_type
from carimbo.service.documents.queries import DocumentReference, read_document_and_request
from carimbo.service.documents.record import DocumentRecord
from carimbo.service.errors import ErrorCode, Refusal, not_found
from carimbo.service.issuing.accept import DocumentOrder, accept
from carimbo.service.issuing.drafts import change_document, emit_document
from carimbo.service.issuing.preview import try_order
from carimbo.service.json_values import patch_between, write_json
from carimbo.service.people.form_drafts import FormKey, delete_form_draft, keep_form_draft, read_form_draft
from carimbo.service.people.roles import Capability
from carimbo.storage.form_drafts import FormDraft

_NO_CONTENT, _UNPROCESSABLE = 204, 422
_TOO_LONG = (
    f"Este documento tem mais de {MAX_ROWS} itens, e o formulário não os mostra: corrija-o pela API, como a"
    " página dele explica."
)
_NO_FORM = "Este documento é emitido e corrigido só pela API."


@dataclass(frozen=True)
class IssueTask:
    """A document that a person is about to issue: a new one, or one to correct."""

    document_type: DocumentType
    form: IssueForm
    address: str
    """The page of the form, which also takes the form."""
    draft_key: FormKey
    document: DocumentRecord | None = None
    """The draft or rejected document to correct; None for a new one."""
    replaced: DocumentRecord | None = None
    """The authorized document that the new one replaces."""
    body: Any = None
    """The body of the document to correct or to replace."""

    @property
    def subject(self) -> DocumentRecord | None:
        """The document that the form begins with; None for a form that begins empty."""
        return self.document or self.replaced

    @property
    def title(self) -> str:
        """The heading of the page."""
        verb = "Corrigir e reenviar" if self.document else "Substituir" if self.replaced else "Emitir"
        number = self.subject.number if self.subject else None
        return f"{verb} {self.document_type.title}{'' if number is None else f' {number}'}"


async def choices(visit: CompanyVisit) -> Response:
    """Shows which documents are issued in a form, and the API calls that issue the others."""
    commands = {
        each.title: api_command(visit, "POST", f"/{each.collection}", smallest_body("create", each))
        for each in DOCUMENT_TYPES
        if not each.form
    }
    in_form = [each for each in DOCUMENT_TYPES if each.form]
    return page(visit, "issue/choices.html", in_form=in_form, commands=commands)


async def form(visit: CompanyVisit) -> Response:
    """Shows the form: as the person left it, or else with the document to correct or to replace."""
    task = await _task(visit)
    draft = await read_form_draft(visit.services.database, task.draft_key)
    if draft is not None:
        return await _show(visit, task, TypedForm(task.form.layout, draft.fields), draft=draft)
    return await _show(visit, task, TypedForm.of_body(task.form.layout, _first_body(task)), _rejection(task))


async def fill(visit: CompanyVisit) -> Response:
    """Shows the form again, after a button in it added, removed or filled something."""
    task, sent = await _task(visit), await visit.form()
    typed = await _filled(visit, task, posted_with_rows(task.form.layout, sent), sent)
    await _keep_draft(visit, task, typed)
    check = await _check(visit, task, typed)
    customers, items = await searches_of(visit, sent, task.form.item_type)
    return await _show(visit, task, typed, check=check, customers=customers, items=items)


async def check(visit: CompanyVisit) -> Response:
    """Checks the form as it is: totals, warnings and problems. Keeps it as a draft."""
    if visit.is_fragment and await was_sent(visit):
        return Response(status_code=_NO_CONTENT)
    task, sent = await _task(visit), await visit.form()
    typed = TypedForm.posted(task.form.layout, sent)
    await _keep_draft(visit, task, typed)
    result = await _check(visit, task, typed)
    if not visit.is_fragment:
        return await _show(visit, task, typed, check=result)
    return fragment(visit, "issue/check.html", check=result)


async def issue(visit: CompanyVisit) -> Response:
    """Issues the document of the form, or corrects it and sends it again."""
    task, sent = await _task(visit), await visit.form()
    typed = TypedForm.posted(task.form.layout, sent)
    await keep_form_draft(visit.services.database, task.draft_key, typed.texts)
    try:
        document = await (
            _issue_new(visit, task, typed) if task.document is None else _correct(visit, task, typed)
        )
    except Refusal as refusal:
        # A correction may be stored although the document could not be emitted: the version is read again.
        return await _show(visit, await _task(visit), typed, problems_of(refusal))
    await delete_form_draft(visit.services.database, task.draft_key)
    return redirect(f"{visit.company_base}/documentos/{document.id}")


async def discard(visit: CompanyVisit) -> Response:
    """Deletes the draft of the form."""
    task = await _task(visit)
    await delete_form_draft(visit.services.database, task.draft_key)
    return redirect(task.address)


async def _keep_draft(visit: CompanyVisit, task: IssueTask, typed: TypedForm) -> None:
    """Keeps what was typed. A check may arrive after its form was sent: that form has no draft any more."""
    form_id = await sent_form_id(visit)
    await keep_form_draft(visit.services.database, task.draft_key, typed.texts, unless_sent=form_id)


async def _task(visit: CompanyVisit) -> IssueTask:
    """Returns what the address asks for. Raises Refusal if people can't issue it in a form."""
    values, owner, company = visit.request.path_params, visit.subscription_id, visit.company
    if "type" in values:
        document_type = find_document_type(values["type"])
        if document_type is None or document_type.form is None:
            raise not_found(_NO_FORM)
        address = f"{visit.company_base}/emitir/{document_type.name}"
        key = FormKey(owner, company.id, visit.session.person.id, f"emitir/{document_type.name}")
        return IssueTask(document_type, document_type.form, address, key)
    is_correction = "document_id" in values
    document_id = UUID(values["document_id" if is_correction else "replaced_id"])
    document, body = await read_document_and_request(
        visit.services.database, DocumentReference(owner, document_id, company.id)
    )
    document_type = find_document_type(document.type)
    if document_type is None or document_type.form is None or not isinstance(body, dict):
        raise Refusal(ErrorCode.INVALID_STATE, _NO_FORM)
    if is_correction and document.status not in EMITTABLE:
        raise Refusal(ErrorCode.INVALID_STATE, "Só se corrigem rascunhos e documentos rejeitados.")
    if not is_correction and (document_type.replacement is None or document.status != Status.AUTHORIZED):
        raise Refusal(ErrorCode.INVALID_STATE, "Este documento não pode ser substituído.")
    rows = body.get(document_type.form.items.path, ()) if document_type.form.items else ()
    if len(rows) > MAX_ROWS:
        raise Refusal(ErrorCode.INVALID_STATE, _TOO_LONG)
    action = "corrigir" if is_correction else "substituir"
    address = f"{visit.company_base}/documentos/{document.id}/{action}"
    key = FormKey(owner, company.id, visit.session.person.id, f"{action}/{document.id}/{document.version}")
    subject = {"document": document} if is_correction else {"replaced": document}
    return IssueTask(document_type, document_type.form, address, key, **subject, body=body)


def _first_body(task: IssueTask) -> dict[str, Any]:
    """Returns the body with which a form begins; a replacement is a copy that names what it replaces."""
    replacement = task.document_type.replacement
    if task.replaced is None or replacement is None:
        return task.body or {}
    holder, _, name = replacement.path.rpartition(".")
    first = {name: value for name, value in task.body.items() if name not in ("externalId", holder)}
    return first | {holder: {name: str(task.replaced.id)}}


def _rejection(task: IssueTask) -> list[FormProblem]:
    rejection = task.document.rejection if task.document else None
    if rejection is None:
        return []
    return [FormProblem(rejection.field or "", f"{rejection.code}: {rejection.message}", rejection.hint)]


async def _filled(visit: CompanyVisit, task: IssueTask, typed: TypedForm, sent: FormData) -> TypedForm:
    """Returns the form with the customer or the item that a button chose."""
    layout, items = task.form.layout, task.form.items
    customer, item = await chosen_customer(visit, sent), await chosen_item(visit, sent)
    if customer is not None:
        texts = TypedForm.of_body(layout, task.form.customer(customer)).texts
        # What another customer left behind must not stay.
        cleared = {name: "" for name in typed.texts if name.partition(".")[0] in task.form.customer(customer)}
        typed = typed.with_texts(cleared | dict(texts))
    if item is not None and items is None:
        typed = typed.with_texts(TypedForm.of_body(layout, task.form.item(item)).texts)
    if item is not None and items is not None and typed.rows(items) < MAX_ROWS:
        entry = TypedForm.of_body(layout, {items.path: [task.form.item(item)]}).texts
        typed = typed.with_row(items, {name.partition("].")[2]: text for name, text in entry.items()})
    return typed


async def _check(visit: CompanyVisit, task: IssueTask, typed: TypedForm) -> TrialResult:
    try:
        trial = await try_order(visit.services.issuing, _order(visit, task, typed, None))
    except Refusal as refusal:
        return TrialResult((), (), view_form(typed, problems_of(refusal)))
    problems = [FormProblem(each.field, each.message, each.hint) for each in trial.problems]
    rejection = task.document.rejection if task.document else None
    if not problems and rejection and not rejection.retryable and not patch_between(task.body, typed.body):
        # The authority would refuse the same document again.
        problems = _rejection(task)
    warnings = [with_labels(warning, task.form.layout) for warning in trial.warnings]
    return TrialResult(total_rows(trial.totals or {}), warnings, view_form(typed, problems))


def _order(visit: CompanyVisit, task: IssueTask, typed: TypedForm, key: str | None) -> DocumentOrder:
    body = typed.body
    request = checked_body(task.document_type.issuing.request, body)
    subscription = visit.membership.subscription
    return DocumentOrder(subscription, visit.company, task.document_type, request, write_json(body), key)


async def _issue_new(visit: CompanyVisit, task: IssueTask, typed: TypedForm) -> DocumentRecord:
    """Issues a new document. The id of the form is its idempotency key."""
    key = f"painel-{text_of(await visit.form(), FORM_ID)}"
    accepted = await accept(visit.services.issuing, _order(visit, task, typed, key))
    return accepted.record


async def _correct(visit: CompanyVisit, task: IssueTask, typed: TypedForm) -> DocumentRecord:
    """Changes a draft or a rejected document, if anything changed, and emits it."""
    context, subscription, company = visit.services.issuing, visit.membership.subscription, visit.company
    if task.document is None:
        raise LookupError("there is no document to correct")
    reference = DocumentReference(visit.subscription_id, task.document.id, company.id)
    version = text_of(await visit.form(), "version")
    if version != str(task.document.version):
        raise Refusal(ErrorCode.VERSION_CONFLICT, currentVersion=task.document.version)
    patch = patch_between(task.body, typed.body)
    if patch:
        await change_document(context, subscription, company, reference, task.document.version, patch)
    return await emit_document(context, subscription, company, reference)


async def _show(
    visit: CompanyVisit,
    task: IssueTask,
    typed: TypedForm,
    problems: Sequence[FormProblem] = (),
    *,
    check: TrialResult | None = None,
    customers: Matches | None = None,
    items: Matches | None = None,
    draft: FormDraft | None = None,
) -> Response:
    view = view_form(typed, problems)
    is_refused = view.has_problems and visit.request.method == "POST"
    return page(
        visit,
        "issue/form.html",
        _UNPROCESSABLE if is_refused else 200,
        task=task,
        view=view,
        check=check,
        customers=customers,
        items=items,
        draft=draft,
        no_customer=NO_CUSTOMER,
        no_item=NO_ITEM,
        path=task.address.removeprefix(visit.company_base),
    )


_NEW, _CORRECTION = "/emitir/{type}", "/documentos/{document_id:uuid}/corrigir"
_REPLACEMENT = "/documentos/{replaced_id:uuid}/substituir"
_ISSUE = Capability.ISSUE_DOCUMENTS
ROUTES = (
    form_of(company_page("/emitir", _ISSUE, choices)),
    *(
        route
        for path in (_NEW, _CORRECTION, _REPLACEMENT)
        for route in (
            form_of(company_page(path, _ISSUE, form)),
            acting(company_page(path, _ISSUE, issue), LONG_FORM),
            filling(company_page(f"{path}/preencher", _ISSUE, fill)),
            filling(company_page(f"{path}/conferir", _ISSUE, check)),
            acting(company_page(f"{path}/descartar", _ISSUE, discard)),
        )
    ),
)
