"""Imports of a company: CSV files of customers, products and sales, their progress and the refused lines."""

from collections.abc import Mapping, Sequence
from uuid import UUID

from starlette.datastructures import UploadFile
from starlette.responses import Response

from carimbo.dashboard.action_form import ActionForm, action_page, refused_action_page
from carimbo.dashboard.body_form import TypedForm
from carimbo.dashboard.csv_download import csv_response
from carimbo.dashboard.form_view import FormProblem, problems_of, view_form
from carimbo.dashboard.rendering import attachment, page, redirect
from carimbo.dashboard.routes import acting, company_page, form_of
from carimbo.dashboard.security import FILE_FORM
from carimbo.dashboard.shown import Badge, badges, whole
from carimbo.dashboard.visit import CompanyVisit
from carimbo.fiscal.body.fields import Body
from carimbo.fiscal.body.form_layout import FieldKind, FormField, FormLayout, FormSection
from carimbo.service.errors import ErrorCode, Refusal, invalid_field, not_found
from carimbo.service.imports.columns import template_of
from carimbo.service.imports.reading import MAX_BYTES, MAX_LINES
from carimbo.service.imports.refused_lines import refused_lines_file
from carimbo.service.imports.run import (
    ImportRecord,
    cancel_import,
    list_import_problems,
    list_imports,
    read_import,
    start_import,
)
from carimbo.service.people.roles import Capability
from carimbo.service.words import IMPORT_KINDS, IMPORT_STATES
from carimbo.storage.imports import MAX_STORED_PROBLEMS, ImportKind, ImportState

_KIND, _FILE = "kind", "file"
_NO_FILE = "Escolha o arquivo CSV."
_NEEDED: Mapping[ImportKind, Capability] = {
    ImportKind.CUSTOMERS: Capability.CHANGE_CATALOG,
    ImportKind.PRODUCTS: Capability.CHANGE_CATALOG,
    ImportKind.SALES: Capability.ISSUE_DOCUMENTS,
}
_TEMPLATES: Mapping[str, str] = {
    ImportKind.CUSTOMERS: "modelo-clientes.csv",
    ImportKind.PRODUCTS: "modelo-produtos.csv",
    ImportKind.SALES: "modelo-vendas.csv",
}
_BADGES = badges(
    IMPORT_STATES,
    {ImportState.PROCESSING: "busy", ImportState.FINISHED: "good", ImportState.CANCELED: "quiet"},
)
_PARKED = Badge("Parada por falhas", "bad")


class ImportUpload(Body):
    """The inputs of the form."""

    kind: ImportKind
    file: str


async def imports(visit: CompanyVisit) -> Response:
    """Lists the imports of a company, with the form for another one."""
    kind = visit.choice("tipo", ImportKind)
    return await _imports_page(visit, TypedForm(_upload_form(visit), {_KIND: kind} if kind else {}))


async def upload(visit: CompanyVisit) -> Response:
    """Checks a file as a whole, and queues it."""
    form = await visit.form()
    file, typed = form.get(_FILE), TypedForm.posted(_upload_form(visit), form)
    try:
        kind = _kind(visit, typed.texts.get(_KIND, ""))
        if not isinstance(file, UploadFile) or not file.filename:
            raise invalid_field(_FILE, _NO_FILE)
        record = await start_import(
            visit.services.database,
            visit.subscription_id,
            visit.company.id,
            kind,
            file.filename,
            await file.read(),
        )
    except Refusal as refusal:
        if refusal.code is not ErrorCode.VALIDATION_ERROR:
            raise
        return await _imports_page(visit, typed, problems_of(refusal))
    return redirect(_address(visit, record.id))


async def template(visit: CompanyVisit) -> Response:
    """Sends the file with the titles of a kind and an example."""
    kind = visit.request.path_params["kind"]
    if kind not in _TEMPLATES:
        raise not_found("Não há modelo deste arquivo.")
    return attachment(template_of(kind), "text/csv; charset=utf-8", _TEMPLATES[kind])


async def progress(visit: CompanyVisit) -> Response:
    """Shows how far an import is, and its refused lines."""
    database, import_id = visit.services.database, _import_id(visit)
    record = await read_import(database, visit.subscription_id, visit.company.id, import_id)
    problems = await list_import_problems(
        database, visit.subscription_id, visit.company.id, import_id, visit.page_request
    )
    return page(
        visit,
        "imports/progress.html",
        record=record,
        problems=problems,
        results=_results(record),
        badge_of_import=_badge(record),
        kinds=IMPORT_KINDS,
        max_problems=MAX_STORED_PROBLEMS,
    )


async def refused_lines(visit: CompanyVisit) -> Response:
    """Sends the refused lines as a file that can be corrected and imported again."""
    file = await refused_lines_file(
        visit.services.database, visit.subscription_id, visit.company.id, _import_id(visit)
    )
    return csv_response(file)


async def cancellation(visit: CompanyVisit) -> Response:
    """Asks whether the rest of an import should be canceled."""
    return action_page(visit, await _cancellation(visit))


async def cancel(visit: CompanyVisit) -> Response:
    """Cancels the rest of an import."""
    import_id = _import_id(visit)
    try:
        await cancel_import(visit.services.database, visit.subscription_id, visit.company.id, import_id)
    except Refusal as refusal:
        if refusal.code is not ErrorCode.INVALID_STATE:
            raise
        return refused_action_page(visit, await _cancellation(visit), refusal)
    return redirect(_address(visit, import_id))


async def _cancellation(visit: CompanyVisit) -> ActionForm:
    record = await read_import(
        visit.services.database, visit.subscription_id, visit.company.id, _import_id(visit)
    )
    address = _address(visit, record.id)
    return ActionForm(
        title="Cancelar a importação",
        sentence="As linhas que faltam não são importadas. O que já foi importado fica.",
        button="Cancelar a importação",
        address=f"{address}/cancelar",
        back=address,
        back_label=record.file_name,
        facts=[("Linhas lidas", f"{record.lines_done} de {record.lines_total}")],
        is_dangerous=True,
    )


async def _imports_page(
    visit: CompanyVisit, typed: TypedForm, problems: Sequence[FormProblem] = ()
) -> Response:
    records = await list_imports(
        visit.services.database, visit.subscription_id, visit.company.id, visit.page_request
    )
    return page(
        visit,
        "imports/list.html",
        422 if problems else 200,
        records=records,
        badges_of_imports={record.id: _badge(record) for record in records.items},
        kinds=IMPORT_KINDS,
        templates=[(kind, IMPORT_KINDS[kind]) for kind in _kinds_of(visit)],
        view=view_form(typed, problems),
    )


def _upload_form(visit: CompanyVisit) -> FormLayout:
    kind = FormField(
        path=_KIND,
        label="O que o arquivo tem",
        options=tuple((kind.value, IMPORT_KINDS[kind]) for kind in _kinds_of(visit)),
        blank="Escolha",
    )
    file = FormField(
        path=_FILE,
        label="Arquivo CSV",
        kind=FieldKind.FILE,
        accept=".csv,text/csv",
        hint=f"Até {MAX_BYTES // 1024**2} MB e {whole(MAX_LINES)} linhas.",
    )
    return FormLayout(body=ImportUpload, sections=(FormSection(title="Arquivo", parts=(kind, file)),))


def _kinds_of(visit: CompanyVisit) -> list[ImportKind]:
    """Returns the kinds that the person may import."""
    return [kind for kind, capability in _NEEDED.items() if visit.may(capability)]


def _kind(visit: CompanyVisit, text: str) -> ImportKind:
    """Returns the kind that a person chose. Refuses one that they may not import."""
    kind = next((kind for kind in ImportKind if kind == text), None)
    if kind is None:
        raise invalid_field(_KIND, "Escolha o que o arquivo tem.")
    if kind not in _kinds_of(visit):
        raise Refusal(ErrorCode.PERMISSION_DENIED, "Seu papel não permite importar este tipo de arquivo.")
    return kind


def _badge(record: ImportRecord) -> Badge:
    return _PARKED if record.is_parked else _BADGES[record.state]


def _results(record: ImportRecord) -> Sequence[tuple[str, int]]:
    """Returns the counts of an import, with their labels."""
    match record.kind:
        case ImportKind.CUSTOMERS:
            counts = [("Clientes cadastrados", record.created), ("Clientes alterados", record.changed)]
        case ImportKind.PRODUCTS:
            counts = [("Itens cadastrados", record.created), ("Itens alterados", record.changed)]
        case ImportKind.SALES:
            counts = [("Vendas registradas", record.created), ("Vendas que já existiam", record.unchanged)]
    return [*counts, ("Linhas recusadas", record.refused)]


def _import_id(visit: CompanyVisit) -> UUID:
    return UUID(visit.request.path_params["import_id"])


def _address(visit: CompanyVisit, import_id: UUID) -> str:
    return f"{visit.company_base}/importacoes/{import_id}"


_ONE = "/importacoes/{import_id:uuid}"
_CHANGE = Capability.CHANGE_CATALOG
ROUTES = (
    company_page("/importacoes", _CHANGE, imports),
    acting(company_page("/importacoes", _CHANGE, upload), FILE_FORM),
    company_page("/importacoes/modelo/{kind}", _CHANGE, template),
    company_page(_ONE, _CHANGE, progress),
    company_page(f"{_ONE}/recusadas", _CHANGE, refused_lines),
    form_of(company_page(f"{_ONE}/cancelar", _CHANGE, cancellation)),
    acting(company_page(f"{_ONE}/cancelar", _CHANGE, cancel)),
)
