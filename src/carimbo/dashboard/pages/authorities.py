"""Authorities, as far as our own traffic shows them. The page asks none of them."""

from collections.abc import Mapping
from typing import Any

from starlette.responses import Response

from carimbo.dashboard.csv_download import csv_response, wants_csv
from carimbo.dashboard.rendering import page
from carimbo.dashboard.routes import subscription_page
from carimbo.dashboard.shown import Badge, moment
from carimbo.dashboard.visit import SubscriptionVisit
from carimbo.service.company_status.authorities import ObservedAuthority, read_authorities
from carimbo.service.exports.lists import export_authorities
from carimbo.service.people.roles import Capability
from carimbo.service.words import CONTINGENCY_MODES, UNREADABLE_COMPANY, authority_name

_OUT, _FAILED = Badge("Fora do ar", "bad"), Badge("Falhou na última vez", "warn")
_FINE, _UNKNOWN = Badge("Sem falhas vistas", "good"), Badge("Sem dados", "quiet")


async def authorities(visit: SubscriptionVisit) -> Response:
    """Shows the authorities of the companies that the person may see."""
    reader, company_ids = visit.services.status_reader, visit.membership.company_ids
    if wants_csv(visit):
        owner = visit.subscription_id
        return csv_response(await export_authorities(visit.services.database, reader, owner, company_ids))
    board = await read_authorities(reader, visit.subscription_id, company_ids)
    return page(visit, "authorities.html", board=board, **_WORDS)


def _authority_badge(authority: ObservedAuthority) -> Badge:
    if authority.is_out:
        return _OUT
    if authority.outage is not None:
        return _FAILED
    return _UNKNOWN if authority.last_authorized_at is None else _FINE


def _authority_sentence(authority: ObservedAuthority) -> str:
    """Returns what is known of an authority, and no more than that."""
    last = authority.last_authorized_at
    seen = f"A última autorização que vimos foi em {moment(last)}." if last else ""
    outage = authority.outage
    if outage is not None and authority.is_out:
        return f"Falha desde {moment(outage.since)}; a última falha foi em {moment(outage.seen_at)}. {seen}"
    if outage is not None:
        return f"Falhou em {moment(outage.seen_at)}, e desde então nada foi enviado a ela. {seen}"
    if authority.is_contingency:
        return seen or "Só recebe documentos quando a autoridade normal falha."
    if last is None:
        return "Ainda não autorizou nada daqui."
    return f"Sem falhas vistas desde a última autorização, em {moment(last)}."


_WORDS: Mapping[str, Any] = {
    "authority_name": authority_name,
    "authority_badge": _authority_badge,
    "authority_sentence": _authority_sentence,
    "modes": CONTINGENCY_MODES,
    "unreadable_sentence": UNREADABLE_COMPANY,
}
ROUTES = (subscription_page("/autoridades", Capability.READ_COMPANIES, authorities),)
