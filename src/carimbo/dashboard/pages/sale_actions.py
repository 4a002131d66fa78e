"""Single actions on a sale: emitting its documents, cancelling them, and deleting the sale."""

from collections.abc import Sequence

from starlette.responses import Response

from carimbo.dashboard.action_form import ActionForm, action_page, refused_action_page
from carimbo.dashboard.body_form import TypedForm
from carimbo.dashboard.deadline_words import deadline_words
from carimbo.dashboard.filings import brief_filing, filing_problems
from carimbo.dashboard.form_view import FormProblem, view_form
from carimbo.dashboard.forms import checked_body
from carimbo.dashboard.notices import Notice, with_notice
from carimbo.dashboard.pages.sales import read_shown_sale
from carimbo.dashboard.rendering import redirect
from carimbo.dashboard.routes import acting, company_page, form_of
from carimbo.dashboard.shown import day, money
from carimbo.dashboard.visit import CompanyVisit
from carimbo.fiscal.lifecycle import EMITTABLE, Status
from carimbo.service.document_types import title_of
from carimbo.service.documents.queries import DocumentReference
from carimbo.service.errors import Refusal
from carimbo.service.filing.possible_events import read_possible_events
from carimbo.service.people.roles import Capability
from carimbo.service.sales.change import delete_sale
from carimbo.service.sales.emit import SaleCancellation, cancel_sale, emit_sale
from carimbo.service.sales.record import SaleInvoice, SaleRecord
from carimbo.service.sales.sale_form import CANCELLATION_FORM

_NOTHING_TO_EMIT = "Esta venda não tem documento a emitir."
_NOTHING_TO_CANCEL = "Esta venda não tem documento autorizado a cancelar."


async def emission(visit: CompanyVisit) -> Response:
    """Shows the documents that would be emitted."""
    return action_page(visit, _emission(visit, await read_shown_sale(visit)))


async def emit(visit: CompanyVisit) -> Response:
    """Emits the drafts and the rejected documents of a sale."""
    sale = await read_shown_sale(visit)
    subscription, company = visit.membership.subscription, visit.company
    try:
        await emit_sale(visit.services.issuing, subscription, company, sale.id)
    except Refusal as refusal:
        return refused_action_page(visit, _emission(visit, sale), refusal)
    return redirect(with_notice(_address(visit, sale), Notice.QUEUED))


async def cancellation(visit: CompanyVisit) -> Response:
    """Shows the documents that would be cancelled, with their deadlines."""
    sale = await read_shown_sale(visit)
    return await _cancellation_page(visit, sale, TypedForm(CANCELLATION_FORM, {}))


async def cancel(visit: CompanyVisit) -> Response:
    """Cancels the authorized documents; the page of the sale shows answers that are not here yet."""
    sale = await read_shown_sale(visit)
    typed = TypedForm.posted(CANCELLATION_FORM, await visit.form())
    try:
        body = checked_body(SaleCancellation, typed.body)
        _, is_pending = await cancel_sale(
            brief_filing(visit), visit.subscription_id, visit.company, sale.id, body
        )
    except Refusal as refusal:
        return await _cancellation_page(visit, sale, typed, filing_problems(refusal))
    notice = Notice.QUEUED if is_pending else Notice.REGISTERED
    return redirect(with_notice(_address(visit, sale), notice))


async def deletion(visit: CompanyVisit) -> Response:
    """Asks whether a sale should be deleted."""
    return action_page(visit, _deletion(visit, await read_shown_sale(visit)))


async def delete(visit: CompanyVisit) -> Response:
    """Deletes a sale without numbered documents."""
    sale = await read_shown_sale(visit)
    try:
        await delete_sale(visit.services.database, visit.subscription_id, visit.company.id, sale.id)
    except Refusal as refusal:
        return refused_action_page(visit, _deletion(visit, sale), refusal)
    return redirect(with_notice(f"{visit.company_base}/vendas", Notice.REMOVED))


def _emission(visit: CompanyVisit, sale: SaleRecord) -> ActionForm:
    documents = [document for document in sale.invoices if document.status in EMITTABLE]
    return ActionForm(
        title="Emitir os documentos da venda",
        sentence=(
            "Todos são emitidos agora, sem esperar a data agendada."
            if sale.scheduled_emit_at
            else "Todos são emitidos agora."
        ),
        button="Emitir",
        address=f"{_address(visit, sale)}/emitir",
        back=_address(visit, sale),
        back_label=_label(sale),
        facts=[(_title(document), money(document.amount)) for document in documents],
        warnings=() if documents else (_NOTHING_TO_EMIT,),
    )


async def _cancellation_page(
    visit: CompanyVisit, sale: SaleRecord, typed: TypedForm, problems: Sequence[FormProblem] = ()
) -> Response:
    documents = [document for document in sale.invoices if document.status == Status.AUTHORIZED]
    action = ActionForm(
        title="Cancelar os documentos da venda",
        sentence="Cada documento autorizado é cancelado na autoridade, e o cancelamento não se desfaz.",
        button="Cancelar os documentos",
        address=f"{_address(visit, sale)}/cancelar",
        back=_address(visit, sale),
        back_label=_label(sale),
        view=view_form(typed, problems),
        facts=[(_title(document), await _term_of(visit, document)) for document in documents],
        warnings=() if documents else (_NOTHING_TO_CANCEL,),
        is_dangerous=True,
    )
    return action_page(visit, action)


async def _term_of(visit: CompanyVisit, document: SaleInvoice) -> str:
    """Returns the amount of a document, and until when it can be cancelled."""
    reference = DocumentReference(visit.subscription_id, document.id, visit.company.id)
    events = await read_possible_events(visit.services.database, reference, visit.now)
    sentences = [f"{money(document.amount)}."]
    for event in events:
        if event.kind.effect.status is Status.CANCELED and event.reason:
            sentences.append(event.reason)
        elif event.kind.effect.status is Status.CANCELED and event.deadline:
            words = deadline_words(event.deadline, visit.now, visit.state)
            sentences.append(f"Prazo: {'. '.join(words)}")
    return " ".join(sentences)


def _deletion(visit: CompanyVisit, sale: SaleRecord) -> ActionForm:
    return ActionForm(
        title="Excluir a venda",
        sentence="A venda e os rascunhos dela são excluídos. O cliente e os itens continuam no catálogo.",
        button="Excluir",
        address=f"{_address(visit, sale)}/excluir",
        back=_address(visit, sale),
        back_label=_label(sale),
        facts=[("Valor", money(sale.amount))],
        is_dangerous=True,
    )


def _title(document: SaleInvoice) -> str:
    title = title_of(document.type)
    return title if document.number is None else f"{title} {document.number}"


def _label(sale: SaleRecord) -> str:
    return f"Venda de {day(sale.sale_date)}"


def _address(visit: CompanyVisit, sale: SaleRecord) -> str:
    return f"{visit.company_base}/vendas/{sale.id}"


_SALE = "/vendas/{sale_id:uuid}"
_ISSUE, _CANCEL = Capability.ISSUE_DOCUMENTS, Capability.CANCEL_DOCUMENTS
ROUTES = (
    form_of(company_page(f"{_SALE}/emitir", _ISSUE, emission)),
    acting(company_page(f"{_SALE}/emitir", _ISSUE, emit)),
    form_of(company_page(f"{_SALE}/cancelar", _CANCEL, cancellation)),
    acting(company_page(f"{_SALE}/cancelar", _CANCEL, cancel)),
    form_of(company_page(f"{_SALE}/excluir", _ISSUE, deletion)),
    acting(company_page(f"{_SALE}/excluir", _ISSUE, delete)),
)
