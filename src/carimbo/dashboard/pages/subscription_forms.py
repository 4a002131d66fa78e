"""A subscription as the operator sees and changes it: its plan and its features, and nothing inside of it."""

from collections.abc import Mapping
from uuid import UUID

from starlette.responses import Response

from carimbo.dashboard.action_form import ActionForm, action_page
from carimbo.dashboard.body_form import TypedForm
from carimbo.dashboard.choices import Checkbox, CheckboxGroup
from carimbo.dashboard.form_view import problems_of, view_form
from carimbo.dashboard.forms import checked_body
from carimbo.dashboard.notices import Notice, with_notice
from carimbo.dashboard.rendering import page, redirect
from carimbo.dashboard.routes import acting, form_of, operator_page
from carimbo.dashboard.submissions import new_secret, redirect_with_secret
from carimbo.dashboard.visit import OperatorVisit
from carimbo.fiscal.registry import DOCUMENT_TYPES, FEATURES
from carimbo.service.errors import Refusal
from carimbo.service.installation import SubscriptionSummary, read_subscription_summary
from carimbo.service.plan_bodies import (
    NewSubscription,
    PlanChoice,
    new_subscription_form,
    plan_choice_form,
)
from carimbo.service.subscriptions import TRIAL, create_subscription, list_plans, set_features, set_plan
from carimbo.service.words import enumeration

_FEATURE = "recurso"
"""The name of the checkboxes of features."""


async def new_subscription(visit: OperatorVisit) -> Response:
    """Shows the form with the usual plan."""
    return await _new_page(visit, {"plan": TRIAL})


async def create(visit: OperatorVisit) -> Response:
    """Creates a subscription; its page shows the secret of its credential once."""
    typed = TypedForm.posted(new_subscription_form(await _plan_names(visit)), await visit.form())
    try:
        body = checked_body(NewSubscription, typed.body)
        created = await create_subscription(visit.services.authenticator, body.name, body.plan)
    except Refusal as refusal:
        return await _new_page(visit, typed.texts, refusal)
    return await redirect_with_secret(visit, _address(visit, created.subscription_id), created.secret)


async def subscription(visit: OperatorVisit) -> Response:
    """Shows the plan, the features and the sizes of a subscription."""
    summary = await _summary(visit)
    return page(
        visit,
        "operator/subscription.html",
        summary=summary,
        address=_address(visit, summary.subscription.id),
        secret=await new_secret(visit),
    )


async def plan_of_subscription(visit: OperatorVisit) -> Response:
    """Asks which plan a subscription gets."""
    summary = await _summary(visit)
    return await _plan_page(visit, summary, {"plan": summary.subscription.plan.name})


async def change_plan(visit: OperatorVisit) -> Response:
    """Changes the plan of a subscription."""
    summary = await _summary(visit)
    typed = TypedForm.posted(plan_choice_form(await _plan_names(visit)), await visit.form())
    try:
        plan = checked_body(PlanChoice, typed.body).plan
        await set_plan(visit.services.database, summary.subscription.id, plan)
    except Refusal as refusal:
        return await _plan_page(visit, summary, typed.texts, refusal)
    return redirect(with_notice(_address(visit, summary.subscription.id), Notice.SAVED))


async def features_of_subscription(visit: OperatorVisit) -> Response:
    """Asks which features a subscription has."""
    enabled = (await _summary(visit)).subscription
    address = _address(visit, enabled.id)
    action = ActionForm(
        title="Mudar os recursos",
        sentence="A assinatura emite os tipos marcados, além dos que não precisam de um recurso. Vale já.",
        button="Guardar",
        address=f"{address}/recursos",
        back=address,
        back_label=enabled.name,
    )
    checkboxes = [Checkbox(each, _types_of(each), "", each in enabled.features) for each in FEATURES]
    group = CheckboxGroup("Recursos", _FEATURE, checkboxes)
    return action_page(visit, action, "operator/features.html", group=group)


async def change_features(visit: OperatorVisit) -> Response:
    """Enables the marked features of a subscription, and disables the others."""
    subscription_id, form = _subscription_id(visit), await visit.form()
    marked = [str(feature) for feature in form.getlist(_FEATURE)]
    await set_features(visit.services.database, subscription_id, marked)
    return redirect(with_notice(_address(visit, subscription_id), Notice.SAVED))


async def _new_page(
    visit: OperatorVisit, texts: Mapping[str, str], refusal: Refusal | None = None
) -> Response:
    typed = TypedForm(new_subscription_form(await _plan_names(visit)), texts)
    address = f"{visit.root}/operacao"
    action = ActionForm(
        title="Nova assinatura",
        sentence="A assinatura nasce vazia, com todos os recursos e uma senha da API, que aparece uma vez.",
        button="Criar a assinatura",
        address=f"{address}/assinaturas",
        back=address,
        back_label="Assinaturas",
        view=view_form(typed, problems_of(refusal)),
    )
    return action_page(visit, action)


async def _plan_page(
    visit: OperatorVisit,
    summary: SubscriptionSummary,
    texts: Mapping[str, str],
    refusal: Refusal | None = None,
) -> Response:
    typed = TypedForm(plan_choice_form(await _plan_names(visit)), texts)
    address = _address(visit, summary.subscription.id)
    action = ActionForm(
        title="Trocar o plano",
        sentence="O novo plano vale já. O que a assinatura usou no período continua contado.",
        button="Guardar",
        address=f"{address}/plano",
        back=address,
        back_label=summary.subscription.name,
        view=view_form(typed, problems_of(refusal)),
    )
    return action_page(visit, action)


async def _plan_names(visit: OperatorVisit) -> list[str]:
    return [plan.name for plan in await list_plans(visit.services.database)]


async def _summary(visit: OperatorVisit) -> SubscriptionSummary:
    return await read_subscription_summary(visit.services.database, _subscription_id(visit), visit.now)


def _types_of(feature: str) -> str:
    return enumeration([each.title for each in DOCUMENT_TYPES if each.feature == feature])


def _subscription_id(visit: OperatorVisit) -> UUID:
    return UUID(visit.request.path_params["subscription_id"])


def _address(visit: OperatorVisit, subscription_id: UUID) -> str:
    return f"{visit.root}/operacao/assinaturas/{subscription_id}"


_ONE = "/assinaturas/{subscription_id:uuid}"
ROUTES = (
    form_of(operator_page("/assinaturas/nova", new_subscription, is_sensitive=True)),
    acting(operator_page("/assinaturas", create, is_sensitive=True)),
    operator_page(_ONE, subscription),
    form_of(operator_page(f"{_ONE}/plano", plan_of_subscription)),
    acting(operator_page(f"{_ONE}/plano", change_plan)),
    form_of(operator_page(f"{_ONE}/recursos", features_of_subscription)),
    acting(operator_page(f"{_ONE}/recursos", change_features)),
)
