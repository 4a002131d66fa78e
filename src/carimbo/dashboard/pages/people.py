"""Pessoas: the people of a subscription, and the role of each."""

from collections.abc import Mapping

from starlette.responses import Response

from carimbo.dashboard.csv_download import csv_response, wants_csv
from carimbo.dashboard.rendering import page
from carimbo.dashboard.routes import subscription_page
from carimbo.dashboard.visit import SubscriptionVisit
from carimbo.service.companies.registration import company_names
from carimbo.service.exports.lists import export_people
from carimbo.service.people.people import list_people
from carimbo.service.people.roles import Capability, MemberRole

_ROLES: Mapping[MemberRole, str] = {
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


async def people(visit: SubscriptionVisit) -> Response:
    """Lists the people of the subscription, also those who were invited and did not come yet."""
    database = visit.services.database
    if wants_csv(visit):
        return csv_response(await export_people(database, visit.subscription_id))
    listed = await list_people(database, visit.subscription_id)
    ids = {company_id for person in listed for company_id in person.company_ids or ()}
    names = await company_names(database, visit.subscription_id, ids)
    return page(visit, "people.html", people=listed, names=names, roles=_ROLES)


ROUTES = (subscription_page("/pessoas", Capability.READ_PEOPLE, people),)
