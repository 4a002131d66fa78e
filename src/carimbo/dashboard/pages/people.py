"""Pessoas: the people of a subscription, the role of each, and the link of a new invitation."""

from collections.abc import Mapping
from uuid import UUID

from starlette.responses import Response

from carimbo.dashboard.csv_download import csv_response, wants_csv
from carimbo.dashboard.rendering import page
from carimbo.dashboard.routes import subscription_page
from carimbo.dashboard.submissions import new_secret, redirect_with_secret
from carimbo.dashboard.visit import SubscriptionVisit
from carimbo.service.companies.registration import company_names
from carimbo.service.exports.lists import export_people
from carimbo.service.people.context import LinkPurpose, link_address
from carimbo.service.people.new_links import send_invitation
from carimbo.service.people.people import Invitation, PersonInSubscription, list_people, unknown_person
from carimbo.service.people.roles import Capability, MemberRole

ONE_PERSON = "/pessoas/{person_id:uuid}"
_INVITED = "convite"
"""The parameter of the page that names the person whose new link it shows."""
ROLES: Mapping[MemberRole, str] = {
    MemberRole.OWNER: "Tudo, também credenciais e pessoas.",
    MemberRole.ADMIN: "Tudo, menos trocar credenciais e mudar pessoas.",
    MemberRole.ISSUER: (
        "Emite, cancela e corrige documentos; muda clientes e produtos; manifesta e exporta."
    ),
    MemberRole.ACCOUNTANT: (
        "Lê documentos e empresas, exporta, envia por e-mail e manifesta documentos recebidos."
    ),
    MemberRole.VIEWER: "Lê documentos, recebidos, cadastros e empresas.",
}
"""What each role may do, in a sentence."""


async def people(visit: SubscriptionVisit) -> Response:
    """Lists the people of the subscription, also those who were invited and did not come yet."""
    database = visit.services.database
    if wants_csv(visit):
        return csv_response(await export_people(database, visit.subscription_id))
    listed = await list_people(database, visit.subscription_id)
    ids = {company_id for person in listed for company_id in person.company_ids or ()}
    names = await company_names(database, visit.subscription_id, ids)
    invited_id = visit.id_filter(_INVITED)
    return page(
        visit,
        "people/list.html",
        people=listed,
        names=names,
        roles=ROLES,
        link=await new_secret(visit),
        invited=next((person for person in listed if person.id == invited_id), None),
        sends_email=visit.services.sign_in.sends_email,
    )


def list_address(visit: SubscriptionVisit) -> str:
    """Returns the address of the page of people."""
    return f"{visit.base}/pessoas"


async def read_person(visit: SubscriptionVisit) -> PersonInSubscription:
    """Returns the person that the address names, or refuses."""
    person_id = UUID(visit.request.path_params["person_id"])
    for person in await list_people(visit.services.database, visit.subscription_id):
        if person.id == person_id:
            return person
    raise unknown_person()


def is_visitor(visit: SubscriptionVisit, person: PersonInSubscription) -> bool:
    """Returns whether a person is the one who opens the page."""
    return person.id == visit.session.person.id


async def show_link(visit: SubscriptionVisit, invitation: Invitation) -> Response:
    """Sends the link by e-mail, if e-mail is configured, and leads to the page that shows it once."""
    send_invitation(visit.services.sign_in, invitation)
    link = link_address(visit.link_base, LinkPurpose.INVITATION, invitation.token)
    return await redirect_with_secret(visit, f"{list_address(visit)}?{_INVITED}={invitation.person.id}", link)


ROUTES = (subscription_page("/pessoas", Capability.READ_PEOPLE, people),)
