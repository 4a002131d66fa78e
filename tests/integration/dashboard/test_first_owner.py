"""The operator invites the first owner of a subscription, and nobody after that."""

from lxml import html

from carimbo.service.access import Authenticator
from carimbo.service.people.roles import MemberRole
from carimbo.service.subscriptions import create_subscription
from carimbo.storage.database import Database
from integration.dashboard.conftest import NewPanel
from integration.dashboard.panel import text_of


async def test_operator_invites_the_first_owner_and_copies_the_link(
    authenticator: Authenticator, database: Database, sign_in_as: NewPanel
) -> None:
    subscription_id = (await create_subscription(authenticator, "Nova")).subscription_id
    operator = await sign_in_as(None, None, is_operator=True)
    address = f"/painel/operacao/assinaturas/{subscription_id}/proprietario"
    page = await operator.page(address)
    answer = await operator.press(page, "Convidar", email="dona@example.com", name="Dona")
    shown = await operator.page(answer.headers["location"])
    (link,) = shown.xpath("//code[@class='copyable']/text()")
    assert "/painel/convite/" in link
    # The operator who invited somebody still finds nothing inside of the subscription.
    assert (await operator.http.get(f"/painel/{subscription_id}")).status_code == 404
    async with database.tenant(subscription_id) as tenant:
        (invited,) = await tenant.memberships.lock_all()
    assert (invited.email, invited.role, invited.accepted_at) == ("dona@example.com", MemberRole.OWNER, None)


async def test_subscription_with_people_gets_no_owner_from_the_operator(
    authenticator: Authenticator, sign_in_as: NewPanel
) -> None:
    subscription_id = (await create_subscription(authenticator, "Antiga")).subscription_id
    await sign_in_as(subscription_id, MemberRole.VIEWER)
    operator = await sign_in_as(None, None, is_operator=True)
    address = f"/painel/operacao/assinaturas/{subscription_id}/proprietario"
    answer = await operator.press(await operator.page(address), "Convidar", email="intruso@example.com")
    assert answer.status_code == 422
    assert "já tem pessoas" in text_of(html.fromstring(answer.text))
