"""Events of a document: cancellation, correction letter, closing, and whatever else its type has."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from starlette.responses import Response

from carimbo.dashboard.action_form import ActionForm, action_page
from carimbo.dashboard.body_form import TypedForm
from carimbo.dashboard.city_names import with_city_codes, with_city_names
from carimbo.dashboard.deadline_words import deadline_words
from carimbo.dashboard.filings import brief_filing, filing_problems
from carimbo.dashboard.form_rows import posted_with_rows
from carimbo.dashboard.form_view import FormProblem, view_form
from carimbo.dashboard.forms import checked_body
from carimbo.dashboard.notices import Notice, with_notice
from carimbo.dashboard.pages.document_state import ONE_DOCUMENT, address_of, name_of, reference_of
from carimbo.dashboard.rendering import redirect
from carimbo.dashboard.routes import acting, company_page, filling, form_of
from carimbo.dashboard.security import LONG_FORM
from carimbo.dashboard.shown import moment
from carimbo.dashboard.visit import CompanyVisit
from carimbo.fiscal.body.form_layout import FormField, FormLayout
from carimbo.fiscal.lifecycle import CANCELS, CLOSES
from carimbo.service.documents.queries import read_document
from carimbo.service.errors import ErrorCode, Refusal, not_found
from carimbo.service.filing.outcome import EventUnderWay
from carimbo.service.filing.possible_events import PossibleEvent, read_possible_event
from carimbo.service.filing.register import register_event
from carimbo.service.people.roles import Capability

_BY_API = "Este evento é registrado só pela API."


async def event_form(visit: CompanyVisit) -> Response:
    """Shows the form of an event, with what the document says of it filled in."""
    event, body = await _read(visit)
    if event.reason:
        raise Refusal(ErrorCode.INVALID_STATE, event.reason)
    layout = _layout_of(visit, event)
    undone = {"eventId": str(event.undoable[0].id)} if event.undoable else {}
    return await _show(visit, event, with_city_names(TypedForm.of_body(layout, {**body, **undone})))


async def fill(visit: CompanyVisit) -> Response:
    """Shows the form again, after a button in it added or removed an entry."""
    event, _ = await _read(visit)
    return await _show(visit, event, posted_with_rows(_layout_of(visit, event), await visit.form()))


async def register(visit: CompanyVisit) -> Response:
    """Registers an event; the page of the document shows the authority's answer if it is not here yet."""
    event, _ = await _read(visit)
    typed = TypedForm.posted(_layout_of(visit, event), await visit.form())
    try:
        request = checked_body(event.kind.request, with_city_codes(typed).body)
        record = await register_event(
            brief_filing(visit), visit.company, reference_of(visit), event.kind.name, request
        )
    except Refusal as refusal:
        return await _show(visit, event, typed, filing_problems(refusal))
    notice = Notice.QUEUED if isinstance(record, EventUnderWay) else Notice.REGISTERED
    return redirect(with_notice(address_of(visit), notice))


async def _read(visit: CompanyVisit) -> tuple[PossibleEvent, Mapping[str, Any]]:
    """Returns the event that the address names, and the body with which its form begins."""
    event, body = await read_possible_event(
        visit.services.database,
        visit.company,
        reference_of(visit),
        visit.request.path_params["event"],
        visit.now,
    )
    if event.kind.form is None:
        raise not_found(_BY_API)
    return event, body


def _layout_of(visit: CompanyVisit, event: PossibleEvent) -> FormLayout:
    """Returns the form of an event; that of an undoing offers the events that it may undo."""
    layout = event.kind.form
    if layout is None:
        raise LookupError(f"{event.kind.name} has no form")
    if not event.undoable:
        return layout
    options = tuple(
        (str(each.id), f"nº {each.sequence}, de {moment(each.registered_at, visit.state)}")
        for each in event.undoable
    )
    sections = tuple(
        replace(
            section,
            parts=tuple(
                replace(part, options=options) if isinstance(part, FormField) else part
                for part in section.parts
            ),
        )
        for section in layout.sections
    )
    return replace(layout, sections=sections)


async def _show(
    visit: CompanyVisit, event: PossibleEvent, typed: TypedForm, problems: Sequence[FormProblem] = ()
) -> Response:
    record = await read_document(visit.services.database, reference_of(visit))
    kind, address = event.kind, f"{address_of(visit)}/registrar/{event.kind.name}"
    words = deadline_words(event.deadline, visit.now, visit.state) if event.deadline else ()
    action = ActionForm(
        title=f"{kind.title}: {name_of(record)}",
        sentence=kind.explanation,
        button=kind.action,
        address=address,
        back=address_of(visit),
        back_label=name_of(record),
        view=view_form(typed, problems),
        facts=(("Prazo", " ".join(words)),) if words else (),
        is_dangerous=kind.effect in (CANCELS, CLOSES),
    )
    return action_page(visit, action, "documents/event.html")


_EVENT = f"{ONE_DOCUMENT}/registrar/{{event}}"
_CANCEL = Capability.CANCEL_DOCUMENTS
ROUTES = (
    form_of(company_page(_EVENT, _CANCEL, event_form)),
    acting(company_page(_EVENT, _CANCEL, register), LONG_FORM),
    filling(company_page(f"{_EVENT}/preencher", _CANCEL, fill)),
)
