"""The invitation of the first owner of a subscription, by the operator. Owners invite everybody else."""

from uuid import UUID

from starlette.responses import Response

from carimbo.dashboard.action_form import ActionForm, action_page
from carimbo.dashboard.body_form import TypedForm
from carimbo.dashboard.form_view import problems_of, view_form
from carimbo.dashboard.forms import checked_body
from carimbo.dashboard.routes import acting, form_of, operator_page
from carimbo.dashboard.submissions import new_secret, redirect_with_secret
from carimbo.dashboard.visit import OperatorVisit
from carimbo.fiscal.body.fields import Body, Text
from carimbo.fiscal.body.form_layout import FieldKind, FormField, FormLayout, FormSection
from carimbo.service.errors import Refusal
from carimbo.service.installation import read_subscription_summary
from carimbo.service.people.context import LinkPurpose, link_address
from carimbo.service.people.new_links import send_invitation
from carimbo.service.people.people import invite_first_owner


class FirstOwnerBody(Body):
    """The first owner: e-mail address and name."""

    email: Text
    name: Text | None = None


_FORM = FormLayout(
    body=FirstOwnerBody,
    sections=(
        FormSection(
            title="Quem",
            parts=(
                FormField(path="email", label="E-mail", kind=FieldKind.EMAIL),
                FormField(path="name", label="Nome"),
            ),
        ),
    ),
)


async def first_owner(visit: OperatorVisit) -> Response:
    """Asks who the first owner is; after the invitation, shows its link."""
    return await _page(visit, TypedForm(_FORM, {}), link=await new_secret(visit))


async def invite_owner(visit: OperatorVisit) -> Response:
    """Invites the first owner. The link is shown, and sent if e-mail is configured."""
    typed = TypedForm.posted(_FORM, await visit.form())
    try:
        body = checked_body(FirstOwnerBody, typed.body)
        invitation = await invite_first_owner(
            visit.services.database, _subscription_id(visit), body.email, body.name, visit.machine_time
        )
    except Refusal as refusal:
        return await _page(visit, typed, refusal)
    send_invitation(visit.services.sign_in, invitation)
    link = link_address(visit.link_base, LinkPurpose.INVITATION, invitation.token)
    return await redirect_with_secret(visit, f"{_subscription(visit)}/proprietario", link)


async def _page(
    visit: OperatorVisit, typed: TypedForm, refusal: Refusal | None = None, link: str | None = None
) -> Response:
    summary = await read_subscription_summary(visit.services.database, _subscription_id(visit), visit.now)
    address = _subscription(visit)
    action = ActionForm(
        title="Convidar quem cuida da assinatura",
        sentence="Quem aceitar vira proprietário: cuida das empresas, das credenciais e das pessoas. Quem só"
        " opera a instalação continua sem ver o que há dentro da assinatura.",
        button="Convidar",
        address=f"{address}/proprietario",
        back=address,
        back_label=summary.subscription.name,
        view=view_form(typed, problems_of(refusal)),
    )
    return action_page(visit, action, "operator/first_owner.html", link=link)


def _subscription_id(visit: OperatorVisit) -> UUID:
    return UUID(visit.request.path_params["subscription_id"])


def _subscription(visit: OperatorVisit) -> str:
    return f"{visit.root}/operacao/assinaturas/{_subscription_id(visit)}"


_PATH = "/assinaturas/{subscription_id:uuid}/proprietario"
ROUTES = (
    form_of(operator_page(_PATH, first_owner, is_sensitive=True)),
    acting(operator_page(_PATH, invite_owner, is_sensitive=True)),
)
