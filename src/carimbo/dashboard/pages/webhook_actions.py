"""Single actions on webhooks: activating, deleting, testing, sending again, and a new secret."""

from collections.abc import Sequence
from datetime import timedelta

from starlette.responses import Response

from carimbo.dashboard.action_form import ActionForm, action_page
from carimbo.dashboard.body_form import TypedForm
from carimbo.dashboard.form_view import FormProblem, problems_of, view_form
from carimbo.dashboard.forms import checked_body
from carimbo.dashboard.notices import Notice, with_notice
from carimbo.dashboard.pages.webhooks import (
    ONE_DELIVERY,
    ONE_WEBHOOK,
    RESENT,
    delivery_of,
    webhook_address,
    webhook_id_of,
)
from carimbo.dashboard.rendering import redirect
from carimbo.dashboard.routes import acting, form_of, sensitive, subscription_page
from carimbo.dashboard.secret_rotation import overlap_hours, rotation_page
from carimbo.dashboard.submissions import redirect_with_secret
from carimbo.dashboard.visit import SubscriptionVisit
from carimbo.fiscal.local_time import brasilia_day
from carimbo.service.delivery.deliveries import FailedSince, redeliver, redeliver_failed, send_test
from carimbo.service.delivery.webhook_bodies import Activity
from carimbo.service.delivery.webhook_form import RESENDING_FORM
from carimbo.service.delivery.webhooks import (
    SecretRotation,
    WebhookRecord,
    delete_webhook,
    read_webhook,
    read_webhook_detail,
    rotate_secret,
    set_activity,
)
from carimbo.service.errors import Refusal
from carimbo.service.people.roles import Capability

_NONE_FAILED = "Nenhuma entrega falhou desde esse dia."


async def activate(visit: SubscriptionVisit) -> Response:
    """Activates a webhook."""
    return await _set_activity(visit, Activity(active=True))


async def deactivation(visit: SubscriptionVisit) -> Response:
    """Shows what happens to the events of an inactive webhook."""
    webhook = await _webhook(visit)
    address = webhook_address(visit, webhook.id)
    action = ActionForm(
        title="Desativar o webhook",
        sentence=(
            "As entregas que estão na fila esperam até que o webhook seja ativado. Os eventos de enquanto ele"
            " está inativo não serão enviados."
        ),
        button="Desativar",
        address=f"{address}/desativar",
        back=address,
        back_label=_name_of(webhook),
    )
    return action_page(visit, action)


async def deactivate(visit: SubscriptionVisit) -> Response:
    """Deactivates a webhook."""
    return await _set_activity(visit, Activity(active=False))


async def deletion(visit: SubscriptionVisit) -> Response:
    """Shows what is deleted with a webhook."""
    webhook = await _webhook(visit)
    address = webhook_address(visit, webhook.id)
    action = ActionForm(
        title="Excluir o webhook",
        sentence="As entregas dele são excluídas também, e as que estão na fila não são mais enviadas.",
        button="Excluir",
        address=f"{address}/excluir",
        back=address,
        back_label=_name_of(webhook),
        facts=(("Endereço", webhook.url),),
        is_dangerous=True,
    )
    return action_page(visit, action)


async def delete(visit: SubscriptionVisit) -> Response:
    """Deletes a webhook."""
    await delete_webhook(visit.services.database, visit.subscription_id, webhook_id_of(visit))
    return redirect(with_notice(f"{visit.base}/webhooks", Notice.REMOVED))


async def send_test_event(visit: SubscriptionVisit) -> Response:
    """Sends a test event; the page of its delivery shows the result when it comes."""
    webhook_id = webhook_id_of(visit)
    sent = await send_test(visit.services.database, visit.subscription_id, webhook_id, timedelta())
    return redirect(f"{webhook_address(visit, webhook_id)}/entregas/{sent.id}")


async def resend(visit: SubscriptionVisit) -> Response:
    """Sends an event again; the page of its delivery shows the result when it comes."""
    which = delivery_of(visit)
    await redeliver(visit.services.database, which)
    return redirect(f"{webhook_address(visit, which.webhook_id)}/entregas/{which.id}")


async def resending(visit: SubscriptionVisit) -> Response:
    """Asks since when failed deliveries are sent again: usually since all of them fail."""
    database, webhook_id = visit.services.database, webhook_id_of(visit)
    detail = await read_webhook_detail(database, visit.subscription_id, webhook_id)
    day = brasilia_day(detail.failing_since or visit.machine_time)
    typed = TypedForm.of_body(RESENDING_FORM, {"since": day.isoformat()})
    return _resending_page(visit, detail.record, typed, [])


async def resend_failed(visit: SubscriptionVisit) -> Response:
    """Queues failed deliveries again; the page of the webhook says how many."""
    typed = TypedForm.posted(RESENDING_FORM, await visit.form())
    database, webhook_id = visit.services.database, webhook_id_of(visit)
    try:
        since = checked_body(FailedSince, typed.body).since
        queued = await redeliver_failed(database, visit.subscription_id, webhook_id, since)
        problems = [] if queued.deliveries else [FormProblem("since", _NONE_FAILED)]
    except Refusal as refusal:
        problems = problems_of(refusal)
    if problems:
        return _resending_page(visit, await _webhook(visit), typed, problems)
    return redirect(f"{webhook_address(visit, webhook_id)}?{RESENT}={queued.deliveries}")


def _resending_page(
    visit: SubscriptionVisit, webhook: WebhookRecord, typed: TypedForm, problems: Sequence[FormProblem]
) -> Response:
    address = webhook_address(visit, webhook.id)
    action = ActionForm(
        title="Reenviar as entregas que falharam",
        sentence=(
            "As entregas cuja última tentativa falhou desde esse dia voltam à fila, na ordem dos eventos de"
            " cada documento. Cada uma leva o mesmo id de antes. Os testes ficam de fora."
        ),
        button="Reenviar",
        address=f"{address}/reenviar",
        back=address,
        back_label=_name_of(webhook),
        view=view_form(typed, problems),
    )
    return action_page(visit, action)


async def rotation(visit: SubscriptionVisit) -> Response:
    """Asks how long the present secret still signs beside a new one."""
    webhook = await _webhook(visit)
    address = webhook_address(visit, webhook.id)
    action = ActionForm(
        title="Trocar o segredo",
        sentence=(
            "O webhook ganha um segredo novo, que aparece uma vez. Enquanto o anterior ainda vale, cada"
            " entrega leva as assinaturas dos dois, e o seu sistema tem tempo para a troca."
        ),
        button="Trocar o segredo",
        address=f"{address}/segredo",
        back=address,
        back_label=_name_of(webhook),
        warnings=("Escolha “Deixa de valer já” se alguém viu o segredo.",),
    )
    return rotation_page(visit, action, "O segredo atual")


async def rotate(visit: SubscriptionVisit) -> Response:
    """Replaces the secret; the page of the webhook shows the new one once."""
    request = SecretRotation.model_validate({"overlapHours": overlap_hours(await visit.form())})
    webhook_id = webhook_id_of(visit)
    rotated = await rotate_secret(visit.services.database, visit.subscription_id, webhook_id, request)
    return await redirect_with_secret(visit, webhook_address(visit, webhook_id), rotated.secret)


async def _webhook(visit: SubscriptionVisit) -> WebhookRecord:
    return await read_webhook(visit.services.database, visit.subscription_id, webhook_id_of(visit))


def _name_of(webhook: WebhookRecord) -> str:
    return webhook.name or webhook.url


async def _set_activity(visit: SubscriptionVisit, activity: Activity) -> Response:
    webhook_id = webhook_id_of(visit)
    await set_activity(visit.services.database, visit.subscription_id, webhook_id, activity)
    return redirect(with_notice(webhook_address(visit, webhook_id), Notice.SAVED))


_CHANGE = Capability.CHANGE_WEBHOOKS
ROUTES = (
    acting(subscription_page(f"{ONE_WEBHOOK}/ativar", _CHANGE, activate)),
    form_of(subscription_page(f"{ONE_WEBHOOK}/desativar", _CHANGE, deactivation)),
    acting(subscription_page(f"{ONE_WEBHOOK}/desativar", _CHANGE, deactivate)),
    form_of(subscription_page(f"{ONE_WEBHOOK}/excluir", _CHANGE, deletion)),
    acting(subscription_page(f"{ONE_WEBHOOK}/excluir", _CHANGE, delete)),
    acting(subscription_page(f"{ONE_WEBHOOK}/teste", _CHANGE, send_test_event)),
    acting(subscription_page(f"{ONE_DELIVERY}/reenviar", _CHANGE, resend)),
    form_of(subscription_page(f"{ONE_WEBHOOK}/reenviar", _CHANGE, resending)),
    acting(subscription_page(f"{ONE_WEBHOOK}/reenviar", _CHANGE, resend_failed)),
    sensitive(form_of(subscription_page(f"{ONE_WEBHOOK}/segredo", _CHANGE, rotation))),
    sensitive(acting(subscription_page(f"{ONE_WEBHOOK}/segredo", _CHANGE, rotate))),
)
