"""Views and changes of the control API, and the JSON of their records."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import MISSING, fields
from datetime import date, datetime
from typing import Any, TypeVar, get_type_hints
from urllib.parse import parse_qsl

from cryptography.hazmat.primitives.serialization import Encoding

from carimbo.fiscal.environment import Environment
from carimbo.fiscal.tables.authorities import serves_in_contingency
from carimbo.simulator.calendar import MILESTONES
from carimbo.simulator.cities import iss_rates, named_cities
from carimbo.simulator.controls import Controls, InvalidSwitches, switches_as_json
from carimbo.simulator.family import HOMOLOGATION, PRODUCTION
from carimbo.simulator.http import Request
from carimbo.simulator.ledger import Ledger, StoredDocument
from carimbo.simulator.program.journal import DEFAULT_LIMIT
from carimbo.simulator.program.site import Site
from carimbo.simulator.program.triggers import TRIGGERS
from carimbo.simulator.registers import Contributor, Contributors, SecurityCode, SecurityCodes

Record = TypeVar("Record")

_ENVIRONMENTS = {environment.code: environment.value for environment in Environment}
_INT_LIMIT = 2**63
_TYPE_NAMES = {str: "um texto sem caracteres de controle", int: "um número inteiro", bool: "true ou false"}
Query = Mapping[str, str]
Json = dict[str, Any]
MAX_ROWS = 1_000
_MAX_DIGITS = 15
_UP = "up"


class InvalidRecord(ValueError):
    """The JSON is not a valid record. The message lists all reasons, in Portuguese."""


def record_to_json(record: Any) -> dict[str, Any]:
    """Returns a record as JSON, without its XML."""
    values = {field.name: getattr(record, field.name) for field in fields(record)}
    return {
        _camel(name): _json_value(name, value)
        for name, value in values.items()
        if not isinstance(value, bytes)
    }


def _json_value(name: str, value: Any) -> Any:
    if isinstance(value, datetime):
        return value.isoformat()
    return _ENVIRONMENTS.get(value, value) if name == "environment" else value


def json_names(record_type: type) -> Mapping[str, bool]:
    """Returns the field names of a record type in JSON, and whether each is required."""
    return {
        _camel(field.name): field.default is MISSING
        for field in fields(record_type)
        if field.type is not bytes
    }


def record_from_json(record_type: type[Record], data: Any) -> Record:
    """Returns a record of texts, integers and flags from JSON; raises InvalidRecord."""
    if not isinstance(data, dict):
        raise InvalidRecord("Cada registro deve ser um objeto.")
    wanted = {_camel(field.name): field for field in fields(record_type)}  # type: ignore[arg-type]
    hints = get_type_hints(record_type)
    problems = [f"{name}: este campo não existe." for name in data if name not in wanted]
    problems += [
        f"{name}: deve ser {_TYPE_NAMES[hints[field.name]]}."
        for name, field in wanted.items()
        if not _is_valid(
            data.get(name, None if field.default is MISSING else field.default), hints[field.name]
        )
    ]
    if problems:
        raise InvalidRecord(" ".join(problems))
    return record_type(**{wanted[name].name: value for name, value in data.items()})


def _is_valid(value: Any, expected_type: type) -> bool:
    """Whether a value has a type. A bool is not an int, and SQLite's integers have 64 bits.

    Texts go into XML answers, which cannot hold control characters.
    """
    if type(value) is not expected_type:
        return False
    if isinstance(value, str):
        return value.isprintable()
    return not isinstance(value, int) or abs(value) < _INT_LIMIT


def _camel(name: str) -> str:
    first, *rest = name.split("_")
    return first + "".join(map(str.capitalize, rest))


DOCUMENT_NAMES = tuple(json_names(StoredDocument))
"""Field names of a document in JSON."""


class ControlApiError(Exception):
    """A request that the control API refuses; the message is in Portuguese."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status


def query_of(request: Request, allowed: Collection[str]) -> Query:
    """Returns the query parameters of a request; the last one of those that repeat."""
    query = dict(parse_qsl(request.query))
    unknown = [name for name in query if name not in allowed]
    if unknown:
        raise ControlApiError(400, f"Este endereço não tem o parâmetro {', '.join(unknown)}.")
    return query


def controls(site: Site, _: Query) -> Json:
    """The switches, and the time of the simulator's clock (`now`)."""
    return _controls(site, site.switches.read())


def change_controls(site: Site, body: Any) -> Json:
    """Changes the named switches; an object is merged, and null restores the default."""
    try:
        return _controls(site, site.switches.change(_object(body), site.clock()))
    except InvalidSwitches as error:
        raise ControlApiError(400, str(error)) from error


def _controls(site: Site, current: Controls) -> Json:
    return switches_as_json(current) | {"now": current.time_at(site.clock()).isoformat()}


def reset(site: Site, body: Any) -> Json:
    """Restores the default of every switch; `everything` also deletes all data."""
    match _object(body).get("what"):
        case "controls":
            site.switches.reset()
        case "everything":
            site.store.clear()
            site.switches.reset()
        case _:
            raise ControlApiError(400, "what: deve ser everything ou controls.")
    return controls(site, {})


def journal(site: Site, query: Query) -> list[Json]:
    """The latest requests, oldest first; `status` is 0 if the connection was closed without a reply."""
    after = _number(query, "after", 0) if "after" in query else None
    filters = {name: query.get(name) for name in ("key", "subject", "service")}
    entries = site.journal.entries(after, **filters, limit=_limit(query))
    return [record_to_json(entry) for entry in entries]


def documents(site: Site, query: Query) -> list[Json]:
    """The latest documents, newest first; `status` is `authorized` or `canceled`."""
    return [record_to_json(document) for document in Ledger(site.store).documents(_limit(query))]


def document(site: Site, access_key: str) -> bytes:
    """A document with its authorization, as it is archived."""
    ledger = Ledger(site.store)
    stored = ledger.document(PRODUCTION, access_key) or ledger.document(HOMOLOGATION, access_key)
    if stored:
        for family in site.families:
            if xml := family.archived_document(stored):
                return xml
    raise ControlApiError(404, "O simulador não tem nenhum documento com esta chave.")


def events(site: Site, query: Query) -> list[Json]:
    """The latest events, newest first; those of one document oldest first."""
    ledger, key = Ledger(site.store), query.get("key")
    if key is None:
        return [record_to_json(event) for event in ledger.last_events(_limit(query))]
    stored = [*ledger.events(PRODUCTION, key), *ledger.events(HOMOLOGATION, key)]
    return [record_to_json(event) for event in stored[: _limit(query)]]


def inutilizations(site: Site, query: Query) -> list[Json]:
    """The latest voided ranges of numbers, newest first."""
    return [record_to_json(inutilization) for inutilization in Ledger(site.store).ranges(_limit(query))]


def triggers(_: Site, __: Query) -> list[Json]:
    """The table of triggers."""
    return [
        {
            "name": trigger.name,
            "argument": trigger.argument,
            "example": trigger.sample,
            "effect": trigger.effect,
            "judged": trigger.judges,
            "everyTime": trigger.repeats,
        }
        for trigger in TRIGGERS
    ]


def authorizers(site: Site, _: Query) -> list[Json]:
    """Every authorizer, with its state and its services."""
    current = site.switches.read()
    return [
        {
            "name": name,
            "state": current.outages.get(name, _UP),
            "contingency": current.contingency_of(name) if serves_in_contingency(name) else None,
            "services": services,
        }
        for name, services in site.directory.items()
    ]


def contributors(site: Site, _: Query) -> list[Json]:
    """The registers of taxpayers."""
    return [record_to_json(contributor) for contributor in Contributors(site.store).all()]


def put_contributors(site: Site, body: Any) -> list[Json]:
    """Adds taxpayers, or replaces their data."""
    register = Contributors(site.store)
    records = _records(Contributor, body)
    with site.store.together():
        for contributor in records:
            register.put(contributor)
    return contributors(site, {})


def calendar(site: Site, _: Query) -> list[Json]:
    """The dated rules; `since` is the first day in force or null, `builtIn` the day without changes."""
    dates = site.switches.read().calendar
    return [
        {
            "name": milestone.value,
            "since": _date_text(dates.first_day(milestone)),
            "builtIn": _date_text(entry.since),
            "about": entry.about,
            "source": entry.source,
        }
        for milestone, entry in MILESTONES.items()
    ]


def _date_text(day: date | None) -> str | None:
    return day.isoformat() if day else None


def cities(_: Site, __: Query) -> list[Json]:
    """The parameters of cities in the national system; the one without a code is the default."""
    return [record_to_json(city) for city in named_cities()]


def rates(_: Site, __: Query) -> list[Json]:
    """The ISS rates: a city's own before the default, the longest prefix of the service first."""
    return [record_to_json(rate) for rate in iss_rates()]


def security_codes(site: Site, _: Query) -> list[Json]:
    """The security codes (CSC) that issuers have registered."""
    return [record_to_json(code) for code in SecurityCodes(site.store).all()]


def put_security_codes(site: Site, body: Any) -> list[Json]:
    """Adds security codes, or replaces those of the same issuer and id."""
    register = SecurityCodes(site.store)
    records = _records(SecurityCode, body)
    with site.store.together():
        for code in records:
            register.put(code)
    return security_codes(site, {})


def authorities(site: Site) -> bytes:
    """The certificates of the authorities that clients must trust, as PEM."""
    return b"".join(
        authority.certificate.public_bytes(Encoding.PEM) for authority in site.trust().authorities
    )


def _object(body: Any) -> Json:
    if not isinstance(body, dict):
        raise ControlApiError(400, "O corpo deve ser um objeto JSON.")
    return body


def _records(record_type: type[Record], body: Any) -> Sequence[Record]:
    if not isinstance(body, list):
        raise ControlApiError(400, "O corpo deve ser uma lista JSON.")
    try:
        return [record_from_json(record_type, item) for item in body]
    except InvalidRecord as error:
        raise ControlApiError(400, str(error)) from error


def _limit(query: Query) -> int:
    limit = _number(query, "limit", DEFAULT_LIMIT)
    if not 1 <= limit <= MAX_ROWS:
        raise ControlApiError(400, f"limit: deve ser um número de 1 a {MAX_ROWS}.")
    return limit


def _number(query: Query, name: str, default: int) -> int:
    text = query.get(name, str(default))
    if not text.isascii() or not text.isdecimal() or len(text) > _MAX_DIGITS:
        raise ControlApiError(400, f"{name}: deve ser um número inteiro.")
    return int(text)
