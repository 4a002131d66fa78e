"""Inutilizing numbers: a range that a person types, and all gaps after a look at them."""

from collections.abc import Sequence
from hashlib import sha256

from starlette.responses import Response

from carimbo.dashboard.action_form import ActionForm, action_page
from carimbo.dashboard.body_form import TypedForm
from carimbo.dashboard.filings import brief_filing, filing_problems
from carimbo.dashboard.form_view import FormProblem, view_form
from carimbo.dashboard.forms import checked_body, text_of
from carimbo.dashboard.notices import Notice, with_notice
from carimbo.dashboard.pages.numbering import environments_of
from carimbo.dashboard.rendering import redirect
from carimbo.dashboard.routes import acting, company_page, form_of
from carimbo.dashboard.shown import environment_name
from carimbo.dashboard.visit import CompanyVisit
from carimbo.service.document_types import document_type_named, title_of
from carimbo.service.errors import ErrorCode, Refusal
from carimbo.service.filing.inutilization_form import GAPS_FORM, RANGE_FORM, TypedRangeRequest
from carimbo.service.filing.inutilize import inutilize
from carimbo.service.filing.numbering import (
    GapsRequest,
    InutilizationPlan,
    inutilize_planned,
    plan_inutilizations,
)
from carimbo.service.filing.outcome import FilingStatus
from carimbo.service.people.roles import Capability

_CHECKED = "conferido"
_FILTERS = {"type": "tipo", "series": "serie", "numberStart": "de", "numberEnd": "ate", "year": "ano"}
"""The parameters of an address that fill the form of a range."""
_NOTHING_TO_DO = "Nenhum número pode ser inutilizado agora."
_CHANGED = "Algo mudou enquanto esta página estava aberta: confira outra vez antes de confirmar."
_SENTENCE = (
    "A SEFAZ registra que estes números nunca serão usados: isso não pode ser desfeito, e nenhum documento"
    " pode mais recebê-los."
)


async def range_form(visit: CompanyVisit) -> Response:
    """Shows the form of a range, filled with the numbers that the address names."""
    named = {path: visit.filter(name) for path, name in _FILTERS.items()}
    typed = TypedForm(RANGE_FORM, {path: text for path, text in named.items() if text})
    return await _range_page(visit, typed)


async def inutilize_range(visit: CompanyVisit) -> Response:
    """Inutilizes a range; the list shows the answer of the authority if it is not here yet."""
    sent = await visit.form()
    typed = TypedForm.posted(RANGE_FORM, sent)
    try:
        if text_of(sent, _CHECKED) != await _environment_words(visit):
            raise Refusal(ErrorCode.INVALID_STATE, _CHANGED)
        body = checked_body(TypedRangeRequest, typed.body)
        record = await inutilize(
            brief_filing(visit),
            visit.subscription_id,
            visit.company,
            document_type_named(body.type),
            body.request,
        )
    except Refusal as refusal:
        return await _range_page(visit, typed, filing_problems(refusal))
    is_open = record.status is FilingStatus.PROCESSING
    return redirect(with_notice(_list_of(visit), Notice.QUEUED if is_open else Notice.REGISTERED))


async def gaps_form(visit: CompanyVisit) -> Response:
    """Lists all gaps that can be inutilized, for a confirmation."""
    request = GapsRequest()
    typed = TypedForm.of_body(GAPS_FORM, {"justification": request.justification})
    return await _gaps_page(visit, typed, await _plan(visit, request))


async def inutilize_all_gaps(visit: CompanyVisit) -> Response:
    """Inutilizes all gaps, if they are still those that the person has seen."""
    sent = await visit.form()
    typed = TypedForm.posted(GAPS_FORM, sent)
    try:
        request = checked_body(GapsRequest, typed.body)
        plan = await _plan(visit, request)
        if text_of(sent, _CHECKED) != _digest(plan):
            raise Refusal(ErrorCode.INVALID_STATE, _CHANGED)
        await inutilize_planned(visit.services.filing, plan)
    except Refusal as refusal:
        plan = await _plan(visit, GapsRequest())
        return await _gaps_page(visit, typed, plan, filing_problems(refusal))
    return redirect(with_notice(_list_of(visit), Notice.QUEUED))


async def _plan(visit: CompanyVisit, request: GapsRequest) -> InutilizationPlan:
    return await plan_inutilizations(visit.services.filing, visit.subscription_id, visit.company, request)


def _digest(plan: InutilizationPlan) -> str:
    """Returns a text that is the same only for the same ranges."""
    ranges = [
        f"{each.document_type}/{each.environment}/{each.series}/{each.year}"
        f"/{each.first_number}/{each.last_number}"
        for each in plan.ranges
    ]
    return sha256(" ".join(ranges).encode()).hexdigest()


async def _range_page(
    visit: CompanyVisit, typed: TypedForm, problems: Sequence[FormProblem] = ()
) -> Response:
    environments = await _environment_words(visit)
    action = ActionForm(
        title="Inutilizar números",
        sentence=_SENTENCE,
        button="Inutilizar",
        address=f"{visit.company_base}/numeracao/inutilizar",
        back=f"{visit.company_base}/numeracao",
        back_label="Numeração",
        view=view_form(typed, problems),
        facts=(("Ambiente", environments),),
        is_dangerous=True,
    )
    return action_page(visit, action, "numbering/inutilize.html", checked=environments, ranges=())


async def _gaps_page(
    visit: CompanyVisit, typed: TypedForm, plan: InutilizationPlan, problems: Sequence[FormProblem] = ()
) -> Response:
    if not plan.ranges:
        raise Refusal(ErrorCode.INVALID_STATE, _NOTHING_TO_DO)
    action = ActionForm(
        title="Inutilizar todas as lacunas",
        sentence=_SENTENCE,
        button="Inutilizar todas",
        address=f"{visit.company_base}/numeracao/inutilizar-lacunas",
        back=f"{visit.company_base}/numeracao",
        back_label="Numeração",
        view=view_form(typed, problems),
        is_dangerous=True,
    )
    return action_page(visit, action, "numbering/inutilize.html", checked=_digest(plan), ranges=plan.ranges)


async def _environment_words(visit: CompanyVisit) -> str:
    """Returns the environment of the numbers; types of a company may have different ones."""
    environments = await environments_of(visit)
    if len(set(environments.values())) == 1:
        return environment_name(next(iter(environments.values())))
    return ", ".join(f"{title_of(name)}: {environment_name(each)}" for name, each in environments.items())


def _list_of(visit: CompanyVisit) -> str:
    return f"{visit.company_base}/numeracao/inutilizacoes"


_RANGE, _GAPS = "/numeracao/inutilizar", "/numeracao/inutilizar-lacunas"
_CANCEL = Capability.CANCEL_DOCUMENTS
ROUTES = (
    form_of(company_page(_RANGE, _CANCEL, range_form)),
    acting(company_page(_RANGE, _CANCEL, inutilize_range)),
    form_of(company_page(_GAPS, _CANCEL, gaps_form)),
    acting(company_page(_GAPS, _CANCEL, inutilize_all_gaps)),
)
