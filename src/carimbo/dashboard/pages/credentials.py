"""The credential of the API: what may be seen of it, how a program uses it, and a new secret."""

from starlette.responses import Response

from carimbo.dashboard.action_form import ActionForm
from carimbo.dashboard.rendering import page
from carimbo.dashboard.routes import acting, form_of, subscription_page
from carimbo.dashboard.secret_rotation import overlap_hours, rotation_page
from carimbo.dashboard.shown import NOTHING, moment
from carimbo.dashboard.submissions import new_secret, redirect_with_secret
from carimbo.dashboard.visit import SubscriptionVisit
from carimbo.service.access import CredentialRecord, RotationRequest, read_credential, rotate_credential
from carimbo.service.people.roles import Capability


async def credentials(visit: SubscriptionVisit) -> Response:
    """Shows the credential of the subscription; its secret only once, after it was replaced."""
    return page(
        visit,
        "credentials.html",
        credential=await _credential(visit),
        secret=await new_secret(visit),
        api=visit.services.sign_in.link_base,
        now=visit.machine_time,
    )


async def rotation(visit: SubscriptionVisit) -> Response:
    """Asks how long the present secret still works beside a new one."""
    credential, address = await _credential(visit), _address(visit)
    warnings = [
        "Escolha “Deixa de valer já” se alguém viu a senha: os seus programas param até usarem a nova."
    ]
    if credential.previous_secret_valid_until:
        until = moment(credential.previous_secret_valid_until)
        warnings.append(
            f"A senha de antes da última troca valeria até {until} e deixa de valer com esta troca: só uma"
            " senha antiga vale por vez."
        )
    action = ActionForm(
        title="Trocar a senha da API",
        sentence="A chave ganha uma senha nova, que aparece uma vez. Troque-a em todos os seus programas.",
        button="Trocar a senha",
        address=f"{address}/trocar",
        back=address,
        back_label="Credenciais",
        facts=(
            ("Senha atual", credential.secret_preview),
            ("Último uso", moment(credential.last_used_at) if credential.last_used_at else NOTHING),
        ),
        warnings=warnings,
    )
    return rotation_page(visit, action, "A senha atual")


async def rotate(visit: SubscriptionVisit) -> Response:
    """Replaces the secret; the page of the credential shows the new one once."""
    # A blank overlap ends the present secret at once.
    request = RotationRequest.model_validate({"overlapHours": overlap_hours(await visit.form()) or None})
    rotated = await rotate_credential(visit.services.authenticator, visit.subscription_id, request)
    return await redirect_with_secret(visit, _address(visit), rotated.api_secret)


def _address(visit: SubscriptionVisit) -> str:
    return f"{visit.base}/credenciais"


async def _credential(visit: SubscriptionVisit) -> CredentialRecord:
    return await read_credential(visit.services.database, visit.membership.subscription)


ROUTES = (
    subscription_page("/credenciais", Capability.READ_CREDENTIALS, credentials),
    form_of(subscription_page("/credenciais/trocar", Capability.CHANGE_CREDENTIALS, rotation)),
    acting(subscription_page("/credenciais/trocar", Capability.CHANGE_CREDENTIALS, rotate)),
)
