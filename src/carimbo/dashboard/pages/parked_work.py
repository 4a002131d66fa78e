"""Parked work: that of a subscription for those who may resume it, and all of it for the operator."""

from uuid import UUID

from starlette.responses import Response

from carimbo.dashboard.action_form import ActionForm, action_page
from carimbo.dashboard.body_form import TypedForm
from carimbo.dashboard.csv_download import csv_response, wants_csv
from carimbo.dashboard.form_view import problems_of, view_form
from carimbo.dashboard.forms import checked_body
from carimbo.dashboard.notices import Notice, with_notice
from carimbo.dashboard.rendering import page, redirect
from carimbo.dashboard.routes import acting, form_of, operator_page, subscription_page
from carimbo.dashboard.shown import moment
from carimbo.dashboard.visit import OperatorVisit, SubscriptionVisit
from carimbo.fiscal.problems import counted
from carimbo.service.document_types import title_of
from carimbo.service.errors import Refusal
from carimbo.service.exports.parked_list import export_parked
from carimbo.service.maintenance import find_parked_document, list_parked, resume_parked
from carimbo.service.parked_work import (
    DISMISSAL_FORM,
    Dismissal,
    dismiss_parked_work,
    list_parked_page,
    resume_parked_work,
)
from carimbo.service.people.roles import Capability
from carimbo.storage.parked_work import NamedParkedWork, WorkOwner
from carimbo.storage.work import WorkKind

WorkVisit = OperatorVisit | SubscriptionVisit
_RESUMED = "retomados"
"""The parameter of the list with the number of works that were just resumed."""
_MANY = 10_000_000
_HELD_WARNING = (
    "{held} de lado por `carimbo documents hold`. Se o banco veio de um backup, podem já ter sido emitidos, e"
    " seriam emitidos outra vez: retome um a um, depois de conferir."
)


async def parked_work(visit: WorkVisit) -> Response:
    """Lists the work that waits for a person."""
    database, owner = visit.services.database, _owner(visit)
    if wants_csv(visit):
        return csv_response(await export_parked(database, owner))
    works = await list_parked_page(database, visit.page_request, owner)
    return page(
        visit,
        "parked_work.html",
        works=works,
        links={work.id: _link(visit, work) for work in works.items},
        address=_address(visit),
        is_operator=owner is None,
        resumed=visit.number_filter(_RESUMED, _MANY),
    )


async def resume(visit: WorkVisit) -> Response:
    """Resumes one item."""
    await resume_parked_work(visit.services.database, _owner(visit), _work_id(visit))
    return redirect(f"{_address(visit)}?{_RESUMED}=1")


async def resumption(visit: WorkVisit) -> Response:
    """Says how much would be resumed, and what of it may have been issued already."""
    owner, address = _owner(visit), _address(visit)
    works = await list_parked(visit.services.database, owner=owner)
    held = sum(work.is_held for work in works)
    count = len(works) if owner is None else len(works) - held
    warnings = []
    if owner is None and held:
        put_aside = f"{held} {'foi posto' if held == 1 else 'foram postos'}"
        warnings.append(_HELD_WARNING.format(held=put_aside))
    action = ActionForm(
        title="Retomar tudo",
        sentence=(
            f"{counted(count, 'trabalho volta', 'trabalhos voltam')} à fila, de onde cada um parou. Resolva"
            " antes a causa das falhas."
        ),
        button="Retomar tudo",
        address=f"{address}/retomar",
        back=address,
        back_label="Trabalho parado",
        warnings=warnings,
        is_dangerous=bool(warnings),
    )
    return action_page(visit, action)


async def resume_all(visit: WorkVisit) -> Response:
    """Resumes everything that the person may resume."""
    resumed = await resume_parked(visit.services.database, owner=_owner(visit))
    return redirect(f"{_address(visit)}?{_RESUMED}={resumed}")


async def dismissal(visit: WorkVisit) -> Response:
    """Asks why a document will not be issued."""
    return await _dismissal_page(visit, TypedForm(DISMISSAL_FORM, {}))


async def dismiss(visit: WorkVisit) -> Response:
    """Rejects a parked document."""
    typed = TypedForm.posted(DISMISSAL_FORM, await visit.form())
    try:
        await dismiss_parked_work(
            visit.services.database,
            _owner(visit),
            _work_id(visit),
            checked_body(Dismissal, typed.body),
            visit.now,
            visit.services.in_flight_limit,
        )
    except Refusal as refusal:
        return await _dismissal_page(visit, typed, refusal)
    return redirect(with_notice(_address(visit), Notice.DISMISSED))


async def _dismissal_page(visit: WorkVisit, typed: TypedForm, refusal: Refusal | None = None) -> Response:
    address = _address(visit)
    work = await find_parked_document(visit.services.database, _work_id(visit), _owner(visit))
    action = ActionForm(
        title="Encerrar o documento",
        sentence=(
            "O documento fica rejeitado, e não é mais enviado. Encerre só o que foi emitido por outro meio,"
            " ou o que não é mais desejado."
        ),
        button="Encerrar",
        address=f"{address}/{work.id}/encerrar",
        back=address,
        back_label="Trabalho parado",
        view=view_form(typed, problems_of(refusal)),
        facts=(
            ("Documento", title_of(work.type)),
            ("Na fila desde", moment(work.queued_at)),
            ("Por que parou", work.parked_reason),
        ),
        is_dangerous=True,
    )
    return action_page(visit, action)


def _owner(visit: WorkVisit) -> WorkOwner | None:
    """Returns whose work the page is about; None for the operator, whose pages are about all of it."""
    if isinstance(visit, OperatorVisit):
        return None
    return WorkOwner(visit.subscription_id, visit.membership.company_ids)


def _address(visit: WorkVisit) -> str:
    return f"{f'{visit.root}/operacao' if isinstance(visit, OperatorVisit) else visit.base}/trabalho"


def _work_id(visit: WorkVisit) -> UUID:
    return UUID(visit.request.path_params["work_id"])


def _link(visit: WorkVisit, work: NamedParkedWork) -> str | None:
    """Returns the page that work is about, for members of its subscription who may see its company."""
    membership = visit.session.membership_in(work.subscription_id)
    if membership is None or not membership.may_see(work.company_id):
        return None
    company = f"{visit.root}/{work.subscription_id}/empresas/{work.company_id}"
    if work.kind == WorkKind.SALE:
        return f"{company}/vendas/{work.id}"
    if work.kind == WorkKind.IMPORT:
        return f"{company}/importacoes/{work.id}"
    if work.kind == WorkKind.MANIFESTATION:
        return f"{company}/recebidos/{work.document_type}/{work.document_id}"
    return f"{company}/documentos/{work.document_id}" if work.document_id else None


_ONE = "/trabalho/{work_id:uuid}"
_RESUME = Capability.RESUME_WORK
ROUTES = (
    subscription_page("/trabalho", _RESUME, parked_work),
    form_of(subscription_page("/trabalho/retomar", _RESUME, resumption)),
    acting(subscription_page("/trabalho/retomar", _RESUME, resume_all)),
    acting(subscription_page(f"{_ONE}/retomar", _RESUME, resume)),
    form_of(subscription_page(f"{_ONE}/encerrar", _RESUME, dismissal)),
    acting(subscription_page(f"{_ONE}/encerrar", _RESUME, dismiss)),
    operator_page("/trabalho", parked_work),
    form_of(operator_page("/trabalho/retomar", resumption)),
    acting(operator_page("/trabalho/retomar", resume_all)),
    acting(operator_page(f"{_ONE}/retomar", resume)),
    form_of(operator_page(f"{_ONE}/encerrar", dismissal)),
    acting(operator_page(f"{_ONE}/encerrar", dismiss)),
)
