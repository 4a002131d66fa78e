"""Single actions on people: removing them from the subscription, and sending an invitation again."""

from starlette.responses import Response

from carimbo.dashboard.action_form import ActionForm, action_page
from carimbo.dashboard.notices import Notice, with_notice
from carimbo.dashboard.pages.people import ONE_PERSON, is_visitor, list_address, read_person, show_link
from carimbo.dashboard.rendering import redirect
from carimbo.dashboard.routes import acting, form_of, subscription_page
from carimbo.dashboard.visit import SubscriptionVisit
from carimbo.service.companies.registration import company_names
from carimbo.service.errors import ErrorCode, Refusal
from carimbo.service.people.people import PersonInSubscription, invite, remove_membership
from carimbo.service.people.roles import Capability
from carimbo.service.words import PERSON_ROLES

_OWN_REMOVAL = "Esta pessoa é você: sem um convite novo, você não abre mais esta assinatura."
_ACCEPTED = "Esta pessoa já aceitou o convite."


async def removal(visit: SubscriptionVisit) -> Response:
    """Shows what removing a person, or withdrawing an invitation, does."""
    person = await read_person(visit)
    name = person.name or person.email
    action = ActionForm(
        title="Retirar o convite" if person.is_pending else "Remover da assinatura",
        sentence=(
            f"O convite para {name} e o link dele deixam de valer na mesma hora."
            if person.is_pending
            else f"{name} perde o acesso a esta assinatura na mesma hora. A conta da pessoa continua: um"
            " convite novo devolve o acesso."
        ),
        button="Retirar o convite" if person.is_pending else "Remover",
        address=f"{list_address(visit)}/{person.id}/remover",
        back=list_address(visit),
        back_label="Pessoas",
        facts=(("E-mail", person.email), ("Papel", PERSON_ROLES[person.role])),
        warnings=(_OWN_REMOVAL,) if is_visitor(visit, person) else (),
        is_dangerous=True,
    )
    return action_page(visit, action)


async def remove(visit: SubscriptionVisit) -> Response:
    """Removes a person, or withdraws the invitation."""
    person = await read_person(visit)
    await remove_membership(visit.services.database, visit.subscription_id, person.id)
    if is_visitor(visit, person):
        return redirect(visit.root)
    return redirect(with_notice(list_address(visit), Notice.REMOVED))


async def renewal(visit: SubscriptionVisit) -> Response:
    """Shows what a new invitation does to the earlier one."""
    person = await _pending_person(visit)
    by_email = ", que também vai por e-mail" if visit.services.sign_in.sends_email else ""
    action = ActionForm(
        title="Renovar o convite",
        sentence=f"{person.email} ganha um link novo{by_email}. O link anterior deixa de valer.",
        button="Renovar o convite",
        address=f"{list_address(visit)}/{person.id}/convite",
        back=list_address(visit),
        back_label="Pessoas",
    )
    return action_page(visit, action)


async def renew(visit: SubscriptionVisit) -> Response:
    """Invites a person again, with the same role and companies; the page of people shows the link once."""
    person, database = await _pending_person(visit), visit.services.database
    company_ids = person.company_ids
    if company_ids is not None:
        # Companies that were deleted since can't be given again.
        company_ids &= frozenset(await company_names(database, visit.subscription_id, company_ids))
    invited = await invite(
        database,
        person.email,
        subscription_id=visit.subscription_id,
        role=person.role,
        company_ids=company_ids,
        now=visit.machine_time,
    )
    return await show_link(visit, invited)


async def _pending_person(visit: SubscriptionVisit) -> PersonInSubscription:
    person = await read_person(visit)
    if not person.is_pending:
        raise Refusal(ErrorCode.INVALID_STATE, _ACCEPTED)
    return person


_CHANGE = Capability.CHANGE_PEOPLE
ROUTES = (
    form_of(subscription_page(f"{ONE_PERSON}/convite", _CHANGE, renewal)),
    acting(subscription_page(f"{ONE_PERSON}/convite", _CHANGE, renew)),
    form_of(subscription_page(f"{ONE_PERSON}/remover", _CHANGE, removal)),
    acting(subscription_page(f"{ONE_PERSON}/remover", _CHANGE, remove)),
)
