"""What a company does about received documents: statements, following a distribution, and importing files."""

from collections.abc import Sequence
from typing import Any

from starlette.datastructures import UploadFile
from starlette.responses import Response

from carimbo.dashboard.action_form import ActionForm, action_page, refused_action_page
from carimbo.dashboard.body_form import TypedForm
from carimbo.dashboard.filings import brief_filing, filing_problems
from carimbo.dashboard.form_view import FormProblem, problems_of, view_form
from carimbo.dashboard.forms import checked_body
from carimbo.dashboard.notices import Notice, with_notice
from carimbo.dashboard.pages.received_document import (
    ONE_RECEIVED,
    received_address,
    received_name,
    received_reference,
)
from carimbo.dashboard.rendering import redirect
from carimbo.dashboard.routes import acting, company_page, form_of
from carimbo.dashboard.security import FILE_FORM
from carimbo.dashboard.shown import distance, moment
from carimbo.dashboard.visit import CompanyVisit
from carimbo.fiscal.body.fields import Body
from carimbo.fiscal.body.form_layout import FieldKind, FormField
from carimbo.fiscal.document_type import DocumentType
from carimbo.fiscal.event_forms import event_form
from carimbo.service.document_types import RECEIVED_TYPES
from carimbo.service.errors import ErrorCode, Refusal, invalid_field, not_found
from carimbo.service.filing.outcome import FilingStatus
from carimbo.service.people.roles import Capability
from carimbo.service.receiving.importing import import_received
from carimbo.service.receiving.manifest import manifest
from carimbo.service.receiving.possible_statements import PossibleStatement, read_possible_statements
from carimbo.service.receiving.queries import read_received
from carimbo.service.receiving.sync import stop_sync, sync

_UNKNOWN_STATEMENT = "Este documento não tem esta manifestação."
_NO_FILE = "Escolha o arquivo XML."


class ImportedFile(Body):
    """The file that a person imports; the form sends its content."""

    file: str | None = None


_FILE_FORM = event_form(
    ImportedFile,
    FormField(
        path="file",
        label="Arquivo XML",
        kind=FieldKind.FILE,
        accept=".xml,text/xml,application/xml",
        is_required=True,
        hint="O documento com o seu protocolo, como o emitente o enviou.",
    ),
)


async def statement_form(visit: CompanyVisit) -> Response:
    """Shows the form of a statement."""
    statement = await _statement(visit)
    if statement.reason:
        raise Refusal(ErrorCode.INVALID_STATE, statement.reason)
    return await _statement_page(visit, statement, TypedForm(statement.kind.form, {}))


async def make_statement(visit: CompanyVisit) -> Response:
    """Makes a statement; the page of the document shows the authority's answer if it is not here yet."""
    statement, which = await _statement(visit), received_reference(visit)
    kind, typed = statement.kind, TypedForm.posted(statement.kind.form, await visit.form())
    try:
        body: dict[str, Any] = {**typed.body, **kind.constant_fields}
        record = await manifest(
            brief_filing(visit), visit.company, which, kind.name, checked_body(kind.request, body)
        )
    except Refusal as refusal:
        return await _statement_page(visit, statement, typed, filing_problems(refusal))
    is_open = record.manifestation_status is FilingStatus.PROCESSING
    return redirect(with_notice(received_address(visit), Notice.QUEUED if is_open else Notice.REGISTERED))


async def _statement(visit: CompanyVisit) -> PossibleStatement:
    statements = await read_possible_statements(
        visit.services.issuing, visit.company, received_reference(visit)
    )
    name = visit.request.path_params["kind"]
    statement = next((each for each in statements if each.kind.name == name), None)
    if statement is None:
        raise not_found(_UNKNOWN_STATEMENT)
    return statement


async def _statement_page(
    visit: CompanyVisit,
    statement: PossibleStatement,
    typed: TypedForm,
    problems: Sequence[FormProblem] = (),
) -> Response:
    record = await read_received(visit.services.database, received_reference(visit))
    kind, deadline, address = statement.kind, statement.deadline, received_address(visit)
    term = f"até {moment(deadline, visit.state)} ({distance(deadline, visit.now)})" if deadline else ""
    action = ActionForm(
        title=f"{kind.description}: {received_name(record)}",
        sentence=kind.explanation,
        button=kind.action,
        address=f"{address}/manifestar/{kind.name}",
        back=address,
        back_label=received_name(record),
        view=view_form(typed, problems),
        facts=(("Emitente", record.issuer.name), *((("Prazo", term),) if term else ())),
        is_dangerous=kind.denies,
    )
    return action_page(visit, action)


async def following(visit: CompanyVisit) -> Response:
    """Asks whether the company should receive the documents of a type."""
    return action_page(visit, _following(visit, _type_of(visit)))


async def follow(visit: CompanyVisit) -> Response:
    """Follows a distribution, and asks the authority as soon as it allows that."""
    document_type = _type_of(visit)
    try:
        await sync(visit.services.issuing, visit.subscription_id, visit.company, document_type)
    except Refusal as refusal:
        return refused_action_page(visit, _following(visit, document_type), refusal)
    return redirect(with_notice(_list_address(visit, document_type), Notice.QUEUED))


def _following(visit: CompanyVisit, document_type: DocumentType) -> ActionForm:
    return ActionForm(
        title=f"Receber {document_type.plural_with_article}",
        sentence=(
            f"O carimbo pede à autoridade {document_type.plural_with_article} que outros emitem para a"
            " empresa, assim que ela permite, e depois sozinho, de hora em hora."
        ),
        button="Consultar",
        address=f"{visit.company_base}/recebidos/{document_type.name}/acompanhar",
        back=_list_address(visit, document_type),
        back_label="Recebidos",
        warnings=("A autoridade bloqueia por uma hora quem consulta o mesmo CNPJ em dois programas.",),
    )


async def stopping(visit: CompanyVisit) -> Response:
    """Asks whether the company should not receive the documents of a type any more."""
    document_type = _type_of(visit)
    action = ActionForm(
        title=f"Parar de receber {document_type.plural_with_article}",
        sentence="O carimbo deixa de consultar a autoridade por esta empresa; o que já chegou fica.",
        button="Parar",
        address=f"{visit.company_base}/recebidos/{document_type.name}/parar",
        back=_list_address(visit, document_type),
        back_label="Recebidos",
        is_dangerous=True,
    )
    return action_page(visit, action)


async def stop(visit: CompanyVisit) -> Response:
    """Stops following a distribution."""
    document_type = _type_of(visit)
    await stop_sync(visit.services.issuing, visit.subscription_id, visit.company, document_type)
    return redirect(with_notice(_list_address(visit, document_type), Notice.SAVED))


async def import_form(visit: CompanyVisit) -> Response:
    """Asks for the XML of a document."""
    return _import_page(visit, _type_of(visit))


async def import_file(visit: CompanyVisit) -> Response:
    """Puts the document of a file into the inbox, and shows it."""
    document_type, file = _type_of(visit), (await visit.form()).get("file")
    owner, company = visit.subscription_id, visit.company
    try:
        if not isinstance(file, UploadFile) or not file.size:
            raise invalid_field("file", _NO_FILE)
        xml = await file.read()
        record = await import_received(visit.services.issuing, owner, company, document_type, xml)
    except Refusal as refusal:
        return _import_page(visit, document_type, problems_of(refusal))
    address = f"{visit.company_base}/recebidos/{record.type}/{record.id}"
    return redirect(with_notice(address, Notice.CREATED))


def _import_page(
    visit: CompanyVisit, document_type: DocumentType, problems: Sequence[FormProblem] = ()
) -> Response:
    action = ActionForm(
        title=f"Importar {document_type.singular_with_article}",
        sentence=(
            "Para o que a autoridade não envia mais, como o que tem mais de 90 dias, ou o que a própria"
            " empresa emitiu em outro programa; o arquivo completa o resumo que já houver."
        ),
        button="Importar",
        address=f"{visit.company_base}/recebidos/{document_type.name}/importar",
        back=_list_address(visit, document_type),
        back_label="Recebidos",
        view=view_form(TypedForm(_FILE_FORM, {}), problems),
        takes_file=True,
    )
    return action_page(visit, action)


def _type_of(visit: CompanyVisit) -> DocumentType:
    name = visit.request.path_params["type"]
    document_type = next((received for received in RECEIVED_TYPES if received.name == name), None)
    if document_type is None:
        raise not_found("Este tipo de documento não é recebido.")
    return document_type


def _list_address(visit: CompanyVisit, document_type: DocumentType) -> str:
    return f"{visit.company_base}/recebidos?tipo={document_type.name}"


_TYPE, _STATEMENT = "/recebidos/{type}", f"{ONE_RECEIVED}/manifestar/{{kind}}"
_MANIFEST = Capability.MANIFEST_RECEIVED
ROUTES = (
    form_of(company_page(f"{_TYPE}/acompanhar", _MANIFEST, following)),
    acting(company_page(f"{_TYPE}/acompanhar", _MANIFEST, follow)),
    form_of(company_page(f"{_TYPE}/parar", _MANIFEST, stopping)),
    acting(company_page(f"{_TYPE}/parar", _MANIFEST, stop)),
    form_of(company_page(f"{_TYPE}/importar", _MANIFEST, import_form)),
    acting(company_page(f"{_TYPE}/importar", _MANIFEST, import_file), FILE_FORM),
    form_of(company_page(_STATEMENT, _MANIFEST, statement_form)),
    acting(company_page(_STATEMENT, _MANIFEST, make_statement)),
)
