"""What the control API shows of a site, and what it changes there."""

from collections.abc import Callable, Collection, Mapping, Sequence
from datetime import date
from typing import Any
from urllib.parse import parse_qsl

from cryptography.hazmat.primitives.serialization import Encoding

from carimbo.fiscal.tables.authorizers import is_contingency
from carimbo.simulator import records
from carimbo.simulator.calendar import ENTRIES
from carimbo.simulator.cities import iss_rates, named_cities
from carimbo.simulator.contributors import Contributor, Contributors
from carimbo.simulator.controls import Controls
from carimbo.simulator.http import Request
from carimbo.simulator.journal import DEFAULT_LIMIT
from carimbo.simulator.ledger import Ledger, StoredDocument
from carimbo.simulator.place import HOMOLOGATION, PRODUCTION
from carimbo.simulator.records import Record
from carimbo.simulator.security_codes import SecurityCode, SecurityCodes
from carimbo.simulator.site import Site
from carimbo.simulator.switches import WrongSwitches, switches_of
from carimbo.simulator.triggers import TRIGGERS

Query = Mapping[str, str]
Json = dict[str, Any]

MOST_ROWS = 1_000
DOCUMENT_NAMES = tuple(records.names_of(StoredDocument))
"""What is told of a document, by names in JSON."""
_LONGEST_NUMBER = 15
_UP = "up"


class Refused(Exception):
    """What was asked for cannot be done; told in Portuguese."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status


def query_of(request: Request, known: Collection[str]) -> Query:
    """The parameters of a request; of one that is repeated, the last."""
    query = dict(parse_qsl(request.query))
    strangers = [name for name in query if name not in known]
    if strangers:
        raise Refused(400, f"Este endereço não tem o parâmetro {', '.join(strangers)}.")
    return query


def controls(site: Site, _: Query) -> Json:
    """The switches, and what the simulator's clock shows (`now`)."""
    return _controls(site, site.switches.read())


def change_controls(site: Site, body: Any) -> Json:
    """Change the switches that are named; an object is merged, and null puts back what nobody has touched."""
    try:
        return _controls(site, site.switches.change(_object(body), site.clock()))
    except WrongSwitches as wrong:
        raise Refused(400, str(wrong)) from wrong


def _controls(site: Site, now: Controls) -> Json:
    return switches_of(now) | {"now": now.time_at(site.clock()).isoformat()}


def reset(site: Site, body: Any) -> Json:
    """Put the switches back, or forget everything that ever came in too."""
    match _object(body).get("what"):
        case "controls":
            site.switches.reset()
        case "everything":
            site.store.forget_everything()
            site.switches.reset()
        case _:
            raise Refused(400, "what: deve ser everything ou controls.")
    return controls(site, {})


def journal(site: Site, query: Query) -> list[Json]:
    """The last requests, oldest first; `status` is 0 where the connection was ended without a reply."""
    after = _number(query, "after", 0) if "after" in query else None
    filters = {name: query.get(name) for name in ("key", "subject", "service")}
    entries = site.journal.entries(after, **filters, limit=_limit(query))
    return [records.shown(entry) for entry in entries]


def documents(site: Site, query: Query) -> list[Json]:
    """The last documents, newest first; `status` is `authorized` or `canceled`."""
    return [records.shown(one) for one in Ledger(site.store).documents(_limit(query))]


def document(site: Site, access_key: str) -> bytes:
    """A document with what its authority added, as it is kept and handed on."""
    ledger = Ledger(site.store)
    found = ledger.document(PRODUCTION, access_key) or ledger.document(HOMOLOGATION, access_key)
    whole = next(filter(None, (family.hand_out(found) for family in site.families)), None) if found else None
    if whole is None:
        raise Refused(404, "O simulador não tem nenhum documento com esta chave.")
    return whole


def events(site: Site, query: Query) -> list[Json]:
    """The last events, newest first; those of one document oldest first."""
    ledger, key = Ledger(site.store), query.get("key")
    if key is None:
        return [records.shown(event) for event in ledger.last_events(_limit(query))]
    found = [*ledger.events(PRODUCTION, key), *ledger.events(HOMOLOGATION, key)]
    return [records.shown(event) for event in found[: _limit(query)]]


def voided_ranges(site: Site, query: Query) -> list[Json]:
    """The last ranges of numbers that were voided, newest first."""
    return [records.shown(one) for one in Ledger(site.store).ranges(_limit(query))]


def triggers(_: Site, __: Query) -> list[Json]:
    """The table of triggers."""
    return [
        {
            "name": one.name,
            "argument": one.argument,
            "example": one.sample,
            "effect": one.effect,
            "judged": one.judges,
            "everyTime": one.repeats,
        }
        for one in TRIGGERS
    ]


def authorizers(site: Site, _: Query) -> list[Json]:
    """Every authorizer with its state and its services."""
    now = site.switches.read()
    return [
        {
            "name": name,
            "state": now.outages.get(name, _UP),
            "contingency": now.contingency_of(name) if is_contingency(name) else None,
            "services": services,
        }
        for name, services in site.directory.items()
    ]


def contributors(site: Site, _: Query) -> list[Json]:
    """The registers of taxpayers."""
    return [records.shown(one) for one in Contributors(site.store).all()]


def put_contributors(site: Site, body: Any) -> list[Json]:
    """Enter taxpayers, or replace what is known of them."""
    _put(site, Contributors(site.store).put, _records(Contributor, body))
    return contributors(site, {})


def calendar(site: Site, _: Query) -> list[Json]:
    """The dated rules; `since` is the first day in force, null without one, and `builtIn` the unmoved one."""
    dates = site.switches.read().calendar
    return [
        {
            "name": milestone.value,
            "since": _iso_day(dates.first_day(milestone)),
            "builtIn": _iso_day(entry.since),
            "about": entry.about,
            "source": entry.source,
        }
        for milestone, entry in ENTRIES.items()
    ]


def _iso_day(day: date | None) -> str | None:
    return day.isoformat() if day else None


def cities(_: Site, __: Query) -> list[Json]:
    """What cities have agreed with the Sefin Nacional; the one without a code stands for all others."""
    return [records.shown(one) for one in named_cities()]


def rates(_: Site, __: Query) -> list[Json]:
    """The rates of the ISS: those of a city before those of all, the nearest to the service first."""
    return [records.shown(one) for one in iss_rates()]


def security_codes(site: Site, _: Query) -> list[Json]:
    """The codes (CSC) that issuers have registered."""
    return [records.shown(one) for one in SecurityCodes(site.store).all()]


def put_security_codes(site: Site, body: Any) -> list[Json]:
    """Register codes, or replace those of the same issuer and id."""
    _put(site, SecurityCodes(site.store).put, _records(SecurityCode, body))
    return security_codes(site, {})


def _put(site: Site, put: Callable[[Record], None], entries: Sequence[Record]) -> None:
    with site.store.together():
        for one in entries:
            put(one)


def authorities(site: Site) -> bytes:
    """The certificates of the authorities that clients have to believe, as PEM."""
    return b"".join(one.certificate.public_bytes(Encoding.PEM) for one in site.trust().authorities)


def _object(body: Any) -> Json:
    if not isinstance(body, dict):
        raise Refused(400, "O corpo deve ser um objeto JSON.")
    return body


def _records(kind: type[Record], body: Any) -> Sequence[Record]:
    if not isinstance(body, list):
        raise Refused(400, "O corpo deve ser uma lista JSON.")
    try:
        return [records.read(kind, one) for one in body]
    except records.WrongRecord as wrong:
        raise Refused(400, str(wrong)) from wrong


def _limit(query: Query) -> int:
    limit = _number(query, "limit", DEFAULT_LIMIT)
    if not 1 <= limit <= MOST_ROWS:
        raise Refused(400, f"limit: deve ser um número de 1 a {MOST_ROWS}.")
    return limit


def _number(query: Query, name: str, default: int) -> int:
    text = query.get(name, str(default))
    if not text.isascii() or not text.isdecimal() or len(text) > _LONGEST_NUMBER:
        raise Refused(400, f"{name}: deve ser um número inteiro.")
    return int(text)
