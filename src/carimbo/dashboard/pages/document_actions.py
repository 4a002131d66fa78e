"""Single actions on a document: emitting a draft or a rejected one, discarding it, and sending e-mails."""

import re
from collections.abc import Sequence
from dataclasses import replace

from starlette.responses import Response

from carimbo.dashboard.action_form import (
    ActionForm,
    action_page,
    refused_action_page,
    view_of_problems,
)
from carimbo.dashboard.body_form import TypedForm
from carimbo.dashboard.form_view import FormProblem, problems_of, view_form
from carimbo.dashboard.forms import checked_body
from carimbo.dashboard.notices import Notice, with_notice
from carimbo.dashboard.pages.document_state import ONE_DOCUMENT, address_of, name_of, reference_of
from carimbo.dashboard.rendering import redirect
from carimbo.dashboard.routes import acting, company_page, form_of
from carimbo.dashboard.visit import CompanyVisit
from carimbo.fiscal.body.fields import Body
from carimbo.fiscal.body.form_layout import FormField, FormLayout, FormSection
from carimbo.fiscal.lifecycle import EMITTABLE, Status
from carimbo.service.delivery.emails import EmailRequest
from carimbo.service.documents.queries import read_document
from carimbo.service.documents.record import DocumentRecord
from carimbo.service.errors import ErrorCode, Refusal
from carimbo.service.issuing.drafts import discard_document, emit_document
from carimbo.service.people.roles import Capability

_ADDRESSES = re.compile(r"[\s,;]+")
_NOT_EMITTABLE = "Só se emitem rascunhos e documentos rejeitados."
_EMIT_DRAFT = "O documento é numerado, assinado e enviado à autoridade, como está na página dele."
_EMIT_AGAIN = "O mesmo pedido é enviado de novo à autoridade; se o documento já tem número, conserva-o."


class EmailAddresses(Body):
    """The recipients of an e-mail as people type them, in a line."""

    to: str | None = None


_EMAIL_FORM = FormLayout(
    body=EmailAddresses,
    sections=(
        FormSection(
            title="Destinatários",
            parts=(
                FormField(
                    path="to",
                    label="Para",
                    hint="Em branco, vai para o e-mail do destinatário. Separe vários endereços com vírgula.",
                ),
            ),
        ),
    ),
)


async def emission(visit: CompanyVisit) -> Response:
    """Asks whether a draft or a rejected document should be sent to the authority."""
    record = await _record(visit)
    if record.status not in EMITTABLE:
        raise Refusal(ErrorCode.INVALID_STATE, _NOT_EMITTABLE)
    return _emission_page(visit, record)


async def emit(visit: CompanyVisit) -> Response:
    """Sends a draft or a rejected document to the authority."""
    context, subscription = visit.services.issuing, visit.membership.subscription
    try:
        await emit_document(context, subscription, visit.company, reference_of(visit))
    except Refusal as refusal:
        return _emission_page(visit, await _record(visit), _problems_of_document(refusal))
    return redirect(with_notice(address_of(visit), Notice.QUEUED))


async def discarding(visit: CompanyVisit) -> Response:
    """Asks whether a draft, or a rejected document without a number, should be discarded."""
    return action_page(visit, await _discarding(visit))


async def discard(visit: CompanyVisit) -> Response:
    """Discards a document; no authority knows it."""
    try:
        await discard_document(visit.services.database, reference_of(visit))
    except Refusal as refusal:
        return refused_action_page(visit, await _discarding(visit), refusal)
    return redirect(with_notice(f"{visit.company_base}/documentos", Notice.REMOVED))


async def email_form(visit: CompanyVisit) -> Response:
    """Asks to whom a document should be sent."""
    return _email_page(visit, await _record(visit), TypedForm(_EMAIL_FORM, {}))


async def send_email(visit: CompanyVisit) -> Response:
    """Queues an e-mail with the document; its page shows what became of it."""
    typed = TypedForm.posted(_EMAIL_FORM, await visit.form())
    try:
        addresses = [each for each in _ADDRESSES.split(typed.texts.get("to", "")) if each]
        request = checked_body(EmailRequest, {"to": addresses} if addresses else {})
        await visit.services.outbox.ask(reference_of(visit), request)
    except Refusal as refusal:
        problems = [replace(each, path="to" if each.path else "") for each in problems_of(refusal)]
        return _email_page(visit, await _record(visit), typed, problems)
    return redirect(with_notice(f"{address_of(visit)}#emails", Notice.EMAIL_QUEUED))


def _emission_page(
    visit: CompanyVisit, record: DocumentRecord, problems: Sequence[FormProblem] = ()
) -> Response:
    is_draft = record.status == Status.PENDING
    action = ActionForm(
        title=f"{'Emitir' if is_draft else 'Emitir de novo'}: {name_of(record)}",
        sentence=_EMIT_DRAFT if is_draft else _EMIT_AGAIN,
        button="Emitir",
        address=f"{address_of(visit)}/emitir",
        back=address_of(visit),
        back_label=name_of(record),
        view=view_of_problems(problems),
    )
    return action_page(visit, action)


async def _discarding(visit: CompanyVisit) -> ActionForm:
    record = await _record(visit)
    return ActionForm(
        title=f"Descartar: {name_of(record)}",
        sentence=(
            "O documento deixa de existir, com a sua história; o número dele no seu sistema fica livre para"
            " outro pedido."
        ),
        button="Descartar",
        address=f"{address_of(visit)}/descartar",
        back=address_of(visit),
        back_label=name_of(record),
        is_dangerous=True,
    )


def _email_page(
    visit: CompanyVisit, record: DocumentRecord, typed: TypedForm, problems: Sequence[FormProblem] = ()
) -> Response:
    action = ActionForm(
        title=f"Enviar por e-mail: {name_of(record)}",
        sentence="O XML e o PDF do documento seguem anexados.",
        button="Enviar",
        address=f"{address_of(visit)}/email",
        back=address_of(visit),
        back_label=name_of(record),
        view=view_form(typed, problems),
    )
    return action_page(visit, action)


def _problems_of_document(refusal: Refusal) -> list[FormProblem]:
    """Returns the problems of a document that this page has no inputs for: each names its field."""
    return [
        replace(each, path="", text=f"{each.path}: {each.text}" if each.path else each.text)
        for each in problems_of(refusal)
    ]


async def _record(visit: CompanyVisit) -> DocumentRecord:
    return await read_document(visit.services.database, reference_of(visit))


_ISSUE, _SEND = Capability.ISSUE_DOCUMENTS, Capability.SEND_DOCUMENTS
ROUTES = (
    form_of(company_page(f"{ONE_DOCUMENT}/emitir", _ISSUE, emission)),
    acting(company_page(f"{ONE_DOCUMENT}/emitir", _ISSUE, emit)),
    form_of(company_page(f"{ONE_DOCUMENT}/descartar", _ISSUE, discarding)),
    acting(company_page(f"{ONE_DOCUMENT}/descartar", _ISSUE, discard)),
    form_of(company_page(f"{ONE_DOCUMENT}/email", _SEND, email_form)),
    acting(company_page(f"{ONE_DOCUMENT}/email", _SEND, send_email)),
)
