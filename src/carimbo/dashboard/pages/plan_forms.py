"""The forms of the operator that create a plan, and that change the limits of one."""

from starlette.responses import Response

from carimbo.dashboard.action_form import ActionForm, action_page
from carimbo.dashboard.body_form import TypedForm
from carimbo.dashboard.form_view import problems_of, view_form
from carimbo.dashboard.forms import checked_body
from carimbo.dashboard.notices import Notice, with_notice
from carimbo.dashboard.rendering import redirect
from carimbo.dashboard.routes import acting, form_of, operator_page
from carimbo.dashboard.visit import OperatorVisit
from carimbo.service.errors import Refusal
from carimbo.service.installation import read_used_plan
from carimbo.service.plan_bodies import LIMITS_FORM, NEW_PLAN_FORM, NewPlan, PlanLimits
from carimbo.service.subscriptions import change_plan, create_plan


async def new_plan(visit: OperatorVisit) -> Response:
    """Shows an empty form."""
    return _new_page(visit, TypedForm(NEW_PLAN_FORM, {}))


async def create(visit: OperatorVisit) -> Response:
    """Creates a plan."""
    typed = TypedForm.posted(NEW_PLAN_FORM, await visit.form())
    try:
        body = checked_body(NewPlan, typed.body)
        await create_plan(visit.services.database, body.plan_named(body.name))
    except Refusal as refusal:
        return _new_page(visit, typed, refusal)
    return redirect(with_notice(_list_address(visit), Notice.CREATED))


async def limits_of_plan(visit: OperatorVisit) -> Response:
    """Shows the limits of a plan as they are."""
    plan = (await read_used_plan(visit.services.database, _plan_name(visit))).plan
    body = PlanLimits.of(plan).model_dump(by_alias=True, exclude_none=True)
    return await _limits_page(visit, TypedForm.of_body(LIMITS_FORM, body))


async def change(visit: OperatorVisit) -> Response:
    """Changes the limits of a plan; a blank one is no limit any more."""
    typed = TypedForm.posted(LIMITS_FORM, await visit.form())
    try:
        limits = checked_body(PlanLimits, typed.body)
        await change_plan(visit.services.database, limits.plan_named(_plan_name(visit)))
    except Refusal as refusal:
        return await _limits_page(visit, typed, refusal)
    return redirect(with_notice(_list_address(visit), Notice.SAVED))


def _new_page(visit: OperatorVisit, typed: TypedForm, refusal: Refusal | None = None) -> Response:
    action = ActionForm(
        title="Novo plano",
        sentence="Um plano limita os documentos e as requisições das assinaturas que o têm.",
        button="Criar o plano",
        address=_list_address(visit),
        back=_list_address(visit),
        back_label="Planos",
        view=view_form(typed, problems_of(refusal)),
    )
    return action_page(visit, action)


async def _limits_page(visit: OperatorVisit, typed: TypedForm, refusal: Refusal | None = None) -> Response:
    used = await read_used_plan(visit.services.database, _plan_name(visit))
    action = ActionForm(
        title=f"Alterar o plano {used.plan.name}",
        sentence="Os limites valem já, para todas as assinaturas deste plano.",
        button="Guardar",
        address=f"{_list_address(visit)}/{used.plan.name}/alterar",
        back=_list_address(visit),
        back_label="Planos",
        view=view_form(typed, problems_of(refusal)),
        facts=(("Assinaturas com este plano", str(used.subscriptions)),),
    )
    return action_page(visit, action)


def _list_address(visit: OperatorVisit) -> str:
    return f"{visit.root}/operacao/planos"


def _plan_name(visit: OperatorVisit) -> str:
    name: str = visit.request.path_params["name"]
    return name


ROUTES = (
    form_of(operator_page("/planos/novo", new_plan)),
    acting(operator_page("/planos", create)),
    form_of(operator_page("/planos/{name}/alterar", limits_of_plan)),
    acting(operator_page("/planos/{name}/alterar", change)),
)
