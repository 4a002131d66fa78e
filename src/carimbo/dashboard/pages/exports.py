"""Exports of a company: the archive of a month, links to it for the accountant, and the monthly e-mail."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from uuid import UUID

from starlette.datastructures import FormData
from starlette.responses import Response

from carimbo.dashboard.forms import checked_body, text_of
from carimbo.dashboard.rendering import page, redirect, streamed_attachment
from carimbo.dashboard.routes import POST, acting, company_page
from carimbo.dashboard.shown import Badge
from carimbo.dashboard.submissions import new_secret, redirect_with_secret
from carimbo.dashboard.visit import CompanyVisit, Visit
from carimbo.service.errors import Refusal, not_found
from carimbo.service.exports.links import (
    ExportState,
    MonthlyExport,
    OpenedExport,
    create_export_link,
    export_address,
    list_export_links,
    read_export,
    revoke_export_link,
    start_export,
    stream_export,
)
from carimbo.service.exports.month import (
    ArchiveSize,
    ExportContent,
    count_archive,
    estimated_bytes,
    selectable_months,
    usual_month,
)
from carimbo.service.exports.schedules import (
    LAST_DAY,
    ScheduleBody,
    delete_schedule,
    read_schedule,
    save_schedule,
)
from carimbo.service.listing import Page
from carimbo.service.people.roles import Capability
from carimbo.service.words import month_name

CONTENTS: Mapping[str, str] = {
    ExportContent.XML: "Só XML",
    ExportContent.XML_AND_PDF: "XML e PDF",
}
_STATES: Mapping[str, Badge] = {
    ExportState.CREATED: Badge("Começando", "busy"),
    ExportState.STREAMING: Badge("Baixando", "busy"),
    ExportState.FINISHED: Badge("Pronto", "good"),
    ExportState.INTERRUPTED: Badge("Interrompido", "bad"),
}
_LINK_DAYS = [("7", "7 dias"), ("15", "15 dias"), ("30", "30 dias"), ("60", "60 dias"), ("90", "90 dias")]
_USUAL_DAY = 5
_MAX_DIGITS = 9


@dataclass(frozen=True)
class ScheduleForm:
    """The form of the monthly e-mail: what is stored, or what was typed and refused."""

    day: str
    recipients: str
    content: str


@dataclass(frozen=True, kw_only=True)
class MailStatus:
    """Whether the monthly e-mail is sent, and how the last one went."""

    is_on: bool
    last_month: date | None
    last_error: str | None


@dataclass(frozen=True, kw_only=True)
class ShownLink:
    """A link in the list."""

    export: MonthlyExport
    badge: Badge
    is_valid: bool


@dataclass(frozen=True, kw_only=True)
class ExportsPage:
    """Everything that the page of exports shows."""

    month: date
    content: ExportContent
    size: ArchiveSize
    estimated_bytes: int
    links: Page[ShownLink]
    form: ScheduleForm
    mail: MailStatus


async def exports(visit: CompanyVisit) -> Response:
    """Shows what a month has, the links, and the monthly e-mail."""
    return await _exports_page(visit)


async def start(visit: CompanyVisit) -> Response:
    """Starts the download of a month."""
    form = await visit.form()
    try:
        opened = await start_export(
            visit.services.database,
            visit.subscription_id,
            visit.company.id,
            _month(visit, text_of(form, "mes")),
            _content(text_of(form, "conteudo")),
            visit.now,
        )
    except Refusal as refusal:
        return await _exports_page(visit, refusal, form)
    return redirect(f"{_base(visit)}/{opened.export.id}")


async def progress(visit: CompanyVisit) -> Response:
    """Shows how far a download is; the page also starts it."""
    export = await _export(visit)
    return page(
        visit,
        "exports/progress.html",
        export=export,
        badge_of_export=_STATES[export.state],
        contents=CONTENTS,
    )


async def archive(visit: CompanyVisit) -> Response:
    """Sends the ZIP file while it is made."""
    export = await _export(visit)
    if not export.is_valid(visit.machine_time):
        raise not_found("Esta exportação venceu: comece outra na página Exportações.")
    opened = OpenedExport(visit.subscription_id, visit.company, export)
    return archive_response(visit, opened)


def archive_response(visit: Visit, opened: OpenedExport) -> Response:
    """Returns the ZIP file, which is made while it is sent. Refuses it while too many are sent."""
    pieces = stream_export(visit.services.database, visit.services.printouts, opened, visit.now)
    stream = visit.services.archive_streams.open(opened.subscription_id, opened.export.id, pieces)
    return streamed_attachment(stream, "application/zip", opened.file_name)


async def create_link(visit: CompanyVisit) -> Response:
    """Creates a link, and leads to the page that shows it: only the hash of its token is stored."""
    form = await visit.form()
    days = text_of(form, "dias")
    try:
        new = await create_export_link(
            visit.services.database,
            visit.subscription_id,
            visit.company.id,
            _month(visit, text_of(form, "mes")),
            _content(text_of(form, "conteudo")),
            int(days) if days in dict(_LINK_DAYS) else 0,
            visit.now,
        )
    except Refusal as refusal:
        return await _exports_page(visit, refusal, form)
    address = export_address(visit.services.sign_in.link_base, new.token)
    return await redirect_with_secret(visit, f"{_base(visit)}/links/{new.export.id}", address)


async def new_link(visit: CompanyVisit) -> Response:
    """Shows a link that was just created."""
    address = await new_secret(visit)
    if address is None:
        return redirect(f"{_base(visit)}#links")
    return page(
        visit, "exports/new_link.html", export=await _export(visit), address=address, contents=CONTENTS
    )


async def revoke_link(visit: CompanyVisit) -> Response:
    """Revokes a link."""
    await revoke_export_link(
        visit.services.database, visit.subscription_id, visit.company.id, _export_id(visit)
    )
    return redirect(f"{_base(visit)}#links")


async def save_mail(visit: CompanyVisit) -> Response:
    """Stores the monthly e-mail."""
    form = await visit.form()
    try:
        await save_schedule(
            visit.services.database,
            visit.subscription_id,
            visit.company.id,
            _schedule_body(form),
            visit.now,
            sends_email=visit.services.outbox.is_open,
        )
    except Refusal as refusal:
        return await _exports_page(visit, refusal, form)
    return redirect(f"{_base(visit)}#envio")


async def stop_mail(visit: CompanyVisit) -> Response:
    """Stops the monthly e-mail."""
    await delete_schedule(visit.services.database, visit.subscription_id, visit.company.id)
    return redirect(f"{_base(visit)}#envio")


async def _exports_page(
    visit: CompanyVisit, problem: Refusal | None = None, form: FormData | None = None
) -> Response:
    months = selectable_months(visit.company, visit.now)
    return page(
        visit,
        "exports/overview.html",
        422 if problem else 200,
        problem=problem,
        view=await _overview(visit, form),
        month_options=[(f"{month:%Y-%m}", month_name(month)) for month in months],
        contents=CONTENTS,
        link_days=_LINK_DAYS,
        days=[(str(day), str(day)) for day in range(1, LAST_DAY + 1)],
        sends_email=visit.services.outbox.is_open,
    )


async def _overview(visit: CompanyVisit, form: FormData | None) -> ExportsPage:
    """Reads the page; `form` is a form that was refused: it keeps what was typed."""
    database, company = visit.services.database, visit.company
    month = _month(visit, visit.filter("mes") or (text_of(form, "mes") if form else None))
    content = _content(visit.filter("conteudo") or (text_of(form, "conteudo") if form else None))
    size = await count_archive(database, visit.subscription_id, company, month, content)
    now = visit.machine_time
    links = await list_export_links(database, visit.subscription_id, company.id, visit.page_request, now)
    schedule = await read_schedule(database, visit.subscription_id, company.id)
    stored = ScheduleForm(str(_USUAL_DAY), "", ExportContent.XML)
    if schedule:
        stored = ScheduleForm(str(schedule.day), "\n".join(schedule.recipients), schedule.content)
    is_refused = form is not None and "destinatarios" in form
    return ExportsPage(
        month=month,
        content=content,
        size=size,
        estimated_bytes=estimated_bytes(size, content),
        links=Page([_shown_link(visit, link) for link in links.items], links.total, links.request),
        form=_typed(form) if form is not None and is_refused else stored,
        mail=MailStatus(
            is_on=schedule is not None and schedule.is_active,
            last_month=schedule.last_sent_month if schedule else None,
            last_error=schedule.last_error if schedule else None,
        ),
    )


def _month(visit: CompanyVisit, text: str | None) -> date:
    months = selectable_months(visit.company, visit.now)
    usual = usual_month(visit.company, visit.now)
    return next((month for month in months if f"{month:%Y-%m}" == text), usual)


def _content(text: str | None) -> ExportContent:
    return ExportContent(text) if text and text in CONTENTS else ExportContent.XML


def _shown_link(visit: CompanyVisit, export: MonthlyExport) -> ShownLink:
    if export.is_valid(visit.machine_time):
        return ShownLink(export=export, badge=Badge("Vale", "good"), is_valid=True)
    badge = Badge("Revogado", "quiet") if export.revoked_at else Badge("Venceu", "quiet")
    return ShownLink(export=export, badge=badge, is_valid=False)


def _typed(form: FormData) -> ScheduleForm:
    return ScheduleForm(text_of(form, "dia"), text_of(form, "destinatarios"), text_of(form, "conteudo"))


def _schedule_body(form: FormData) -> ScheduleBody:
    typed = _typed(form)
    is_number = typed.day.isascii() and typed.day.isdigit() and len(typed.day) <= _MAX_DIGITS
    recipients = typed.recipients.replace(",", " ").replace(";", " ").split()
    fields = {
        "day": int(typed.day) if is_number else typed.day,
        "recipients": recipients,
        "content": _content(typed.content),
    }
    return checked_body(ScheduleBody, fields)


async def _export(visit: CompanyVisit) -> MonthlyExport:
    return await read_export(
        visit.services.database,
        visit.subscription_id,
        visit.company.id,
        _export_id(visit),
        visit.machine_time,
    )


def _export_id(visit: CompanyVisit) -> UUID:
    return UUID(visit.request.path_params["export_id"])


def _base(visit: CompanyVisit) -> str:
    return f"{visit.company_base}/exportacoes"


_ONE = "/exportacoes/{export_id:uuid}"
ROUTES = (
    company_page("/exportacoes", Capability.EXPORT, exports),
    company_page("/exportacoes/baixar", Capability.EXPORT, start, POST),
    acting(company_page("/exportacoes/links", Capability.EXPORT, create_link, is_sensitive=True)),
    company_page("/exportacoes/links/{export_id:uuid}", Capability.EXPORT, new_link),
    acting(company_page("/exportacoes/envio", Capability.EXPORT, save_mail, is_sensitive=True)),
    acting(company_page("/exportacoes/envio/parar", Capability.EXPORT, stop_mail)),
    company_page(_ONE, Capability.EXPORT, progress),
    company_page(f"{_ONE}/arquivo", Capability.EXPORT, archive),
    acting(company_page(f"{_ONE}/revogar", Capability.EXPORT, revoke_link)),
)
